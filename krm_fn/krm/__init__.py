"""Read and write by the KRM functions specification: the ResourceList, files of manifests, and results.

resourcelist   the list of objects that an orchestrator passes, and the identity of an object
manifests      files of manifests, read as the same objects, and their changes
results        findings and changes, and how they leave the program
codes          every code of a result, with its severity and its explanation
masking        hides credentials, and values that are no URL in the place of a proxy, in every text that is shown
"""
