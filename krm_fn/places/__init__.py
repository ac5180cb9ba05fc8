"""Places: where objects hold a proxy, in which forms, and how they are found.

place             a place, its readings, and how all places of an object are written and read
mapping_forms     forms in mappings, and of an item of a list, found by its name
containers        where workloads have containers, and the form of their ``env``
text_forms        forms in a text: YAML documents, a plain value; texts of Secrets and ConfigMaps
drop_ins          drop-ins of systemd as a form
certificates      forms that hold certificates, and an entry of a list that is ours

installed_charts  which charts a HelmRelease or an Application installs
choice            which containers and charts get the proxy
provided          ConfigMaps and Secrets from which others take a proxy
proxy_search      proxies that nobody writes
cluster_secret    the Secret of Giant Swarm with the drop-ins of a Cluster
"""
