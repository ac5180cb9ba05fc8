"""Which objects, and which Clusters, the user means.

An object or a Cluster is its identity here, a few plain values; nothing is looked up in it.

Convention: AND inside a matcher, OR between matchers, as in the selectors of kpt; the values are globs.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from krm_fn.light_typing import Any, NamedTuple


class Matcher(NamedTuple):
    """Fits an object when every field that is given fits; of several globs in one field, one must."""

    names: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    labels: Mapping[str, str] = MappingProxyType({})
    annotations: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Matcher:
        """Return the matcher of a valid FunctionConfig."""
        lists = {key: tuple(written.get(key, ())) for key in ("names", "namespaces", "kinds")}
        return cls(
            **lists, labels=written.get("labels", {}), annotations=written.get("annotations", {})
        )

    def fits(
        self,
        *,
        kind: str,
        name: str,
        namespace: str,
        labels: Mapping[str, Any],
        annotations: Mapping[str, Any],
    ) -> bool:
        """Return whether an object with this identity matches.

        A label or annotation that is no string matches nothing.
        """
        pairs = ((self.names, name), (self.namespaces, namespace), (self.kinds, kind))
        return (
            all(not globs or _is_one_of(text, globs) for globs, text in pairs)
            and _has_all(labels, self.labels)
            and _has_all(annotations, self.annotations)
        )


class Selector(NamedTuple):
    """Which objects may be changed."""

    include: tuple[Matcher, ...] = ()
    exclude: tuple[Matcher, ...] = ()

    def selects(
        self,
        *,
        kind: str,
        name: str = "",
        namespace: str = "",
        labels: Mapping[str, Any] | None = None,
        annotations: Mapping[str, Any] | None = None,
    ) -> bool:
        """Return whether ``include`` is empty or matches, and no matcher of ``exclude`` does."""

        def fits(matcher: Matcher) -> bool:
            return matcher.fits(
                kind=kind,
                name=name,
                namespace=namespace,
                labels=labels or {},
                annotations=annotations or {},
            )

        return (not self.include or any(map(fits, self.include))) and not any(
            map(fits, self.exclude)
        )


class IgnoredPlace(NamedTuple):
    """Fits a finding of one of the ``rules`` when every other field that is given fits; see ``Matcher``.

    A path also fits where it ends, behind any folder, with what a glob of ``paths`` fits.
    """

    rules: tuple[str, ...]
    paths: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def fits(self, *, path: str, kind: str, name: str) -> bool:
        """Return whether the place of a finding, the identity of its object and the path of its file, matches."""
        globs = [form for glob in self.paths for form in (glob, f"*/{glob}")]
        pairs = ((globs, path), (self.kinds, kind), (self.names, name))
        return all(not wanted or _is_one_of(text, wanted) for wanted, text in pairs)


class OverrideSubject(NamedTuple):
    """Where a target writes a proxy: what the ``match`` of an override is compared with.

    Attributes:
        target: the ID of the target.
        cluster: the name of the Cluster; None for an object that belongs to no known one.
        namespace: that of the Cluster.
        labels: those of the Cluster.
        role: "ControlPlane", "Worker" or "".
        groups: every name of the worker group.
        name: that of the object; "" where no override asks for it.
        rule: that of a rule in a Kyverno policy; "" where no override asks for it.
    """

    target: str
    cluster: str | None = None
    namespace: str = ""
    labels: Mapping[str, Any] = MappingProxyType({})
    role: str = ""
    groups: tuple[str, ...] = ()
    name: str = ""
    rule: str = ""

    def __hash__(self) -> int:
        """Hash all but the labels, which are a mapping and have no hash."""
        of_cluster = (self.cluster, self.namespace, self.role, self.groups)
        return hash((self.target, *of_cluster, self.name, self.rule))


class ClusterMatcher(NamedTuple):
    """Fits a place when every field that is given fits.

    Without a Cluster, only ``targets``, ``objects`` and ``rules`` can fit.
    """

    clusters: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    labels: Mapping[str, str] = MappingProxyType({})
    roles: tuple[str, ...] = ()
    worker_groups: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    def fits(self, place: OverrideSubject) -> bool:
        """Return whether the place matches; a Cluster without a namespace has the empty one."""
        if self.targets and place.target not in self.targets:
            return False
        if self.objects and not _is_one_of(place.name, self.objects):
            return False
        if self.rules and not (place.rule and _is_one_of(place.rule, self.rules)):
            return False  # what is no rule has no name, which "*" would fit
        if place.cluster is None:
            return not (
                self.clusters or self.namespaces or self.labels or self.roles or self.worker_groups
            )
        return (
            (not self.clusters or _is_one_of(place.cluster, self.clusters))
            and (not self.namespaces or _is_one_of(place.namespace, self.namespaces))
            and (not self.roles or place.role in self.roles)
            and (
                not self.worker_groups
                or any(_is_one_of(group, self.worker_groups) for group in place.groups)
            )
            and _has_all(place.labels, self.labels)
        )


def _is_one_of(text: str, globs: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(text, glob) for glob in globs)


def _has_all(has: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return all(
        isinstance(text := has.get(key), str) and fnmatch.fnmatchcase(text, glob)
        for key, glob in wanted.items()
    )
