"""Which objects, and which Clusters, the user means: AND inside a matcher, OR between matchers and between globs."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from krm_fn.light_typing import Any, NamedTuple

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def with_tuples(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a mapping, each list as a tuple."""
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in written.items()
    }


class Matcher(NamedTuple):
    """Fits an object when every field that is given fits."""

    names: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    labels: Mapping[str, str] = _NOTHING
    annotations: Mapping[str, str] = _NOTHING

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Matcher:
        """Return the matcher of a valid FunctionConfig."""
        fields = with_tuples(written)
        return cls(**{key: value for key, value in fields.items() if key in cls._fields})

    def fits(
        self,
        *,
        kind: str,
        name: str = "",
        namespace: str = "",
        labels: Mapping[str, Any] = _NOTHING,
        annotations: Mapping[str, Any] = _NOTHING,
    ) -> bool:
        """Return whether an object matches; a label or annotation that is no string matches nothing."""
        return (
            _fit(self.names, name)
            and _fit(self.namespaces, namespace)
            and _fit(self.kinds, kind)
            and _has_all(labels, self.labels)
            and _has_all(annotations, self.annotations)
        )


class Selector(NamedTuple):
    """Which objects may be changed."""

    include: tuple[Matcher, ...] = ()
    exclude: tuple[Matcher, ...] = ()

    def selects(self, **identity: Any) -> bool:
        """Return whether ``include`` is empty or matches, and no matcher of ``exclude`` does; see ``Matcher.fits``."""
        if self.include and not any(matcher.fits(**identity) for matcher in self.include):
            return False
        return not any(matcher.fits(**identity) for matcher in self.exclude)


class IgnoredPlace(NamedTuple):
    """Fits a finding of one of the ``rules``; a path also fits where it ends with what a glob of ``paths`` fits."""

    rules: tuple[str, ...]
    paths: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def fits(self, *, path: str, kind: str, name: str) -> bool:
        """Return whether the place of a finding, its object and the path of its file, matches."""
        paths = [form for glob in self.paths for form in (glob, f"*/{glob}")]
        return _fit(paths, path) and _fit(self.kinds, kind) and _fit(self.names, name)


class OverrideSubject(NamedTuple):
    """Where a target writes a proxy: what the ``match`` of an override is compared with.

    Attributes:
        target: the ID of the target.
        cluster: the name of the Cluster; None for an object that belongs to no known one.
        namespace: that of the Cluster.
        labels: those of the Cluster.
        role: "ControlPlane", "Worker" or "".
        groups: every name of the worker group.
        name: that of the object.
    """

    target: str
    cluster: str | None = None
    namespace: str = ""
    labels: Mapping[str, Any] = _NOTHING
    role: str = ""
    groups: tuple[str, ...] = ()
    name: str = ""

    def __hash__(self) -> int:
        """Hash all but the labels, which are a mapping and have no hash."""
        of_cluster = (self.cluster, self.namespace, self.role, self.groups)
        return hash((self.target, *of_cluster, self.name))


class ClusterMatcher(NamedTuple):
    """Fits a place when every field that is given fits; without a Cluster, none of the first five does."""

    clusters: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    labels: Mapping[str, str] = _NOTHING
    roles: tuple[str, ...] = ()
    worker_groups: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()

    def fits(self, place: OverrideSubject) -> bool:
        """Return whether the place matches."""
        of_cluster = (self.clusters, self.namespaces, self.labels, self.roles, self.worker_groups)
        if place.cluster is None and any(of_cluster):
            return False
        return (
            _fit(self.targets, place.target)
            and _fit(self.objects, place.name)
            and _fit(self.clusters, place.cluster or "")
            and _fit(self.namespaces, place.namespace)
            and _fit(self.roles, place.role)
            and _fit(self.worker_groups, *place.groups)
            and _has_all(place.labels, self.labels)
        )


def _fit(globs: Iterable[str], *texts: str) -> bool:
    """Return whether there are no globs, or one of them fits one of the texts."""
    return not globs or any(fnmatch.fnmatchcase(text, glob) for text in texts for glob in globs)


def _has_all(has: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    for key, glob in wanted.items():
        value = has.get(key)
        if not isinstance(value, str) or not fnmatch.fnmatchcase(value, glob):
            return False
    return True
