"""What a ClusterClass needs so that each Cluster made of it gets a proxy of its own: a variable and patches.

``cluster_class`` is the target. ``classes`` decides which ClusterClasses are patched, and ``settings`` with which
proxy; ``class_site`` and ``cluster_variable`` hold the sites of a ClusterClass and of a Cluster. ``node_operations``
lets the node targets write into the templates, and makes operations of what they write, with the texts of
``go_templates``; ``class_patches`` simulates the patches of others before. ``definitions`` makes patches of these
operations; ``variable`` says what their variable holds.
"""
