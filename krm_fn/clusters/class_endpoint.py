"""Which variable of a Cluster holds the host of its control plane endpoint, as the patches of its ClusterClass say.

A patch that writes ``controlPlaneEndpoint``, or its ``host``, in the infrastructure cluster takes it from a variable,
or from a Go template that is one variable at that place. What a template works out is not known.

Sources: Cluster API, "Writing a ClusterClass" (``valueFrom``); the class of cluster-api-provider-vsphere
(``controlPlaneIpAddr``); TKG's classes, which are seldom in a repository (``apiServerEndpoint``:
``vmware-tanzu/tanzu-framework``, ``providers/infrastructure-*/*/cconly/base.yaml``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.clusters.reading import text, values
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.products import tkg
from krm_fn.products.cluster_api import OUR_PATCHES

_OPERATIONS = ("definitions", "*", "jsonPatches", "*")
_ENDPOINT = "/spec/template/spec/controlPlaneEndpoint"
_VARIABLE = r"\{\{-?\s*\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)\s*-?\}\}"
_ALONE = rf"""\s*['"]?{_VARIABLE}['"]?\s*"""
_HOST = rf"""(?m)^[ \t]*["']?host["']?:[ \t]*["']?{_VARIABLE}["']?[ \t]*$"""
_BUILTIN = "builtin"


def patches_of_others(cluster_class: Object) -> Iterator[Any]:
    """Yield the patches of a ClusterClass without ours, which a run may write, and which hold no facts."""
    for _, patch in values(cluster_class.data, ("spec", "patches", "*")):
        if lookup(patch, ("name",)) not in OUR_PATCHES:
            yield patch


def endpoints(cluster_class: Object) -> Iterator[Pointer]:
    """Yield where the variables of a ClusterClass hold the host: the name of a variable, and the members below it."""
    for patch in patches_of_others(cluster_class):
        for _, operation in values(patch, _OPERATIONS):
            path = text(lookup(operation, ("path",)))
            if path in (_ENDPOINT, f"{_ENDPOINT}/host"):
                found = _variable(operation, is_whole=path == _ENDPOINT)
                if found and found[0] != _BUILTIN:
                    yield found


def endpoints_of_product(name: str) -> tuple[Pointer, ...]:
    """Return the same for a class that is known by its name, and seldom in the list."""
    is_of_tkg = any(name == one or name.startswith(f"{one}-") for one in tkg.CLUSTER_CLASSES)
    return ((tkg.API_SERVER_ENDPOINT,),) if is_of_tkg else ()


def _variable(operation: Any, *, is_whole: bool) -> Pointer:
    """Return the variable that an operation takes the host from; () for none. ``is_whole``: it writes the port, too."""
    variable = text(lookup(operation, ("valueFrom", "variable")))
    if variable:
        return (*variable.split("."), *(("host",) if is_whole else ()))
    template = text_at(operation, ("valueFrom", "template"))
    match = re.search(_HOST, template) if is_whole else re.fullmatch(_ALONE, template)
    return tuple(match[1].split(".")) if match else ()
