"""Everything that judges: values, objects, drift between objects, files of manifests.

values           a list of NO_PROXY, the URL of a proxy, the permissions of a file
objects          the proxy variables in the places of one object
levels           which rules speak, and how loud
seen             the same of one object as one target sees it, for `lint` and for a run
drift            objects of one Cluster that do not agree
after_injection  what is left to report after a run
exposure         passwords that leave a Secret
silenced         what an annotation or `spec.lint.ignore` silences in one place
unwritten        systems that are recognised, and for which nothing is written
manifests        the command ``inject-proxy lint``: files, findings and fixes
"""
