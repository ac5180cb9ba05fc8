"""Everything that judges: values, the places of objects, and files of manifests.

values         a list of NO_PROXY
urls           the URL of a proxy
places         the proxy variables in the places of one object, and the permissions of files
proxy_config   the lists and the URLs of a ProxyConfig
compared       what the places of an object say, beside what they should say
replaced       entries of old lists that go
other_places   proxies that no target writes
nodes_without  nodes without a proxy
run_findings   what is left to report after a run
silenced       what an annotation, `spec.lint.ignore` or `spec.lint.rules` silences
manifests      the command ``inject-proxy lint``: files and findings
"""
