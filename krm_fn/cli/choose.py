"""``inject-proxy choose``: write what chooses objects into the ProxyConfig, or take it out again.

The reason why an object is left says what chooses it; the lossless writer keeps the rest of the file.
"""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Container, Iterable

from krm_fn.cli import streams
from krm_fn.cli.config import find_config
from krm_fn.cli.diff import diff_of
from krm_fn.cli.files import real_path
from krm_fn.cli.named_objects import named_objects
from krm_fn.cli.selection import select
from krm_fn.cli.streams import Answer
from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import UsageError
from krm_fn.formats import left_alone
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import ListChanges, Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import Pointer, copied, list_at, lookup, put_at
from krm_fn.pipeline.covered import SYSTEM_OF_KIND, addition_for, reason_in
from krm_fn.pipeline.unused import choosing_matchers
from krm_fn.plan import plan_records
from krm_fn.plan.items import readable_objects
from krm_fn.plan.record import Overview, Why
from krm_fn.yamledit.render import AuthorScalar, Layout, block_text, flow, plain_data

# The targets that write only what is chosen, as rows of the table, too.
_CHOSEN = ("workloads", "charts")
# The namespace that `--all-left` leaves out: what runs there serves the cluster itself.
_SPARED = "kube-system"
_ROW = (
    "no row says which values of its chart hold a proxy; fill one in below `spec.targets.charts` first: "
    "`rows: [{{chart: {}, path: <such as controller.env>, form: <List, Mapping, CamelCase, SnakeCase or URL>}}]`"
)


def run(args: Namespace) -> Answer:
    """Choose objects, or take their choice back, and show the diff of the ProxyConfig."""
    if bool(args.objects) is args.all_left:
        raise UsageError("there must be KIND/NAME, such as `deployment/web`, or `--all-left`")
    asks = streams.can_ask() and not args.yes
    if args.all_left and not (args.yes or asks):
        raise UsageError("there is no terminal to ask on: `--yes` asks nothing")
    selection = select((), args.exclude)
    manifests = selection.documents()
    found = find_config(manifests, selection, args.config)
    text = found.manifests.files[found.file]
    is_encrypted = left_alone.hides(text)
    config = ProxyConfig() if is_encrypted else found.load()
    overview = _plan(manifests, config)
    before = _chosen(overview)
    data = copied(found.data)
    spec = data.setdefault("spec", {})
    objects = readable_objects(manifests, range(len(manifests)))
    known = [obj for obj in objects if SYSTEM_OF_KIND.get(obj.ref.kind) in _CHOSEN]
    if args.all_left:
        named = [obj for obj in known if obj.ref.namespace != _SPARED]
    else:
        named = named_objects(
            args.objects, args.namespace, known, "workload or chart (all else needs no choice)"
        )
    lines = _edit_all(args, named, overview, before, spec)
    if is_encrypted or found.is_of_list:
        why = "SOPS has encrypted it" if is_encrypted else "it is in a ResourceList"
        lines.append(f"{found.file} is not written, because {why}: paste this into the ProxyConfig")
        pasted = block_text({"spec": {"targets": spec.get("targets", {})}})
        return Answer([pasted.encode()], lines, exit_code=2)
    config_after = found._replace(data=plain_data(data)).load()
    after = _chosen(_plan(manifests, config_after))
    lines += [f"chosen: {ref}" for ref in after if ref not in before]
    lines += [f"no longer chosen: {ref}" for ref in before if ref not in after]
    for obj in named if args.remove else ():
        if obj.ref in after:
            fields = [
                matcher.field
                for matcher in choosing_matchers(config_after)
                if matcher.fits(obj, overview.uses)
            ]
            by = ", ".join(fields) or "a preset or an annotation"
            lines.append(f"{obj.ref} stays chosen, by {by}: change that yourself")
    edits = ListChanges()
    edits.items[found.ref.file_index] = {found.path: data}
    changes = Manifests({found.file: text.encode()}).changed_files(edits)
    if not changes:
        return Answer((), [*lines, f"{found.file} stays as it is"])
    output, _ = diff_of(changes, config.proxy_urls)
    if asks:
        streams.write([output])
        streams.report(lines)
        if streams.answer_to(f"Write this into {found.file}? [y/N] ").strip() not in ("y", "yes"):
            raise UsageError("the answer was not `y`, so nothing was written")
        output = b""
        lines = []
    path = selection.paths.get(found.file) or real_path(found.file)
    named_config = f" --config {shlex.quote(args.config)}" if args.config else ""
    lines += [f"changed: {found.file}", f"next: inject-proxy run{named_config} --diff"]
    return Answer([output], lines, changes={path: changes[found.file]})


def _edit_all(
    args: Namespace,
    named: Iterable[Object],
    overview: Overview,
    chosen: Container[ObjectRef],
    spec: Fields,
) -> list[str]:
    """Add what chooses objects to `spec`, or take it out; return a line for each one that is chosen already."""
    lines = []
    for obj in named:
        reason = reason_in(obj, overview)
        option, item = addition_for(obj, reason)
        if args.namespace == "" and isinstance(item, dict):
            item["namespaces"] = [""]  # else it would fit the name in any namespace
        if args.remove:
            _edit(spec, option, item, is_removal=True)
            if obj.ref not in chosen:
                lines.append(f"{obj.ref} is not chosen: there is nothing to remove")
        elif obj.ref not in chosen and item is not None:
            _edit(spec, option, item)
        elif args.all_left:
            continue
        elif obj.ref in chosen:
            lines.append(f"{obj.ref} is chosen already")
        else:
            advice = _ROW.format(reason.name) if reason.why is Why.OTHER_CHART else ""
            raise UsageError(f"{obj.ref} cannot be chosen: {advice or reason.why.sentence}")
    return lines


def _plan(manifests: Manifests, config: ProxyConfig) -> Overview:
    """Return the plan of a run that writes, whatever the mode is."""
    return plan_records(manifests, config._replace(mode=Mode.INJECT))


def _chosen(overview: Overview) -> dict[ObjectRef, None]:
    """Return the objects that somebody chose, and that have a place for the proxy."""
    refs: dict[ObjectRef, None] = {}
    for record in overview.records:
        for target in record.targets:
            if target.target_id in _CHOSEN and target.has_place:
                refs[record.obj.ref] = None
    return refs


def _edit(spec: Fields, path: Pointer, item: Any, *, is_removal: bool = False) -> None:
    """Add an item to a list in `spec`, or take it out, and the mappings that are empty then."""
    before = list_at(spec, path)
    items = [other for other in before if plain_data(other) != item]
    if not is_removal:
        items.append(AuthorScalar(flow(item, Layout()), item))
    elif items == before:
        return
    *above, _ = path
    if lookup(spec, above) is True:  # as good as an empty mapping
        put_at(spec, tuple(above), {})
    put_at(spec, path, items)
    while path and not lookup(spec, path):
        *above, name = path
        del lookup(spec, above)[name]
        path = tuple(above)
