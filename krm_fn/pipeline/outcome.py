"""The outcome of a run: which of its findings a person sees, and in which order; nothing is said twice.

`spec.lint.rules`, `spec.lint.ignore` and the annotation of an object silence warnings and information, and never an
error that says that a change is due or impossible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from krm_fn.config import KIND, ProxyConfig, matches
from krm_fn.krm import results
from krm_fn.krm.codes import OF_VALUES, SILENCEABLE, Severity
from krm_fn.krm.masking import shown_line
from krm_fn.krm.resourcelist import ListChanges, Object, ObjectSource
from krm_fn.krm.results import ObjectRef, Result, Results, is_severe, some
from krm_fn.light_typing import Any, NamedTuple, Texts
from krm_fn.patch import Data, Pointer, lookup
from krm_fn.plan.items import readable_objects
from krm_fn.plan.record import Overview, TargetRecord, edited_targets

ANNOTATION = "fn.inject-proxy.io/ignore"
_PATH: Pointer = ("metadata", "annotations", ANNOTATION)
# The code of a change that a check reports and does not make.
CHANGE_DUE = "ProxyMissing"

# What is the same for many objects: a fact of the Cluster to which they belong, the entries that their list loses.
_ABOUT_FACTS = {"FactsUnknown", "ClusterAmbiguous", "ListReplaced"}
# So many of the other Clusters of which a fact is true are named.
_SHOWN = 2
# The overview of an outcome without a ProxyConfig that counts, or that holds no objects any more.
NOT_PLANNED = Overview()
# Field of `spec.clusterDefaults` -> what stands for its value, which no ProxyConfig may hold.
_MISSING_FACTS = {
    "podCIDRs": "[<CIDR of the pods>]",
    "serviceCIDRs": "[<CIDR of the services>]",
    "endpoint": "<host of the API server>",
    "infrastructure": "<name of the cloud>",
    "networks": "[<CIDR of the nodes>]",
}
_NO_CLUSTER = (
    "objects of no known Cluster, which the label cluster.x-k8s.io/cluster-name would name"
)


class Outcome(NamedTuple):
    """The outcome of a run.

    Attributes:
        changes: the items that change; none after an error, and in a check.
        results: in kyaml's order.
        items: how many items were read.
        fail_on: the least severity that makes the run fail. A warning that does leaves the output as it is, with all
            changes made: only an error means that nothing was changed.
        silenced: findings that somebody silences in one place.
        found: all findings and changes in no order, each with all values.
        hidden: findings that somebody silences in one place, or switches off.
        overview: the records, each with the state of its object, and the facts that the plan found besides.
        is_failed: an error keeps the run from changing anything.
        left: how many objects of each system have the proxy, of ``run`` alone; "" where all have it.
        pieces: the ResourceList after the run, of ``run`` alone.
    """

    changes: ListChanges
    results: Sequence[Result]
    items: int
    fail_on: Severity = Severity.ERROR
    silenced: Sequence[Result] = ()
    found: Results = ()
    hidden: Sequence[Result] = ()
    overview: Overview = NOT_PLANNED
    is_failed: bool = False
    left: str = ""
    pieces: Sequence[bytes] = ()

    @property
    def targets(self) -> list[TargetRecord]:
        """The records of targets for whose object something is declared."""
        return [*edited_targets(self.overview.records)]

    @property
    def output(self) -> bytes:
        """The ResourceList as a whole, which is in memory twice then."""
        return b"".join(self.pieces)

    @property
    def changed(self) -> int:
        """How many items change, come or go."""
        return len(self.changes)

    @property
    def exit_code(self) -> int:
        """1 if a result is an error (kyaml's ``Results.ExitCode``), or as severe as ``fail_on``; else 0."""
        return int(results.are_severe(self.results, self.fail_on))


def in_report(found: Results) -> list[Result]:
    """Return results in the order of the report, each value shown once.

    The list of a Cluster is long. Readers find the other ones in the manifests, and by the name of the variable.
    """
    shown: set[str] = set()
    reported = []
    for result in results.sorted_results(found):
        current = _not_shown_yet(result.current, shown)
        proposed = _not_shown_yet(result.proposed, shown)
        reported.append(result._replace(current=current, proposed=proposed))
    return reported


def _not_shown_yet(value: Any, shown: set[str]) -> Any:
    """Return a value, or the members of a mapping, that are not in ``shown``, and add them to it."""
    if isinstance(value, dict):
        members = {}
        for name, member in value.items():
            new = _not_shown_yet(member, shown)
            if new is not None:
                members[name] = new
        return members or None
    if not isinstance(value, str):
        return value
    if value in shown:
        return None
    shown.add(value)
    return value


def once_for_each_fact(found: Results) -> list[Result]:
    """Keep the first of results that state one fact, and name in it the other Clusters and objects it is true of."""
    return [_with_others(group) for group in results.grouped(found, _fact)]


def _fact(result: Result) -> object:
    """Return the key that results share which state one fact; any other result stands alone."""
    if result.code in _ABOUT_FACTS:
        return (result.severity, result.code, result.fact or result.message)
    return id(result)


def _with_others(group: list[Result]) -> Result:
    """Return the first result of a group; it names other Clusters of the group, and counts other objects."""
    first = group[0]
    clusters = dict.fromkeys(first.clusters)
    for result in group:
        clusters.update(dict.fromkeys(result.clusters))
    others = [f"`{name}`" for name in clusters if name not in first.clusters]
    also = others[:_SHOWN]
    more = len(others) - _SHOWN
    if more > 0:
        also.append(results.count(more, "more Cluster"))
    objects = len({result.ref for result in group}) - 1
    if objects:
        also.append(results.count(objects, "more object"))
    if not also:
        return first
    message = f"{first.message} (also true of {', and of '.join(also)})"
    return first._replace(message=message, clusters=tuple(clusters))


def missing_facts_lines(reported: Results) -> list[str]:
    """Return the lines for `spec` of a ProxyConfig that would say the missing facts, each with its Clusters.

    Args:
        reported: results that say which facts of Clusters are unknown.
    """
    clusters: dict[str, dict[str, None]] = {}
    for result in reported:
        names = []
        for name in result.clusters:
            short = name.removeprefix("Cluster/")
            names.append(shown_line(short))
        for fact in result.fact:
            names_of_fact = clusters.setdefault(fact, {})
            names_of_fact.update(dict.fromkeys(names or [_NO_CLUSTER]))
    lines = ["clusterDefaults:"]
    for fact, placeholder in _MISSING_FACTS.items():
        if fact in clusters:
            whose = some([*clusters[fact]])
            lines.append(f"  {fact}: {placeholder}   # {whose}")
    return lines


class Silencer:
    """Gives findings the severity that a ProxyConfig wants, and takes out the silenced ones.

    Attributes:
        silenced: the findings that somebody silences in one place.
        switched_off: those that `spec.lint.rules` switches off.
    """

    def __init__(
        self,
        config: ProxyConfig,
        annotated: Iterable[Object],
        paths: Mapping[str, str],
        at_most: Severity = Severity.WARNING,
    ) -> None:
        self.silenced: list[Result] = []
        self.switched_off: list[Result] = []
        self._config = config
        self._at_most = at_most
        self._paths = paths
        self._codes: dict[ObjectRef, Texts] = {}
        for obj in annotated:
            value = lookup(obj.data, _PATH)
            if value is not None:
                codes = str(value).replace(",", " ")
                self._codes[obj.ref] = tuple(codes.split())
        self._used: set[object] = set()

    def left(self, results: Results) -> Results:
        """Yield the findings that are not silenced, with the severity that the ProxyConfig gives their code."""
        for result in results:
            severity = self._severity(result)
            if severity is None:
                self.switched_off.append(result)
            elif severity is not Severity.ERROR and self._is_silenced(result):
                self.silenced.append(result)
            elif severity is result.severity:
                yield result
            else:
                yield result._replace(level=severity)

    def idle(self, config_ref: ObjectRef, codes: Collection[str]) -> Results:
        """Yield a finding for each code of an annotation, and each entry of `spec.lint.ignore`, that silences nothing.

        Args:
            config_ref: the identity of the ProxyConfig.
            codes: those of which this command finds all that there is.
        """
        for ref, named in self._codes.items():
            for number, code in enumerate(named, start=1):
                is_idle = code in codes and (ref, code) not in self._used
                if is_idle or code not in SILENCEABLE:
                    message = (
                        f"entry {number} of the annotation `{ANNOTATION}` silences nothing about this "
                        "object: correct or remove it"
                    )
                    yield Result("SettingUnused", message, _PATH, ref=ref)
        for number, entry in enumerate(self._config.ignore):
            if number not in self._used and all(code in codes for code in entry["rules"]):
                message = (
                    f"`spec.lint.ignore[{number}]` silences nothing here: remove it, unless it is "
                    "for other files"
                )
                yield Result("SettingUnused", message, is_info=True, ref=config_ref)

    def _severity(self, result: Result) -> Severity | None:
        severity = result.severity
        is_of_value = result.code in OF_VALUES
        if result.code not in SILENCEABLE or (severity is Severity.ERROR and not is_of_value):
            return severity
        if result.code in self._config.lint:
            return self._config.lint[result.code]
        if is_of_value and is_severe(severity, self._at_most):
            return self._at_most
        return severity

    def _is_silenced(self, result: Result) -> bool:
        is_silenced = result.code in self._codes.get(result.ref, ())
        if is_silenced:
            self._used.add((result.ref, result.code))
        for number, entry in enumerate(self._config.ignore):
            if matches(entry, self._subject(result)):
                self._used.add(number)
                is_silenced = True
        return is_silenced

    def _subject(self, result: Result) -> Data:
        """Return a finding as an entry of `spec.lint.ignore` sees it: a glob may fit the end of its path."""
        ref = result.ref
        steps = self._paths.get(ref.file_path, ref.file_path).split("/")
        ends = ["/".join(steps[at:]) for at in range(len(steps))]
        return {"rules": result.code, "kinds": ref.kind, "names": ref.name, "paths": tuple(ends)}


def annotated(source: ObjectSource) -> Iterator[Object]:
    """Yield the objects of a list that may have the annotation, but no ProxyConfig, of those that can be read."""
    for obj in readable_objects(source, source.holding((ANNOTATION,))):
        if obj.ref.kind != KIND:
            yield obj
