"""One object as one target sees it, judged: what `lint` and a run have in common.

Which objects are looked at is the caller's to say, and the two differ there:

    manifests        all objects and all targets, also those that are switched off: nothing is known of what was wanted
    after_injection  the objects and targets of a run: the values that it wrote are judged once, for the FunctionConfig
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from krm_fn.carriers.reading import Reading
from krm_fn.clusters import Membership
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.lint.levels import Rules
from krm_fn.lint.objects import Listing, WrittenFile, lint_object, lint_provider
from krm_fn.noproxy import Audience
from krm_fn.settings import Resolved, provider_files
from krm_fn.targets import TARGETS, Writes


class SeenObject(NamedTuple):
    """One object as one target sees it; ``target`` is "" for containers that no target knows."""

    obj: Object
    target: str
    readings: tuple[Reading, ...]
    listing: Listing
    memberships: tuple[Membership, ...]

    @property
    def clusters(self) -> dict[tuple[str, str], None]:
        """The name and the file of each of its Clusters, once."""
        found: dict[tuple[str, str], None] = {}
        for one in self.memberships:
            name = f"{one.cluster.namespace}/{one.cluster.name}".lstrip("/")
            found[name, one.cluster.ref.file_path] = None
        return found


def listing_of(obj: Object, audience: Audience, resolved: Resolved) -> Listing:
    """Return how the lists of an object are judged."""
    in_secret = obj.group_kind == ("", "Secret")
    return Listing(audience, resolved.networks, resolved.policy.max_length, in_secret=in_secret)


def judged(
    seen: SeenObject,
    rules: Rules,
    readings: Sequence[Reading],
    settled: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Result]:
    """Yield the problems of an object.

    Args:
        seen: the object; whether its places are in files that others write is asked of all that was read in it.
        rules: which rules speak, and how loud.
        readings: those of which the values are judged.
        settled: name -> value of what is judged elsewhere.
    """
    target = TARGETS.get(seen.target)
    names_are_chosen = target is not None and target.writes is Writes.VALUES
    for finding in lint_object(
        readings, seen.listing, rules=rules, settled=settled, names_are_chosen=names_are_chosen
    ):
        yield finding.about(seen.obj.ref, seen.target)
    files = [WrittenFile(path, writer) for path, writer in provider_files(seen.memberships)]
    for finding in lint_provider(seen.readings, files, rules):
        yield finding.about(seen.obj.ref, seen.target)
