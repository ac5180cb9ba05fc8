"""Places: where objects hold a proxy, the forms in which they do, and what leads to them.

place           a place, and how all places of an object are written and read
reading         what a place says about one variable
members         forms in a mapping: three members, six variables, host and port
env_entries     the form of a list of ``{name, value}``, as in a container
named_item      the form of an item of a list, told by its name
texts           forms in a text: YAML documents, drop-ins, a plain value; texts of Secrets and ConfigMaps
certificates    forms that hold certificates, and an entry of a list that is ours
assigned        what a text of assignments says, as readings

containers      where workloads have containers
charts          which charts a HelmRelease or an Application installs
choice          which containers and charts get the proxy
provided        ConfigMaps and Secrets from which others take a proxy
cluster_secret  the Secret of Giant Swarm with the drop-ins of a Cluster
"""
