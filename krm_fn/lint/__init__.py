"""Everything that judges: values, the places of objects, and files of manifests.

values      a list of NO_PROXY, the URL of a proxy
places      the proxy variables in the places of one object, and the permissions of files
compared    what the places of an object say, beside what they should say
review      what is left to report after a run
elsewhere   proxies that no target writes, and nodes without one
covered     the table of what a run reaches
silenced    what an annotation or `spec.lint.ignore` silences in one place
manifests   the command ``inject-proxy lint``: files, findings and fixes
"""
