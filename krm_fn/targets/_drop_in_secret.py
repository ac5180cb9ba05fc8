"""An entry of ``files`` whose content stands in the Secret ``<cluster>-systemd-proxy``: the reference, not the text.

A reference to another Secret is its author's; what stands in a Secret is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers import systemd_secret, unit_text
from krm_fn.carriers.node_system import CONTAINERD
from krm_fn.formats.file_content import decode
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.patch import Pointer, add, lookup, remove, replace
from krm_fn.targets._drop_in_place import DropIn
from krm_fn.targets._unit_warnings import shown

_OWNER = "giantswarmSystemdProxy"


def source(drop_in: DropIn) -> dict[str, Any] | Finding:
    """The ``contentFrom`` that the entry is to have, or why there can be none."""
    settings = drop_in.settings
    if settings.differs_from_cluster:
        why = (
            "holds the proxy of the whole Cluster, but an entry of `spec.overrides` asks for another one here: let it "
            "match the whole Cluster"
        )
    elif not settings.clusters:
        why = "cannot be named, because the Cluster is not known: label this object `cluster.x-k8s.io/cluster-name`"
    elif len(settings.clusters) > 1:
        clusters = " and ".join(f'"{name}"' for name in settings.clusters)
        why = f"cannot be named in an object that {clusters} share: give each an object of its own"
    else:
        name = systemd_secret.name_for(settings.cluster)
        return {
            "secret": {
                "name": name,
                "key": systemd_secret.KEYS.get(drop_in.unit, systemd_secret.KEYS[CONTAINERD]),
            }
        }
    message = f"the Secret `<cluster>-systemd-proxy` {why}, or set `spec.targets.{drop_in.target}.content` to `Inline`"
    return Finding(Severity.ERROR, message, drop_in.files)


def new_entry(drop_in: DropIn, content_from: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with its keys in the order of Giant Swarm's document."""
    owner = {"owner": drop_in.options["owner"]} if "owner" in drop_in.options else {}
    permissions = str(drop_in.options.get("permissions", "0600"))
    return {"path": drop_in.path, **owner, "permissions": permissions, "contentFrom": content_from}


def is_ours(drop_in: DropIn, entry: Mapping[str, Any]) -> bool:
    """Whether the content stands in the Secret that the target for it fills."""
    return systemd_secret.is_of(lookup(entry, ("contentFrom", "secret", "name")), drop_in.settings)


def is_replaceable(entry: Mapping[str, Any]) -> bool:
    """Whether the content of an entry is nothing but proxy variables, so that a reference can take its place."""
    text = decode(entry)
    return text is not None and not (text.strip() and unit_text.edit(text, {}))


def note(drop_in: DropIn, place: Pointer, entry: Mapping[str, Any]) -> Finding:
    """Who sees to a content that stands in a Secret, where this target does not."""
    where = (*place, "contentFrom")
    if is_ours(drop_in, entry):
        message = f"{_from(entry)}, which the target `{_OWNER}` fills if it is in the list"
        return Finding(Severity.INFO, message, where, code="ContentInSecret")
    message = f"{_from(entry)}; check that it sets the proxy, or replace `contentFrom` by `content`"
    return Finding(Severity.WARNING, message, where, code="ContentInSecret")


def _from(entry: Mapping[str, Any]) -> str:
    name, key = (lookup(entry, ("contentFrom", "secret", member)) for member in ("name", "key"))
    return f'content comes from key "{key}" of Secret "{name}"'


def refer(drop_in: DropIn, place: Pointer, entry: Mapping[str, Any]) -> Iterator[Change | Finding]:
    """Make an existing entry take its content from the Secret."""
    wanted = source(drop_in)
    if isinstance(wanted, Finding):
        if drop_in.settings.clusters or not is_ours(drop_in, entry):
            yield wanted
        return
    if not _is_same(entry.get("contentFrom"), wanted):
        for key in ("content", "encoding"):
            if key in entry:
                yield Change(
                    remove(*place, key), reported(drop_in), current=shown(decode(entry) or "")
                )
        operation = (replace if "contentFrom" in entry else add)(
            *place, "contentFrom", value=wanted
        )
        yield Change(operation, reported(drop_in))
    yield from drop_in.attributes(place, entry)
    yield from drop_in.limits(place)


def _is_same(there: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether an entry refers to the Secret that is wanted, whatever hash is behind its name."""
    name = lookup(there, ("secret", "name"))
    if not isinstance(name, str) or systemd_secret.base_of(name) != wanted["secret"]["name"]:
        return bool(there == wanted)
    return bool(there == {"secret": {**wanted["secret"], "name": name}})


def stays(drop_in: DropIn, place: Pointer) -> Finding:
    """Why an entry keeps its content although a reference is asked for."""
    message = (
        "`content` holds more than proxy variables, so it does not become `contentFrom`: move the rest to "
        f"a drop-in of its own, or set `spec.targets.{drop_in.target}.content` to `Inline`"
    )
    return Finding(Severity.WARNING, message, (*place, "content"), code="DropInStaysInline")


def reported(drop_in: DropIn) -> str:
    """What a reference does, in a sentence."""
    return f"takes the drop-in of {drop_in.unit} from the Secret of its Cluster"


def inline(drop_in: DropIn, place: Pointer, entry: Mapping[str, Any]) -> Iterator[Change]:
    """Make an entry that takes its content from the Secret hold it."""
    message = f"holds the drop-in of {drop_in.unit} itself, in the place of a reference"
    yield Change(remove(*place, "contentFrom"), message)
    operation = replace if "content" in entry else add
    yield Change(operation(*place, "content", value=unit_text.fresh(drop_in.variables)), message)
