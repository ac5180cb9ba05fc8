"""What a ClusterClass needs so that each Cluster made of it gets a proxy of its own: a variable and patches.

``cluster_class`` is the target. ``classes`` decides which ClusterClasses are patched, and ``settings`` with which
proxy; ``patches`` and ``values`` hold the sites of a ClusterClass and of a Cluster. ``nodes`` lets the sites of the
node targets write into the templates, and makes operations of what they write; ``class_patches`` simulates the patches
of others before. ``operations`` makes patches of these operations, with the texts of ``templates``; ``variable`` says
what their variable holds.
"""
