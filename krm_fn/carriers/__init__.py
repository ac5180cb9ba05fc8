"""The places that targets share: each one reads and writes the proxy in one form.

site               what a place is, and what writing all places of an object changes
reading            what a place says about one variable

env_list           ``env`` of a container                      pod_spec        where workloads have containers
three_keys         three members of a mapping                  chosen_containers  which containers a matcher chose
documents          YAML documents inside a text                whole_text      a text that is one document of values
cluster_variables  the variables of a Cluster                  data_uses       ConfigMaps and Secrets read as a proxy

unit_text          variables in the text of a unit             unit_corrections  what its author meant there
drop_in_secret     the Secret of Giant Swarm with drop-ins     chosen_charts   which charts a matcher chose
"""
