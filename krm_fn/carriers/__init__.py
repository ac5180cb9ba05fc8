"""The places that targets share: each one reads and writes the proxy in one form.

site               what a place is, and what writing all places of an object changes
reading            what a place says about one variable

env_list           ``env`` of a container                      pod_spec        where workloads have containers
values_env         ``env`` among the values of a chart         trust_bundle    certificates in the pods of a workload
three_keys         three members of a mapping                  certificates    a text of certificates
documents          YAML documents inside a text                whole_text      a text that is one document of values

drop_in            a systemd drop-in among the files of a node
drop_in_conflicts  what wins over it                           unit_text       variables in the text of a unit
unit_meant         what the author of such a text meant
environment_text   environment files, apt, docker              systemd_secret  the Secret of Giant Swarm that holds it
node_exports       commands before kubeadm                     shell_exports   commands that export variables
command_places     where such commands belong                  node_commands   what commands of others need
service_restart    the restart of what pulls images            node_files      whole files of a node
kubeadm_config     the KubeadmConfigSpec of an object          node_system     the system of the nodes
"""
