"""A ClusterClass gives each Cluster made of it a proxy of its own: by a variable and patches.

Cluster API makes the nodes of a Cluster out of the templates of its class, and lets the patches of the class change
them in their order, with variables of the Cluster. So the proxy is either in a template, the same for all Clusters, or
in patches of ours behind those of others. An import leads only downwards in this list:

classes         decides between both for each class, and for its templates and Clusters
class_plan      all patches of a class, in order, or why there are none, and the entries that they add
listed_class    one class: its state, its family, the proxy of its nodes, with names in the place of networks
class_target    the variable and the patches, as places of a class and of its Clusters
class_data      the groups of nodes of a class, our names in it, and the effect of the patches of others on a list
go_templates    texts that make files and commands out of the variable

A class whose patch "emptyFiles" writes the whole list ``files``: ``classes`` asks ``class_plan.erasures``, which
finds that a drop-in belongs into ``files``, and with ``class_data`` that "emptyFiles" erases it. So the class is to be
patched: ``class_plan`` puts ``inject-proxy-nodes`` behind "emptyFiles", its state is PATCHED, its templates are
emptied, and a Cluster gets the variable where its list differs from the default.
"""
