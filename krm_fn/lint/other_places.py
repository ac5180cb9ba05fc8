"""The proxies that objects hold in places which no target owns, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.clusters.kinds import CLUSTER_CLASS
from krm_fn.clusters.model import Memberships
from krm_fn.config import KIND, Mode, ProxyConfig
from krm_fn.formats import sops
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.compared import Compared, is_change
from krm_fn.patch import Pointer
from krm_fn.placeholders import is_template
from krm_fn.places import choice
from krm_fn.places.charts import charts_in
from krm_fn.places.containers import pod_spec
from krm_fn.places.provided import DataUses
from krm_fn.places.proxy_search import proxies_in, urls_in_text
from krm_fn.places.reading import Reading
from krm_fn.plan.selection import is_enabled
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.systems import known_system
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.proxy_url import with_and_without_credentials
from krm_fn.settings import PROXY_VARIABLES, declared_urls
from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS

_READ_BY_THEIR_TARGET = (
    "kyverno.io",
    "policies.kyverno.io",
    "mutations.gatekeeper.sh",
    "fn.inject-proxy.io",
)
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
_LARGEST_FILE = 200_000
"""Bytes of a file that a person writes."""
_IN_FILES = "change it yourself, or let `spec.targets.nodes.files` write files of login shells, apt, zypper and docker"
_UNWRITTEN = "no target writes this place: change it yourself, or leave the object out with `spec.selector.exclude`"


def other_readings(obj: Object, places: Sequence[Compared], uses: DataUses) -> tuple[Reading, ...]:
    """Return the variables of a proxy in an object that no target owns.

    Args:
        obj: the object.
        places: what each target sees in it.
        uses: the ConfigMaps and Secrets that others read, and the sources of charts.
    """
    if obj.group_kind[0] in _READ_BY_THEIR_TARGET or sops.is_encrypted(obj.data):
        return ()
    system = known_system(*obj.group_kind)
    fields: list[Pointer] = [*system.urls] if system else []
    for below, root in charts_in(obj, uses.seen_from(obj.ref.file_path).chart_sources):
        values = (*root, "valuesObject") if root[-1:] == ("helm",) else root
        fields += [(*values, *path) for path in below]
    is_of_nodes = obj.group_kind in OF_NODES or (system is not None and system.has_nodes)
    reads_texts = is_of_nodes or obj.ref.kind in _WITH_TEXTS
    owned = _owned_values(places)
    readings = proxies_in(obj, fields, reads_texts=reads_texts)
    return tuple(reading for reading in readings if not _is_owned(reading, owned))


def _owned_values(places: Sequence[Compared]) -> Mapping[Pointer, set[str | None]]:
    """Return each path that a target reads or has reported -> the values there, None for any."""
    owned: dict[Pointer, set[str | None]] = {}
    for place in places:
        for result in place.results:
            if not is_change(result):
                owned.setdefault(result.path, set()).add(None)
        for reading in (*place.before, *place.place.readings()):
            owned.setdefault(reading.path, set()).add(reading.value)
    owned.pop((), None)
    return owned


def _is_owned(reading: Reading, owned: Mapping[Pointer, set[str | None]]) -> bool:
    """Return whether a target reads a value: where it is, or in the text that holds it beside others."""
    for length in range(1, len(reading.path) + 1):
        values = owned.get(reading.path[:length], ())
        if None in values or reading.value in values:
            return True
    return False


class WrongProxy(NamedTuple):
    """A finding about a proxy that no target owns, and why its object is left, as a sentence about several."""

    result: Result
    why_left: str


class OtherProxies:
    """Says what is wrong with the proxies that no target owns.

    Args:
        wanted: the checked ProxyConfig.
    """

    def __init__(self, wanted: ProxyConfig) -> None:
        self._wanted = wanted
        self._is_removal = wanted.mode is Mode.REMOVE
        self._ours = with_and_without_credentials(wanted.proxy_urls)

    def wrong(
        self,
        obj: Object,
        memberships: Memberships,
        places: Sequence[Compared],
        readings: Sequence[Reading],
    ) -> WrongProxy | None:
        """Return what is wrong with the first wrong proxy of an object; None where none is wrong."""
        urls = declared_urls(self._wanted, memberships, target="", name=obj.base_name)
        if urls is None:
            return None
        is_refused = choice.is_refused(obj.data, pod_spec(obj.data) or ("spec",))
        right = set(urls)
        if any(urls) and obj.group_kind == CLUSTER_CLASS:  # a patch is for some of its nodes
            right |= self._wanted.proxy_urls
        for place in places:
            right |= place.place.proxy_urls
        right = with_and_without_credentials(right)
        for reading in readings:
            if reading.is_list or not reading.text or is_template(reading.text):
                continue
            is_right = reading.text.rstrip("/") in right
            if is_refused:  # an annotation may say so of somebody's own proxy
                is_left_behind = reading.text in self._ours or _is_of_run(reading, readings)
            else:
                is_left_behind = is_right and _is_of_run(reading, readings)
            if is_left_behind and self._is_unchosen(obj, is_refused=is_refused):
                return _left_behind(obj, reading, is_refused=is_refused)
            if not (is_right or is_refused or self._is_switched_off(obj)):
                return self._another(obj, reading, has_proxy=any(urls))
        return None

    def _another(self, obj: Object, reading: Reading, *, has_proxy: bool) -> WrongProxy:
        """Return what is wrong with a proxy that is not the declared one, or where none is declared."""
        name = f"`{reading.member or reading.variable}`"
        advice = self._advice(obj, has_proxy=has_proxy)
        message, why = f"sets {name} to another proxy than this ProxyConfig says", "they set another proxy"
        if self._is_removal:
            message, why = f"still sets {name}", "they still hold a proxy"
        elif not has_proxy:
            message, why = f"sets {name}, and is to have no proxy", "they set a proxy and are to have none"
        result = Result.of("OtherProxy", f"{message}: {advice}", reading.path)
        return WrongProxy(result.about(obj.ref), f"{why}: {advice}")

    def _is_unchosen(self, obj: Object, *, is_refused: bool) -> bool:
        """Return whether a target would write an object if somebody chose it."""
        is_workload = obj.group_kind in POD_KINDS and is_enabled("workloads", self._wanted)
        return is_workload or (is_refused and not self._is_switched_off(obj))

    def _advice(self, obj: Object, *, has_proxy: bool) -> str:
        """Return what a person can do so that a place of an object gets its proxy, or loses it."""
        annotation = f'the annotation `{choice.ANNOTATION}: "true"`; "false" leaves it as it is'
        purpose = "" if has_proxy or self._is_removal else "remove it yourself, or "
        if obj.group_kind in POD_KINDS and is_enabled("workloads", self._wanted):
            return f"{purpose}choose the workload in `spec.targets.workloads`, or by {annotation}"
        if any(True for _ in charts_in(obj)) and is_enabled("charts", self._wanted):
            return f"{purpose}choose the chart in `spec.targets.charts`, or by {annotation}"
        system = known_system(*obj.group_kind)
        if system is not None and system.waits:
            return f"set `spec.targets.{system.target}` to true"
        if obj.group_kind in NODE_KINDS:
            return _IN_FILES
        return _UNWRITTEN

    def _is_switched_off(self, obj: Object) -> bool:
        """Return whether a target that the user disabled writes the proxy of an object."""
        for name, row in ROWS.items():
            if is_enabled(name, self._wanted) or obj.group_kind not in row.kinds:
                continue
            target = TARGETS[name]
            if any(True for _ in target.read(obj.data, target.options(self._wanted.targets))):
                return True
        return False


def _left_behind(obj: Object, reading: Reading, *, is_refused: bool) -> WrongProxy:
    """Return that an object that somebody no longer chooses, or that refuses the proxy, holds that of an earlier run."""
    name = reading.member or reading.variable
    advice = "choose it again, or remove the variables"
    if is_refused:
        advice = "an annotation refuses the proxy: remove the variables, or the annotation"
    why = f"hold the proxy of an earlier run, which no run changes: {advice}"
    message = f"seems to {why} (`{name}`)"
    result = Result.of("LeftBehind", message, reading.path)
    return WrongProxy(result.about(obj.ref), f"they {why}")


def _is_of_run(reading: Reading, readings: Sequence[Reading]) -> bool:
    """Return whether one place holds all six variables, in pairs of one value, as a run writes them."""
    values = {}
    for other in readings:
        if other.place == reading.place and other.text:
            values[other.variable] = other.text
    if len(values) < len(PROXY_VARIABLES):
        return False
    return all(values[name] == values[name.swapcase()] for name in values)


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
        for variable, url in urls_in_text(content.decode(errors="replace")):
            if url not in right:
                state = "still sets" if wanted.mode is Mode.REMOVE else "sets another proxy in"
                message = f"{state} `{variable}`: this file holds no objects that a run writes: change it yourself"
                yield Result.of("OtherProxy", message).about(ObjectRef(file_path=name))
                break
