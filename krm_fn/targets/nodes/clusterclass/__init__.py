"""What a ClusterClass needs so that each Cluster made of it gets a proxy of its own: a variable and patches.

``cluster_class`` is the target. ``classes`` decides which ClusterClasses are patched, and ``settings`` with which
proxy; ``patches`` and ``values`` hold the sites of a ClusterClass and of a Cluster; ``nodes`` finds out what the
templates hold in the end, for which ``class_patches`` simulates the patches that are there; ``operations``,
``templates``, ``variable`` and ``commands`` say what our patches do.
"""
