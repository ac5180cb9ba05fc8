"""What a ClusterClass needs so that each Cluster made of it gets a proxy of its own: a variable and patches.

Cluster API makes the nodes of a Cluster out of the templates of its class, and lets the patches of the class change
them in their order, with variables of the Cluster. So the proxy is either in a template, the same for all Clusters, or
in patches of ours behind those of others. An import leads only downwards in this list:

classes            decides which of both, for each class, and what becomes of its templates and Clusters
class_plan         all patches of a class, in order
node_patches       operations for the nodes of one template, or why there are none
additions          what the targets would write into the template
listed_class       one class: its state, its family, the proxy of its nodes
settings           lists of NO_PROXY with names in the place of what each Cluster says
product_variables  classes of products that write the proxy themselves
class_patches      the variable and the patches of a class, as places
foreign_patches    what the patches of others do to a list of the template
node_groups        the nodes of a class, and the selectors that name their templates
go_templates       texts that make files and commands out of the variable
variable           what the variable holds; the variables of a Cluster, as places
names              of the variable, the patches and the targets

A class whose patch "emptyFiles" writes the whole list ``files``: ``classes`` asks ``node_patches.erasures``, which
finds with ``additions`` that a drop-in belongs into ``files``, and with ``foreign_patches`` that "emptyFiles" erases
it. So the class is to be patched: ``class_plan`` puts ``inject-proxy-nodes`` behind "emptyFiles", its state is
PATCHED, its templates are emptied, and a Cluster gets the variable where its list differs from the default.
"""
