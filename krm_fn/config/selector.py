"""Which objects, and which Clusters, the user means: AND inside a matcher, OR between matchers and between globs."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from types import MappingProxyType

from krm_fn.light_typing import Any, NamedTuple
from krm_fn.target_table import system_of

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def with_tuples(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a mapping, each list as a tuple."""
    members = dict(written)
    for key, value in written.items():
        if isinstance(value, list):
            members[key] = tuple(value)
    return members


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
        return all(map(_fits, self, (name, namespace, kind, labels, annotations)))


class Selector(NamedTuple):
    """Which objects may be changed."""

    include: tuple[Matcher, ...] = ()
    exclude: tuple[Matcher, ...] = ()

    def selects(self, **identity: Any) -> bool:
        """Return whether ``include`` is empty or matches, and no matcher of ``exclude`` does; see ``Matcher.fits``."""
        for matcher in self.exclude:
            if matcher.fits(**identity):
                return False
        if not self.include:
            return True
        return any(matcher.fits(**identity) for matcher in self.include)


class IgnoredPlace(NamedTuple):
    """Fits a finding of one of the ``rules``; a glob of ``paths`` may fit the end of a path."""

    rules: tuple[str, ...]
    paths: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def fits(self, *, path: str, kind: str, name: str) -> bool:
        """Return whether the place of a finding, its object and the path of its file, matches."""
        if not _fits(self.kinds, kind):
            return False
        if not _fits(self.names, name):
            return False
        below = [f"*/{glob}" for glob in self.paths]
        return _fits((*self.paths, *below), path)


class OverrideSubject(NamedTuple):
    """A place in which a target writes a proxy, as the ``match`` of an override sees it, in the same order.

    Attributes:
        cluster: the name of the Cluster; None for an object that belongs to no known one.
        namespace: that of the Cluster.
        labels: those of the Cluster.
        role: "ControlPlane", "Worker" or "".
        groups: every name of the worker group.
        target: the ID of the target.
        name: that of the object.
    """

    cluster: str | None = None
    namespace: str = ""
    labels: Mapping[str, Any] = _NOTHING
    role: str = ""
    groups: tuple[str, ...] = ()
    target: str = ""
    name: str = ""

    def __hash__(self) -> int:
        """Hash all but the labels, which are a mapping and have no hash."""
        of_cluster = (self.cluster, self.namespace, self.role, self.groups)
        return hash((*of_cluster, self.target, self.name))


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
        if place.cluster is None and any(self[:5]):
            return False
        names = (place.target, system_of(place.target))
        return all(map(_fits, self, (*place[:5], names, place.name)))


def _fits(globs: Any, values: Any) -> bool:
    """Return whether there are no globs, or one fits a text of the values; of mappings, each glob its member."""
    if not globs:
        return True
    if isinstance(globs, Mapping):
        return all(_fits((glob,), values.get(key)) for key, glob in globs.items())
    if not isinstance(values, tuple):
        values = (values,)
    for text in values:
        if not isinstance(text, str):
            continue
        for glob in globs:
            if fnmatch.fnmatchcase(text, glob):
                return True
    return False
