"""Matchers of the ProxyConfig that fit nothing, and annotations whose names say nothing: somebody misspelt them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from krm_fn.config import OverrideSubject, ProxyConfig, Selector
from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple, Texts
from krm_fn.near_names import nearest
from krm_fn.patch import list_at, lookup
from krm_fn.places import choice
from krm_fn.places.charts import charts_of
from krm_fn.places.containers import pod_spec
from krm_fn.plan import ObjectSource, Overview, PlannedEdit, selection
from krm_fn.target_table import system_of

_PREFIX = "fn.inject-proxy.io"
_ANNOTATIONS = ("proxy", "ignore", "trusted-ca", "base-name")
_CHOOSING = (("workloads", "choose"), ("workloads", "trustedCA", "choose"), ("charts", "choose"))
"""Where below `spec.targets` matchers choose objects."""
_WITH_NAMES = ("names", "charts", "repositories", "namespaces", "kinds", "labels", "annotations")
"""Members of a matcher, the ones that fit the fewest objects first."""


class _Choice(NamedTuple):
    """A matcher of objects.

    Attributes:
        field: the field that holds it.
        written: the matcher as it is written.
        fits: whether it fits an object.
        is_asked: the list holds objects that it is about.
    """

    field: str
    written: Mapping[str, Any]
    fits: Callable[[Object], bool]
    is_asked: bool

    @property
    def words(self) -> Texts:
        """Words of which one is in the text of every object that fits; none where globs alone say what fits.

        Of `{names: ["web-*", api]}` these are `web-` and `api`.
        """
        for member in _WITH_NAMES:
            globs = self.written.get(member)
            if globs:
                words = [max(re.split(r"[*?\[\]!]+", glob), key=len) for glob in globs]
                return tuple(words) if all(words) else ()
        return ()


def unused_matchers(
    config: ProxyConfig, planned: Sequence[PlannedEdit], overview: Overview, source: ObjectSource
) -> Iterator[Result]:
    """Yield a warning for each matcher of objects that fits none of a list.

    Args:
        config: the checked ProxyConfig.
        planned: what targets would edit; most matchers fit one of these objects.
        overview: what the plan has seen besides, such as the sources of charts.
        source: the objects of the list, which are read only for what fits none of these.
    """
    objects = list({place.location: place.obj for place in planned}.values())
    for matcher in _choices(config, planned, overview):
        if not (matcher.is_asked and matcher.words) or any(map(matcher.fits, objects)):
            continue
        others = _readable(source, source.holding(matcher.words))
        if not any(map(matcher.fits, others)):
            message = f"`{matcher.field}` fits nothing in this list: correct it, or remove it"
            yield Result.of("SettingUnused", message)


def _choices(
    config: ProxyConfig, planned: Sequence[PlannedEdit], overview: Overview
) -> Iterator[_Choice]:
    """Yield the matchers of `spec.selector` and `spec.targets`."""
    # Where `include` as a whole fits nothing, one line says so.
    is_asked = {"include": overview.selected > 0, "exclude": overview.candidates > 0}
    for part, matchers in config.selector._asdict().items():
        for number, matcher in enumerate(matchers):
            fits = partial(_fits_selector, Selector(include=(matcher,)))
            field = f"spec.selector.{part}[{number}]"
            yield _Choice(field, matcher._asdict(), fits, is_asked[part])
    systems = {system_of(place.target_id) for place in planned}
    for path in _CHOOSING:
        for number, written in enumerate(list_at(config.targets.systems, path)):
            fits = partial(_fits_workload, written)
            if path[0] == "charts":
                fits = partial(_fits_chart, written, overview)
            field = f"spec.targets.{'.'.join(path)}[{number}]"
            yield _Choice(field, written, fits, path[0] in systems)


def _fits_selector(selector: Selector, obj: Object) -> bool:
    return selection.fits(obj, selector)


def _fits_workload(written: Mapping[str, Any], obj: Object) -> bool:
    return choice.fits_object(written, obj.data, pod_spec(obj.data) or ())


def _fits_chart(written: Mapping[str, Any], overview: Overview, obj: Object) -> bool:
    sources = overview.uses.seen_from(obj.ref.file_path).chart_sources
    return any(choice.fits_chart(written, obj.data, use) for use in charts_of(obj.data, sources))


def unused_overrides(config: ProxyConfig, subjects: Iterable[OverrideSubject]) -> Iterator[Result]:
    """Yield a finding for each override that fits none of the places.

    It may be meant: a table of regions serves many lists. It is a warning where there are Clusters, and none of them
    has its labels, with whatever value, or it names Clusters and none of all overrides fits.
    """
    distinct = set(subjects)
    if not distinct:
        return
    unused = []
    for number, override in enumerate(config.overrides):
        if not any(map(override.match.fits, distinct)):
            unused.append((number, override.match))
    labels = [subject.labels for subject in distinct if subject.cluster is not None]
    for number, match in unused:
        is_none_used = len(unused) == len(config.overrides)
        names_clusters = match.clusters or match.namespaces or match.labels
        is_mistake = bool(labels and is_none_used and names_clusters)
        if labels and match.labels:
            known = [of_cluster for of_cluster in labels if of_cluster.keys() >= match.labels.keys()]
            is_mistake = is_mistake or not known
        advice = ": correct it, or remove the entry" if is_mistake else ""
        message = f"`spec.overrides[{number}].match` fits nothing in this list{advice}"
        yield Result.of("SettingUnused", message, is_info=not is_mistake)


def unknown_annotations(planned: Iterable[PlannedEdit], source: ObjectSource) -> Iterator[Result]:
    """Yield a warning for each object with an annotation of ours that has no meaning."""
    objects = {place.location: place.obj for place in planned}
    read = {index for index, _, _ in objects}
    unread = [index for index in source.holding((f"{_PREFIX}/",)) if index not in read]
    for obj in (*objects.values(), *_readable(source, unread)):
        at = pod_spec(obj.data) or ("spec",)
        for above in dict.fromkeys(((), at[:-1])):
            path = (*above, "metadata", "annotations")
            annotations = lookup(obj.data, path)
            for name in annotations if isinstance(annotations, dict) else ():
                prefix, _, meant = str(name).partition("/")
                if prefix == _PREFIX and meant not in _ANNOTATIONS:
                    near = nearest(meant, _ANNOTATIONS)
                    advice = f"; did you mean `{prefix}/{near}`?" if near else ": remove it"
                    message = f"no annotation of inject-proxy has this name{advice}"
                    yield Result.of("SettingUnused", message, (*path, name)).about(obj.ref)


def _readable(source: ObjectSource, indexes: Iterable[int]) -> Iterator[Object]:
    """Yield the objects of some items, without those of items that cannot be read."""
    for index in indexes:
        with suppress(InputError):  # who needs the item says that it cannot be read
            yield from source.objects(index)
