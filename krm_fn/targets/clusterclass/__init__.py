"""What a ClusterClass needs so that each Cluster made of it gets a proxy of its own: a variable and patches.

``cluster_class`` is the target; ``patches`` and ``values`` hold the sites of a ClusterClass and of a Cluster, ``nodes``
finds out what the templates hold in the end, and ``operations``, ``templates``, ``variable`` and ``commands`` say what
the patches do.
"""
