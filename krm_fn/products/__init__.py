"""Names, suffixes and key layouts of products: tables that targets, clusters, import and export share.

There is no logic here. What one module alone needs to know of a product is in that module.
"""
