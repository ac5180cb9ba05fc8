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

_PATCHES = ("spec", "patches", "*", "definitions", "*", "jsonPatches", "*")
_ENDPOINT = "/spec/template/spec/controlPlaneEndpoint"
_VARIABLE = r"\{\{-?\s*\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)\s*-?\}\}"
_ALONE = rf"""\s*['"]?{_VARIABLE}['"]?\s*"""
_HOST = rf"""(?m)^[ \t]*["']?host["']?:[ \t]*["']?{_VARIABLE}["']?[ \t]*$"""
_BUILTIN = "builtin"


def endpoints(cluster_class: Object) -> Iterator[Pointer]:
    """Yield where the variables of a ClusterClass hold the host: the name of a variable, and the members below it."""
    for _, patch in values(cluster_class.data, _PATCHES):
        path = text(lookup(patch, ("path",)))
        if path in (_ENDPOINT, f"{_ENDPOINT}/host"):
            found = _variable(patch, is_whole=path == _ENDPOINT)
            if found and found[0] != _BUILTIN:
                yield found


def endpoints_of_product(name: str) -> tuple[Pointer, ...]:
    """Return the same for a class that is known by its name, and seldom in the list."""
    is_of_tkg = any(name == one or name.startswith(f"{one}-") for one in tkg.CLUSTER_CLASSES)
    return ((tkg.API_SERVER_ENDPOINT,),) if is_of_tkg else ()


def _variable(patch: Any, *, is_whole: bool) -> Pointer:
    """Return the variable that a patch takes the host from; () for none. ``is_whole``: it writes the port, too."""
    variable = text(lookup(patch, ("valueFrom", "variable")))
    if variable:
        return (*variable.split("."), *(("host",) if is_whole else ()))
    template = text_at(patch, ("valueFrom", "template"))
    match = re.search(_HOST, template) if is_whole else re.fullmatch(_ALONE, template)
    return tuple(match[1].split(".")) if match else ()
