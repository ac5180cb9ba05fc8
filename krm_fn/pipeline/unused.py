"""Matchers of the ProxyConfig that fit nothing, or name an unreadable document, and annotations that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from krm_fn.config import ProxyConfig, matches, matches_any
from krm_fn.krm.resourcelist import Object, ObjectSource
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.near_names import did_you_mean
from krm_fn.patch import Data, list_at, lookup, walk
from krm_fn.places import choice
from krm_fn.places.containers import pod_spec
from krm_fn.places.installed_charts import charts_of
from krm_fn.places.provided import DataUses
from krm_fn.plan.items import readable_objects
from krm_fn.plan.record import ObjectRecord, Overview
from krm_fn.target_table import ROWS, system_of

_PREFIX = "fn.inject-proxy.io"
_NAMES = {
    "annotations": ("proxy", "ignore", "trusted-ca", "base-name"),
    "labels": ("policy",),  # of policies that a run makes
}
_OTHERWISE = ": use one of the annotations `proxy`, `ignore` and `trusted-ca`, or remove it"
# Where below `spec.targets` matchers choose objects.
_CHOOSING = (("workloads", "choose"), ("workloads", "trustedCA", "choose"), ("charts", "choose"))
# Members of a matcher, the ones that fit the fewest objects first.
_WITH_NAMES = ("names", "charts", "repositories", "namespaces", "kinds", "labels", "annotations")


# A field of a text, YAML or not, that says the name of an object or a chart.
_NAME = r"""(?x)
    \b (?: name | chart ) ["']? [ \t]* : [ \t]*   # `name:`, `"chart": `, `{name:`
    ["']? ([^\s"',}]+)                            # `web`
"""


class ObjectMatcher(NamedTuple):
    """A matcher of objects: the field that holds it, as it is written, and the system for which it chooses, or ""."""

    field: str
    written: Data
    system: str = ""

    @property
    def words(self) -> Texts:
        """Words of which one is in the text of every object that fits; none where a matcher holds globs alone.

        Of `{names: ["web-*", api]}` these are `web-` and `api`.
        """
        for member in _WITH_NAMES:
            globs = self.written.get(member)
            if globs:
                words = [max(re.split(r"[*?\[\]!]+", glob), key=len) for glob in globs]
                return tuple(words) if all(words) else ()
        return ()

    def names(self, kinds: frozenset[str], text: str) -> bool:
        """Return whether it names an object of a document that cannot be read, by kinds or names in its text."""
        if self.system:
            edited = [kind for _, kind in ROWS[self.system].kinds]
            if kinds.isdisjoint(edited):
                return False
        names = tuple(re.findall(_NAME, text))
        document = {"kinds": tuple(kinds), "names": names, "charts": names}
        named = {member: self.written[member] for member in document if self.written.get(member)}
        return bool(named) and matches(named, document)

    def fits(self, obj: Object, uses: DataUses) -> bool:
        """Return whether it fits an object."""
        if self.system != "charts":
            return choice.fits_object(self.written, obj.data, pod_spec(obj.data) or ())
        sources = uses.seen_from(obj.ref.file_path).chart_sources
        charts = charts_of(obj.data, sources)
        return any(choice.fits_chart(self.written, obj.data, use) for use in charts)


def unused_matchers(config: ProxyConfig, overview: Overview, source: ObjectSource) -> Results:
    """Yield a warning for each matcher of objects that fits none of a list, and for a setting that needs another one.

    Args:
        config: the checked ProxyConfig.
        overview: the records, of which most matchers fit one, and the sources of charts.
        source: the objects of the list, which are read only for matchers that fit none of these.
    """
    if config.clear_text and not config.urls_in_secrets:
        message = "`spec.allowClearText` has no effect without `spec.secretRef`: remove it"
        yield Result("SettingUnused", message)
    planned = []
    systems = set()
    for record in overview.records:
        if record.targets:
            planned.append(record.obj)
        for target_record in record.targets:
            systems.add(system_of(target_record.target_id))
    # Where `include` as a whole fits nothing, one line says so.
    numbers = {"include": overview.selected, "exclude": overview.candidates}
    parts = [part for part, number in numbers.items() if number]
    for matcher in _matchers(config, parts):
        if matcher.system and matcher.system not in systems:
            continue  # the ProxyConfig is for other lists, too
        if not matcher.words:
            continue  # globs alone: every object would have to be read
        candidates = chain(planned, readable_objects(source, source.holding(matcher.words)))
        if any(matcher.fits(obj, overview.uses) for obj in candidates):
            continue
        near = _near_value(matcher.written, [obj.subject for obj in planned])
        yield Result(
            "SettingUnused",
            f"`{matcher.field}` fits nothing in this list: correct it, or remove it{near}",
        )


def _near_value(matcher: Data, subjects: Sequence[Data]) -> str:
    """Return the question about a value of a matcher that is like one of the subjects; "" where none is."""
    texts = []
    for path, value in walk(subjects):
        if isinstance(value, str) and "annotations" not in path:
            texts.append(value)
    for _, glob in walk(matcher):
        near = did_you_mean(glob, texts)
        if near and not any(matches_any(text, (glob,)) for text in texts):
            return near
    return ""


def is_named(config: ProxyConfig, source: ObjectSource, index: int) -> bool:
    """Return whether a matcher of the ProxyConfig names a document that cannot be read."""
    kinds = source.kinds[index]
    text = source.text_for_ytt(index)
    return any(matcher.names(kinds, text) for matcher in _matchers(config, ["include"]))


def _matchers(config: ProxyConfig, parts: Iterable[str]) -> Iterator[ObjectMatcher]:
    """Yield the matchers of some parts of `spec.selector`, and those of `spec.targets`."""
    for part in parts:
        for at, matcher in enumerate(getattr(config.selector, part)):
            yield ObjectMatcher(f"spec.selector.{part}[{at}]", matcher)
    yield from choosing_matchers(config)


def choosing_matchers(config: ProxyConfig) -> Iterator[ObjectMatcher]:
    """Yield the matchers of `spec.targets`, which choose objects."""
    for path in _CHOOSING:
        for at, written in enumerate(list_at(config.targets.systems, path)):
            yield ObjectMatcher(f"spec.targets.{'.'.join(path)}[{at}]", written, path[0])


def unused_overrides(config: ProxyConfig, subjects: Sequence[Data]) -> Results:
    """Yield a finding for each override that fits none of the places.

    It may be meant: a table of regions serves many lists. It is a warning where there are Clusters, and none of them
    has its labels, with whatever value, or it names Clusters and none of all overrides fits.
    """
    if not subjects:
        return
    labels = [subject["labels"] for subject in subjects if "labels" in subject]
    unused = {}
    for number, override in enumerate(config.overrides):
        if not any(matches(override.match, subject) for subject in subjects):
            unused[number] = override.match
    is_none_used = len(unused) == len(config.overrides)
    for number, match in unused.items():
        message = f"`spec.overrides[{number}].match` fits nothing in this list"
        names = match.get("labels", {}).keys()
        is_mistake = not any(of_cluster.keys() >= names for of_cluster in labels)
        if is_none_used and not match.keys().isdisjoint(("clusters", "namespaces", "labels")):
            is_mistake = True
        if not labels:
            is_mistake = False
        if is_mistake:
            message += f": correct it, or remove the entry{_near_value(match, subjects)}"
        yield Result("SettingUnused", message, is_info=not is_mistake)


def unknown_annotations(records: Iterable[ObjectRecord], source: ObjectSource) -> Results:
    """Yield a warning for each object with an annotation of ours that has no meaning, or with a label in its place."""
    planned = [record for record in records if record.targets]
    unread = {*source.holding((f"{_PREFIX}/",))}
    unread.difference_update(record.item_index for record in planned)
    read = (record.obj for record in planned)
    for obj in chain(read, readable_objects(source, sorted(unread))):
        at = pod_spec(obj.data) or ("spec",)
        for above in dict.fromkeys(((), at[:-1])):
            for member, known in _NAMES.items():
                path = (*above, "metadata", member)
                written = lookup(obj.data, path)
                if not isinstance(written, dict):
                    continue
                for name, value in written.items():
                    prefix, _, meant = str(name).partition("/")
                    if prefix != _PREFIX:
                        continue
                    if meant == "trusted-ca" and value not in ("true", "false"):
                        message = 'this value says nothing: it must be "true" or "false"'
                    elif meant in known:
                        continue
                    else:
                        near = did_you_mean(meant, known) or _OTHERWISE
                        message = f"{member} of inject-proxy have no such name{near}"
                    yield Result("SettingUnused", message, (*path, name), ref=obj.ref)
