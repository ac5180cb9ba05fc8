"""What a ClusterClass needs so that each Cluster made of it gets a proxy of its own: a variable and patches.

classes            which ClusterClasses are patched
listed_class       one of them: the proxy of its nodes, and what becomes of it
class_patches      the variable and the patches of a class, as places
node_patches       what the node targets would write into a template, as operations of patches
foreign_patches    groups of nodes, and what the patches of others do to a list of their template
go_templates       the texts of the patches
variable           what the variable holds, its schema, and the variables of a Cluster, as places
settings           lists of NO_PROXY with names that Cluster API fills in
product_variables  classes of products that write the proxy themselves
"""
