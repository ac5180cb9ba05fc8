"""The proxies that objects hold in places which no target owns, and the findings about them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from krm_fn.clusters.kinds import CLUSTER_CLASS
from krm_fn.config import KIND, ProxyConfig
from krm_fn.formats import left_alone
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result, Results
from krm_fn.patch import Pointer
from krm_fn.placeholders import is_template
from krm_fn.places import choice
from krm_fn.places.installed_charts import charts_in
from krm_fn.places.place import Reading, Readings, read_pairs
from krm_fn.places.provided import DataUses
from krm_fn.places.proxy_search import proxies_in, urls_in_text
from krm_fn.plan.record import ObjectRecord, Reason, TargetRecord, Why
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.release_kinds import APPLICATION, HELM_RELEASE
from krm_fn.products.systems import system_of, url_fields
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.proxy_url import with_and_without_credentials
from krm_fn.settings import declared_urls
from krm_fn.target_table import ROWS
from krm_fn.targets import load_target

# Groups of objects in which a proxy is somebody else's instruction.
_READ_BY_THEIR_TARGET = ("kyverno.io", "policies.kyverno.io", "fn.inject-proxy.io")
# Those that get the proxy where somebody chooses them.
_CHOSEN_KINDS = {*POD_KINDS, HELM_RELEASE, APPLICATION}
# Those whose texts are files and commands of nodes.
OF_NODES = {*NODE_KINDS, CLUSTER_CLASS}
# Bytes of a file that a person writes.
_LARGEST_FILE = 200_000
# A line of a file without objects that is made for something that a run writes, and not for a test or a pipeline.
_READ = r"""(?mx)
    (?: ^ | [{,] ) [ \t-]* ["']? (?: kind | op ) ["']? :   # a patch of an object: `- op: add`, `{"op": …`
    | ^ patches                                           # a kustomization
    | ^ TKG_                                              # a cluster configuration, which `export tkg` writes
"""
_CUSTOM_RESOURCE = "CustomResourceDefinition"
_IN_FILES = "change it yourself, or let `spec.targets.nodes.files` write files of shells, apt, dnf, zypper and docker"
_UNWRITTEN = "no target writes this place: change it yourself, or leave the object out with `spec.selector.exclude`"


def note_other_places(records: Iterable[ObjectRecord], uses: DataUses, config: ProxyConfig) -> None:
    """Note in records the variables of a proxy that no target owns, with findings about them.

    Args:
        records: the objects whose text names a proxy.
        uses: the ConfigMaps and Secrets that others read, and the sources of charts.
        config: the checked ProxyConfig.
    """
    ours = with_and_without_credentials(config.proxy_urls)
    known = {}
    for record in records:
        obj = record.obj
        if record.is_left_out and not config.removes:
            continue
        if obj.group_kind[0] in _READ_BY_THEIR_TARGET or left_alone.is_encrypted(obj.data):
            continue
        fields = [*url_fields(*obj.group_kind)]
        for below, root in charts_in(obj, uses.seen_from(obj.ref.file_path).chart_sources):
            if root[-1:] == ("helm",):
                root = (*root, "valuesObject")  # noqa: PLW2901
            fields += [(*root, *path) for path in below]
        record.others = _not_owned(proxies_in(obj, fields), record.targets)
        if not record.others:
            continue
        # Without overrides many objects are to have the same URLs, and to resolve them composes a list.
        name = obj.base_name if config.overrides else ""
        key = (record.memberships, name)
        if key not in known:
            known[key] = declared_urls(config, record.memberships, target_id="", name=name)
        urls = known[key]
        if urls is not None:
            _judge(record, config, urls, ours)


def _not_owned(readings: Readings, targets: Sequence[TargetRecord]) -> Sequence[Reading]:
    """Return the values that no target reads, and of which none has said something."""
    if not targets:
        return [*readings]
    reported = set()
    owned: dict[Pointer, set[str | None]] = {}
    for target_record in targets:
        results = target_record.results
        for result in results:
            if not result.reports_edit:
                reported.add(result.path)
        for reading in (*target_record.before, *target_record.after):
            values = owned.setdefault(reading.path, set())
            # The search writes an address as a URL.
            values.update((reading.value, f"http://{reading.value}"))
    others = []
    for reading in readings:
        if reading.path in reported:
            continue
        if not _is_owned(reading, owned):
            others.append(reading)
    return others


def _is_owned(reading: Reading, owned: Mapping[Pointer, set[str | None]]) -> bool:
    """Return whether a target reads a value: where it is, or in the text that holds it beside others."""
    for length in range(len(reading.path) + 1):
        values = owned.get(reading.path[:length], set())
        # The search does not know whose Secret a reference means.
        if not values.isdisjoint((None, reading.value)) or (values and reading.value is None):
            return True
    return False


# Why a value that no target owns leaves its object -> the sentence about it.
_FAULTS = {
    Why.LEFT_BEHIND: "`{name}` seems to be of an earlier run, and no run changes it: {advice}",
    Why.STILL_HOLD: "sets `{name}`, and is to have no proxy: {advice}",
    Why.OTHER_PROXY: "sets `{name}` to another proxy than this ProxyConfig says: {advice}",
}


def _judge(
    record: ObjectRecord, config: ProxyConfig, urls: Sequence[str], ours: Collection[str]
) -> None:
    """Note in a record a finding for each place with a wrong proxy among those that no target owns."""
    obj = record.obj
    right = _right_urls(record, urls, config)
    is_left_out = record.is_left_out or _is_switched_off(obj, config)
    is_refused = choice.is_refused(obj.data)
    by_place: dict[str, list[Reading]] = {}
    for reading in record.others:
        by_place.setdefault(reading.place, []).append(reading)
    findings = []
    for readings in by_place.values():
        pairs = read_pairs(readings) if obj.group_kind in _CHOSEN_KINDS else {}
        is_of_run = "NO_PROXY" in pairs and len(pairs) > 1
        for reading in readings:
            if reading.is_list or not reading.text or is_template(reading.text):
                continue
            is_ours = is_of_run or reading.text in ours
            why = Why.LEFT_BEHIND
            advice = ""
            if is_left_out or is_refused:  # whoever does so may mean somebody's own proxy
                if not is_ours or (is_left_out and any(urls)):
                    continue
                advice = "remove the variables, or let this ProxyConfig have the object"
                if is_refused:
                    advice = (
                        "an annotation refuses the proxy: remove the variables, or the annotation"
                    )
            elif not any(urls):
                why = Why.STILL_HOLD
            elif reading.text.rstrip("/") not in right:
                why = Why.OTHER_PROXY
            elif is_of_run:
                advice = "choose it again, or remove the variables"
            else:
                continue
            sentence = _FAULTS[why]
            if why is Why.STILL_HOLD and config.is_removal:
                sentence = "still sets `{name}`: {advice}"
            message = sentence.format(
                name=reading.member or reading.variable,
                advice=advice or _advice(record, reading, config),
            )
            is_behind = why is Why.LEFT_BEHIND or (why is Why.STILL_HOLD and is_ours)
            code = "LeftBehind" if is_behind else "OtherProxy"
            # The default of a custom resource is an example of its author.
            is_info = code == "OtherProxy" and obj.ref.kind == _CUSTOM_RESOURCE
            findings.append(Result(code, message, reading.path, is_info=is_info, ref=obj.ref))
            record.reason = record.reason or Reason(why)
            break  # one finding for a place
    record.findings = findings


def _right_urls(record: ObjectRecord, urls: Sequence[str], config: ProxyConfig) -> set[str]:
    """Return the URLs that may stand in an object, which gets these."""
    right = set(urls)
    if any(urls) and record.obj.group_kind == CLUSTER_CLASS:  # a patch is for some of its nodes
        right |= config.proxy_urls
    for target_record in record.targets:
        right |= target_record.proxy_urls
    return with_and_without_credentials(right)


def _advice(record: ObjectRecord, reading: Reading, config: ProxyConfig) -> str:
    """Return how a person sees to it that a place of an object gets the right proxy, or loses it."""
    obj = record.obj
    field = _field(reading.path)
    for target_record in record.targets:
        if target_record.target_id in ("workloads", "charts") and target_record.after:
            # To choose it again would change nothing.
            advice = f"take it out of `{field}`"
            if target_record.target_id == "charts":
                written = _field(target_record.after[0].path)
                loser = "the variables there" if written == field else f"`{written}`"
                return f"{advice}, where it wins over {loser}"
            return f"{advice}, or let `spec.targets.workloads.containers` fit its container"
    annotation = f'the annotation `{choice.ANNOTATION}: "true"`; "false" leaves it as it is'
    if obj.group_kind in POD_KINDS and config.targets.is_on("workloads"):
        return f"choose the workload in `spec.targets.workloads`, or by {annotation}"
    if any(charts_in(obj)) and config.targets.is_on("charts"):
        if "parameters" in reading.path:
            return "take the parameter out, which wins over the values that a run writes"
        return f"choose the chart in `spec.targets.charts`, or by {annotation}"
    system = system_of(*obj.group_kind)
    if system is not None and system.waits:
        return f"set `spec.targets.{system.target}` to true"
    return _IN_FILES if obj.group_kind in NODE_KINDS else _UNWRITTEN


def _field(path: Pointer) -> str:
    """Return the field that holds a variable, or the list or mapping with it: `spec.values.server.env`."""
    *above, last = path
    if above and (last in ("value", "valueFrom") or last.isdigit()):
        return _field(tuple(above))
    return ".".join(path)


def _is_switched_off(obj: Object, config: ProxyConfig) -> bool:
    """Return whether a target that the user disabled writes the proxy of an object."""
    for name in config.targets.off:
        if obj.group_kind in ROWS[name].kinds:
            target = load_target(name)
            options = target.options(config.targets)
            if any(target.read(obj.data, options)):
                return True
    return False


def stale_files(files: Mapping[str, bytes], config: ProxyConfig) -> Results:
    """Yield a finding for each file without objects, such as a patch, that sets another proxy than the ProxyConfig.

    It is a warning where something that a run writes reads the file.
    """
    right = with_and_without_credentials(config.proxy_urls)
    if config.is_removal:
        right = set()
    elif not right:
        return
    for name, content in files.items():
        # A patch of the ProxyConfig, in an overlay, sets another proxy on purpose.
        if len(content) > _LARGEST_FILE or KIND.encode() in content:
            continue
        text = content.decode(errors="replace")
        for variable, url in urls_in_text(text):
            if url not in right:
                state = "still sets" if config.is_removal else "sets another proxy in"
                message = f"{state} `{variable}`: this file holds no objects that a run writes: change it yourself"
                is_info = not re.search(_READ, text)
                yield Result("OtherProxy", message, is_info=is_info, ref=ObjectRef(file_path=name))
                break
