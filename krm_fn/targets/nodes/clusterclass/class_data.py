"""The data of a ClusterClass: our names in it, the groups of its nodes, and how patches of others change a template.

A patch with ``enabledIf`` may run or not. A path on which Cluster API's engine fails (an entry is added to a list that
is not there) makes no nodes, so it does not count.

Sources: Cluster API ``api/core``: a class names a template in ``template.bootstrap.ref`` (v1beta1) or
``bootstrap.templateRef`` (v1beta2); ``internal/controllers/topology/cluster/patches/inline`` (``matchesSelector``,
``enabledIf``, the order of operations) and ``internal/webhooks/patch_validation.go`` (a patch adds to a list at its
beginning or its end, and neither replaces nor removes a single entry).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from krm_fn.clusters import uses
from krm_fn.clusters.references import Use
from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Data, Pointer, list_at, lookup, pointer_of, text_at
from krm_fn.products.cluster_api import CORE, OUR_PATCHES
from krm_fn.products.node_kinds import FILE_TARGETS, FILES_ON_REQUEST
from krm_fn.yamledit import read

CLASS = (CORE, "ClusterClass")
# The paths to them in a ClusterClass.
VARIABLES = ("spec", "variables")
PATCHES = ("spec", "patches")
# Our variable, and its member for the name of the Secret with the drop-ins of a Cluster.
VARIABLE, SECRET = "injectProxy", "secret"

# Our patches: what the others need, what every node gets, what a node with a proxy gets, and the proxy itself.
EMPTY_LISTS, ADDITIONS, LISTS, NODES = OUR_PATCHES

WORDS = (VARIABLE, *OUR_PATCHES)

# The targets whose edits the patches make: those of files and commands.
PATCHED_TARGETS = (*FILE_TARGETS, FILES_ON_REQUEST)

# Those whose edits are the same for every Cluster: patches make them only where a class erases them.
PATCHED_WHERE_ERASED = ("nodes.trustedCA", "nodes.mirror")


# Section of ``spec.workers`` -> the member of ``matchResources`` that names its classes.
_SELECTORS = {"machineDeployments": "machineDeploymentClass", "machinePools": "machinePoolClass"}


def node_groups(cluster_class: Object) -> Iterator[Use]:
    """Yield the references of a class to the templates of its groups of nodes."""
    for use in uses(cluster_class):
        # The others are references to infrastructure: `controlPlane.machineInfrastructure.ref`.
        if use.path[-2] in ("controlPlane", "bootstrap"):
            yield use


def selects(selector: Any, data: Data, nodes: Use) -> bool:
    """Return whether a selector of a class, whose data are given, selects the template of some nodes."""
    kind = kind_selector(data, nodes)
    if any(lookup(selector, name) != text for name, text in kind.items()):
        return False
    matched = lookup(selector, "matchResources")
    section, name = nodes.worker_class
    if not section:
        return lookup(matched, "controlPlane") is True
    # a pattern has one `*`, at the beginning or at the end: `*-worker`, `gpu-*`
    patterns = list_at(matched, (_SELECTORS[section], "names"))
    return any(fnmatchcase(name, str(pattern)) for pattern in patterns)


def kind_selector(data: Data, nodes: Use) -> Fields:
    """Return the members of a selector that tell the kind of the template of some nodes of a class."""
    return {
        "apiVersion": text_at(data, (*nodes.path, "apiVersion")),
        "kind": nodes.target.kind,
    }


def selector_for(data: Data, groups: Sequence[Use]) -> Fields:
    """Return a selector of the templates of some groups of nodes of one kind in a class, given its data."""
    matched: Fields = {}
    for nodes in groups:
        section, name = nodes.worker_class
        if section:
            classes = matched.setdefault(_SELECTORS[section], {"names": []})
            classes["names"].append(name)
        else:
            matched["controlPlane"] = True
    return {**kind_selector(data, groups[0]), "matchResources": matched}


_CONDITION = r"\{\{-?\s*(?:if|else|end|with|range)\b"
_VALUE = r"""(?x)
\{\{ (?! -?\s* (?:if|else|end|with|range)\b )
[^{}\n]* \}\}                      # {{ .path | quote }}
"""
# A line of a Go template that says nothing by itself.
_SILENT_LINE = r"""(?mx)
^[ \t]*
\{\{-? \s* (?:
    (?:if|else|end|with|range)\b   # {{- range .users }}
  | \$\w+ \s* :?=                  # {{ $port := 1 }}
  | /\*                            # {{/* a comment */}}
) [^\n]*? \}\}
[ \t]* (?:\n|\Z)
"""
_VALUE_BELOW_KEY = r"""(?mx)
: [ \t]* \n                        # files:
[ \t]* \{\{ [^{}\n]* \}\} [ \t]* $   # {{ .files | toYaml | indent 2 }}    makes its own indentation
"""


class ForeignOperation(NamedTuple):
    """One operation on the template of some nodes.

    Attributes:
        patch: the name of its patch.
        op: ``add``, ``replace`` or ``remove``; "" for a runtime extension, which may do anything but erase.
        path: leads to the changed field of the template.
        value: the written value; None where a variable or a Go template makes it.
        text: the Go template that makes the value; "" for none.
        is_certain: it runs for every Cluster.
    """

    patch: str
    op: str
    path: Pointer = ("",)
    value: Any = None
    text: str = ""
    is_certain: bool = True

    def is_whole(self, path: Pointer) -> bool:
        """Return whether the list at ``path`` is written or removed as a whole, or something around it."""
        return path[: len(self.path)] == self.path

    def is_entry(self, path: Pointer) -> bool:
        """Return whether an entry is added to the list at ``path``."""
        return len(self.path) > len(path) and self.path[: len(path)] == path

    def leaves_list(self, path: Pointer) -> bool | None:
        """Return whether there is a list at ``path`` after this wrote it as a whole; None where that depends."""
        inside = path[len(self.path) :]
        if self.op == "remove":
            return False
        if not inside:
            return self.value is None or isinstance(self.value, list)
        if self.value is not None:
            return isinstance(lookup(self.value, inside), list)
        return _makes_member(self.text, inside)


def _makes_member(text: str, path: Pointer) -> bool | None:
    """Return whether the mapping that a Go template makes has a member at ``path``; None where that depends.

    Lines that only control the template go and other actions become a scalar, so that the rest is read as YAML, as
    Cluster API reads the result. An action in the place of a member may say anything: ``{{ .spec | toYaml }}``.
    """
    plain = re.sub(_SILENT_LINE, "", text)
    plain = re.sub(_VALUE_BELOW_KEY, ": 0", plain)
    plain = re.sub(_VALUE, "0", plain)
    try:
        data = read(plain)
    except InputError:
        return None
    for step in path:
        if not isinstance(data, dict):
            return None
        if data.get(step) is None:
            return None if "{{" in plain else False
        data = data[step]
    if re.search(_CONDITION, text):
        return None
    return True


def is_ours(patch: Any) -> bool:
    """Return whether a patch is one of ours."""
    return lookup(patch, "name") in OUR_PATCHES


def others_in(data: Data) -> list[Any]:
    """Return the patches of a class that are not ours."""
    return [patch for patch in list_at(data, PATCHES) if not is_ours(patch)]


def written_path(data: Data, paths: Iterable[str], kind: str = "") -> str:
    """Return the first of some paths of files that the patches of others write, too; "" for none.

    Args:
        data: the ClusterClass.
        paths: the paths of our files.
        kind: that of the templates that count; "" for all.
    """
    theirs = ""
    for patch in others_in(data):
        for definition in list_at(patch, "definitions"):
            if kind in ("", lookup(definition, ("selector", "kind"))):
                theirs += str(lookup(definition, "jsonPatches"))
    for path in paths:
        written = rf"""(?x)
        path ["'\\]* :? [ ]* ["'\\]*    # `path: /etc/x`, `"path": "/etc/x"`, the same inside a string
        {re.escape(path)} (?![\w./-])    # but not `/etc/x.d`
        """
        if re.search(written, theirs):
            return path
    return ""


def is_list_after(
    operations: Iterable[ForeignOperation], path: Pointer, *, is_there: bool = True
) -> bool | None:
    """Return whether there is a list at ``path`` of a template after some operations; None where that depends.

    Args:
        operations: those on the template.
        path: leads to the list.
        is_there: whether there is a list before.
    """
    state: bool | None = is_there
    for operation in operations:
        if not operation.op:
            state = state or None
        elif operation.is_whole(path):
            after = operation.leaves_list(path)
            state = after if operation.is_certain or after == state else None
        elif operation.is_entry(path) and operation.is_certain:
            state = True
    return state


def operations_on(data: Data, nodes: Use) -> list[ForeignOperation]:
    """Return the operations of the patches of others on the template of some nodes, in order; a wrong shape is none."""
    operations = []
    for patch in others_in(data):
        condition = text_at(patch, "enabledIf")
        if isinstance(lookup(patch, "external"), Mapping):
            operations.append(ForeignOperation("", ""))
        elif "{{" in condition:
            operations += _inline(patch, data, nodes, is_certain=False)
        elif condition.strip() in ("", "true"):
            operations += _inline(patch, data, nodes, is_certain=True)
    return operations


def _inline(patch: Any, data: Data, nodes: Use, *, is_certain: bool) -> Iterator[ForeignOperation]:
    """Yield the operations of one patch."""
    for definition in list_at(patch, "definitions"):
        if not selects(lookup(definition, "selector"), data, nodes):
            continue
        for fields in list_at(definition, "jsonPatches"):
            op = text_at(fields, "op")
            path = text_at(fields, "path")
            if path and op in ("add", "replace", "remove"):
                yield ForeignOperation(
                    text_at(patch, "name"),
                    op,
                    pointer_of(path),
                    lookup(fields, "value"),
                    text_at(fields, ("valueFrom", "template")),
                    is_certain,
                )
