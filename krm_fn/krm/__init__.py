"""The KRM functions specification: the ResourceList, plain manifests, and what a run reports.

resourcelist   the list of objects that an orchestrator passes, and their identity
manifests      files of plain manifests, read as the same objects
results        findings, changes, and how they leave the program
masking        no credential in any text that is shown: known_secrets first, then named_credentials, coded_text and URLs
proxy_values   what a field for a proxy holds, as far as it may be shown
type_errors    a field that has another type than it must have
"""
