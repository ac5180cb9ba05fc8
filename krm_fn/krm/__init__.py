"""The KRM functions specification: the ResourceList, plain manifests, and what a run reports.

resourcelist   the list of objects that an orchestrator passes, and their identity
manifests      files of plain manifests, read as the same objects
results        findings, changes, and how they leave the program: without a credential
type_errors    a field that has another type than it must have
"""
