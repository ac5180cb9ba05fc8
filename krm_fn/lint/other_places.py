"""Places that no target reads, and the proxies that they hold.

A name says what is a proxy: a variable in a list or a mapping, a member such as ``httpProxy``, ``NAME=value`` in a text.
Where no name does, a row of ``products.systems`` leads to it.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.clusters.kinds import CLUSTER_CLASS
from krm_fn.clusters.model import Memberships
from krm_fn.config import KIND, Mode, ProxyConfig
from krm_fn.formats import embedded, sops
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import Any
from krm_fn.lint.compared import Compared, by_object, is_change, unread_place
from krm_fn.lint.nodes_without import nodes_without_proxy
from krm_fn.patch import Pointer, lookup, walk
from krm_fn.placeholders import is_template
from krm_fn.places import choice
from krm_fn.places.charts import charts_in
from krm_fn.places.containers import pod_spec
from krm_fn.places.reading import Reading
from krm_fn.plan import Overview
from krm_fn.plan.selection import is_enabled
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.systems import known_system
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.proxy_url import split_url, with_and_without_credentials
from krm_fn.settings import declared_urls
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS

_READ_BY_THEIR_TARGET = (
    "kyverno.io",
    "policies.kyverno.io",
    "mutations.gatekeeper.sh",
    "fn.inject-proxy.io",
)
_NAME = re.compile(r"(?i)(?:tkg_)?https?[_-]?proxy")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s]+")
_IN_TEXT = re.compile(
    r"(?im)^[^#\n]*?\b(?:tkg_)?(https?_?proxy)[\"']?(?:[ \t]?[=:][ \t]?|[\s,]+value:[ \t]?)"
    r"[\"']?([a-z][a-z0-9+.-]*://(?:\{\{[^{}\n]*\}\}|[^\s\"',\\])+)"
)
"""A variable and its URL in a text, outside of comments: `NAME=URL`, `NAME: URL`, or `name: NAME` and `value: URL`."""
_SHELL = ";&|)`"
"""What ends a word of a shell."""
_WITH_TEXTS = frozenset(
    [
        "Application",
        "ApplicationSet",
        "HelmChart",
        "HelmChartConfig",
        "HelmRelease",
        "Kustomization",
        "FluxInstance",
        "AWX",
        "HelmChartProxy",
        "ClusterProfile",
        "Profile",
    ]
)
"""Kinds whose texts are values of charts, patches or lists of variables."""
OF_NODES = frozenset({*NODE_KINDS, CLUSTER_CLASS})
"""Those whose texts are files and commands of nodes."""
_Charts = Sequence[tuple[Sequence[Pointer], Pointer]]
"""Where the known charts that an object installs keep URLs, and the paths of their values."""
_LARGEST_FILE = 200_000
"""Bytes of a file that a person writes."""


def other_places(
    overview: Overview, compared: Sequence[Compared], wanted: ProxyConfig
) -> Iterator[Compared]:
    """Yield what nobody writes: another proxy in a place that no target reads, and nodes without a proxy.

    Args:
        overview: what the plan has seen besides its places.
        compared: the records of the places of targets.
        wanted: the checked ProxyConfig.
    """
    known = by_object(compared)
    others: list[Compared] = []
    for obj, memberships in overview.naming:
        records = known.get((obj.ref, obj.path), [])
        others += unread_places(obj, memberships, records, wanted, overview)
    yield from others
    if wanted.mode is not Mode.REMOVE:
        stale = {record.obj.ref for record in others if record.after}
        yield from nodes_without_proxy(overview, compared, wanted, stale)


def stale_files(files: Mapping[str, bytes], wanted: ProxyConfig) -> Iterator[Result]:
    """Yield a warning for each file without objects, such as a patch, that sets another proxy than the ProxyConfig."""
    right = with_and_without_credentials(wanted.proxy_urls)
    if wanted.mode is Mode.REMOVE:
        right = set()
    elif not right:
        return
    for name, content in files.items():
        # A patch of the ProxyConfig, in an overlay, sets another proxy on purpose.
        if len(content) > _LARGEST_FILE or KIND.encode() in content:
            continue
        for match in _IN_TEXT.finditer(content.decode(errors="replace")):
            if match[2] not in right:
                advice = "this file holds no objects that a run writes: change it yourself"
                message = _message(match[1], wanted, advice)
                yield Result.of("OtherProxy", message).about(ObjectRef(file_path=name))
                break


# proxies in objects


def unread_places(
    obj: Object,
    memberships: Memberships,
    compared: Sequence[Compared],
    wanted: ProxyConfig,
    overview: Overview,
) -> Iterator[Compared]:
    """Yield the first other proxy of an object that no target reads, or the known place in which one is missing."""
    if obj.group_kind[0] in _READ_BY_THEIR_TARGET or sops.is_encrypted(obj.data):
        return
    urls = declared_urls(wanted, memberships, target="", name=obj.base_name)
    # An annotation of a workload or a chart may say that it gets no proxy.
    if urls is None or choice.is_refused(obj.data, pod_spec(obj.data) or ("spec",)):
        return
    expected = set(urls)
    if any(urls) and obj.group_kind == CLUSTER_CLASS:  # a patch is for some of its nodes
        expected |= wanted.proxy_urls
    for record in compared:
        expected |= record.place.proxy_urls
    right = with_and_without_credentials(expected)
    place = unread_place(obj, memberships, urls)
    uses = overview.uses.seen_from(obj.ref.file_path)
    charts = list(charts_in(obj, uses.chart_sources))
    readings = list(_proxies_in(obj, charts))
    for reading in readings:
        if not reading.text or reading.text in right or is_template(reading.text):
            continue
        if _is_read(reading, compared):
            continue
        if not _is_switched_off(obj, wanted):
            advice = _advice(obj, charts, wanted)
            message = _message(reading.variable, wanted, advice)
            result = Result.of("OtherProxy", message, reading.path).about(obj.ref)
            yield Compared(place, after=(reading,), results=(result,), why_left=advice)
        return
    system = known_system(*obj.group_kind)
    if system is None or not system.is_needed or system.has_nodes:
        return
    if readings or not any(urls):
        return
    if not any(record.place.has_place for record in compared):
        advice = _advice(obj, charts, wanted)
        why = f"{system.name} takes its proxy from {system.place}: {advice}"
        yield Compared(place, why_left=why)


def _proxies_in(obj: Object, charts: _Charts = ()) -> Iterator[Reading]:
    """Yield the proxies that an object of any kind sets, as far as names or known fields show them."""
    rows = list(charts)
    system = known_system(*obj.group_kind)
    if system:
        rows.insert(0, (system.urls, ()))
    for urls, root in rows:
        values = ("valuesObject",) if root[-1:] == ("helm",) else ()
        for below in urls:
            path = (*root, *values, *below)
            value = lookup(obj.data, path)
            if isinstance(value, str):
                yield _reading(below[-1], value, path)
    is_system = system is not None and system.has_nodes
    has_texts = obj.ref.kind in _WITH_TEXTS or obj.group_kind in OF_NODES or is_system
    nodes: Iterable[tuple[Pointer, Any]] = walk(obj.data)
    is_secret = obj.group_kind == ("", "Secret")
    if is_secret:
        texts = embedded.values(obj.data)
        nodes = [(value.path, value.text) for value in texts if not value.problem]
    for path, node in nodes:
        # Base64 hides the words by which an object is found, so a text in it is never one that counts.
        is_plain = not is_secret or path[0] != "data"
        is_file = "".join(path[-1:]).endswith((".toml", ".yaml", ".yml"))
        is_text = has_texts or (is_plain and is_file)
        yield from _in_node(path, node, is_text=is_text)


def _in_node(path: Pointer, node: Any, *, is_text: bool) -> Iterator[Reading]:
    if isinstance(node, dict):
        name = node.get("name")
        value = node.get("value")
        if isinstance(name, str) and isinstance(value, str) and _is_proxy(name, value):
            text = value.replace("$$", "$")
            yield _reading(name, text, (*path, "value"))
    elif isinstance(node, str) and path:
        member = path[-1]
        if _is_proxy(member, node):
            yield _reading(member, node, path)
        elif is_text and member != "description" and ("roxy" in node or "ROXY" in node):
            for match in _IN_TEXT.finditer(node):
                url = match[2].rstrip(_SHELL).replace("%%", "%")
                if "$" not in split_url(url).host:  # a shell fills it in
                    yield _reading(match[1], url, path)


def _is_proxy(name: str, value: str) -> bool:
    """Return whether a member, or a value of `set` in a HelmChart (`proxy.httpProxy`), is the URL of a proxy."""
    member = name.rpartition(".")[2]
    if "roxy" not in name.lower() or not _NAME.fullmatch(member):
        return False
    return _URL.fullmatch(value) is not None or is_template(value)


def _reading(name: str, value: str, path: Pointer) -> Reading:
    return Reading(name, value, path, value, f"`{name}`")


def _is_read(reading: Reading, compared: Sequence[Compared]) -> bool:
    """Return whether a target reads a proxy: where it is, or in the text that holds it beside others."""
    for record in compared:
        for result in record.results:
            if result.path == reading.path and not is_change(result):
                return True
        for other in (*record.before, *record.place.readings()):
            is_there = reading.path[: len(other.path)] == other.path
            if is_there and other.value in (None, reading.value):
                return True
    return False


# what to do


def _advice(obj: Object, charts: _Charts, wanted: ProxyConfig) -> str:
    """Return what a person can do so that a place of an object gets its proxy."""
    annotation = f'the annotation `{choice.ANNOTATION}: "true"`; "false" leaves it as it is'
    if obj.group_kind in POD_KINDS and is_enabled("workloads", wanted):
        return f"choose the workload in `spec.targets.workloads`, or by {annotation}"
    if charts and is_enabled("charts", wanted):
        return f"choose the chart in `spec.targets.charts`, or by {annotation}"
    system = known_system(*obj.group_kind)
    if system is not None and system.waits:
        return f"set `spec.targets.{system.target}` to true"
    return "no target writes this place: change it yourself, or leave the object out with `spec.selector.exclude`"


def _message(name: str, wanted: ProxyConfig, advice: str) -> str:
    if wanted.mode is Mode.REMOVE:
        return f"still sets `{name}`: {advice}"
    return f"sets `{name}` to another proxy than this ProxyConfig says: {advice}"


def _is_switched_off(obj: Object, wanted: ProxyConfig) -> bool:
    """Return whether a target that the user disabled writes the proxy of an object."""
    for name, row in ROWS.items():
        if is_enabled(name, wanted) or obj.group_kind not in row.kinds:
            continue
        target = TARGETS[name]
        if any(True for _ in target.read(obj.data, target.options(wanted.targets))):
            return True
    return False
