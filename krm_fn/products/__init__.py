"""Names, suffixes and key layouts of products: tables that targets, clusters, import and export share.

There is no logic here: what a product calls its objects, labels and keys is found in one place.
"""
