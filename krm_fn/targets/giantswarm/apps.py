"""Apps of Giant Swarm: the references by which an app of a workload cluster gets the proxy of its cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Target

_CONFIG = ("spec", "config")
_FIELDS = ("configMap", "secret")
_ANNOTATIONS = ("metadata", "annotations")
_OURS = "fn.inject-proxy.io/references"
_WAS_EMPTY = "=empty"
_EMPTY = {"name": "", "namespace": ""}
_MAPPINGS = (_CONFIG, *((*_CONFIG, field) for field in _FIELDS), _ANNOTATIONS)
"""What must be a mapping, if it is there."""


class _References(SiteWithoutVariables):
    """References to the values of the cluster, as a site: an App holds no value."""

    label = "the references to the values of its cluster"

    def __init__(self, draft: Draft, settings: ProxySettings) -> None:
        self._draft = draft
        self._settings = settings

    def write(self, variables: Variables) -> None:
        """Set the references that an App of the cluster lacks, or remove those that were set.

        Raises:
            WrongTypeError: something else than a mapping is on the way to them.
        """
        obj = self._draft.data
        if not variables:
            self._remove()
        elif (
            self._settings.is_listed
            and isinstance(obj.get("spec"), Mapping)
            and _is_of(obj, self._settings.cluster)
        ):
            self._check_mappings()
            self._add()

    def _check_mappings(self) -> None:
        metadata = self._draft.get(("metadata",))
        if not isinstance(metadata, Mapping):
            raise WrongTypeError(("metadata",), metadata, "a mapping")
        for path in _MAPPINGS:
            self._draft.mapping(path)

    def _add(self) -> None:
        obj = self._draft.data
        namespace = _namespace(obj, self._settings)
        if not namespace:
            message = (
                "must have a `namespace`, because references to the values of its cluster need one: "
                "give it one"
            )
            self._draft.report(Severity.WARNING, message, ("metadata",), code="NamespaceMissing")
            return
        wanted = {
            "name": self._settings.cluster + giantswarm.CLUSTER_VALUES_SUFFIX,
            "namespace": namespace,
        }
        ours = _ours(obj)
        missing = [field for field in _FIELDS if _is_missing(obj, field, wanted)]
        incomplete = [field for field in missing if self._is_incomplete(field)]
        missing = [field for field in missing if field not in incomplete]
        self._report_incomplete(incomplete)
        self._report_other_secret(missing, wanted)
        self._report_other_namespace(ours)
        noted = ",".join(self._note(field) for field in _FIELDS if field in (*missing, *ours))
        for field in missing:
            self._draft.set((*_CONFIG, field), wanted)
            self._draft.describe(f'refers to "{wanted["name"]}"')
        if missing and self._draft.get((*_ANNOTATIONS, _OURS)) != noted:
            self._draft.set((*_ANNOTATIONS, _OURS), noted)
            self._draft.describe("notes in an annotation which references inject-proxy set")

    def _note(self, field: str) -> str:
        """Return how the annotation names a reference that is set here."""
        was_empty = _ours(self._draft.data).get(field, False)
        return f"{field}{_WAS_EMPTY}" if was_empty or self._is_empty(field) else field

    def _is_empty(self, field: str) -> bool:
        return bool(self._draft.get((*_CONFIG, field)) == _EMPTY)

    def _is_incomplete(self, field: str) -> bool:
        """Return whether a person wrote a reference without a name: a removal could not give it back."""
        reference = self._draft.mapping((*_CONFIG, field)) or {}
        says_something = any(value not in (None, "") for value in reference.values())
        return not reference.get("name") and says_something

    def _report_incomplete(self, fields: Iterable[str]) -> None:
        for field in fields:
            message = (
                "has no `name`, so the app gets no proxy from the values of its cluster: "
                "remove the reference, and the next run sets it"
            )
            self._draft.report(
                Severity.WARNING, message, (*_CONFIG, field), code="ReferenceNotUsed"
            )

    def _report_other_secret(self, missing: list[str], wanted: Mapping[str, str]) -> None:
        obj = self._draft.data
        named = lookup(obj, (*_CONFIG, "secret", "name"))
        is_other = named not in (None, "", wanted["name"])
        if "secret" in missing or not is_other or _is_extra(obj, "secret", wanted):
            return
        message = (
            f'refers to another Secret than "{wanted["name"]}", so the app gets no proxy: name that '
            "one in `spec.extraConfigs`"
        )
        path = (*_CONFIG, "secret")
        self._draft.report(Severity.WARNING, message, path, code="ReferenceNotUsed")

    def _report_other_namespace(self, ours: Collection[str]) -> None:
        """Report references of a person that lead to another namespace than that of the values."""
        wanted = self._settings.namespace
        for field in _FIELDS:
            path = (*_CONFIG, field)
            name = self._draft.get((*path, "name"))
            namespace = self._draft.get((*path, "namespace"))
            is_theirs = (
                name == self._settings.cluster + giantswarm.CLUSTER_VALUES_SUFFIX
                and field not in ours
            )
            if is_theirs and wanted and namespace not in (None, "", wanted):
                message = (
                    f'must be "{wanted}", where the Cluster and its values are, '
                    f'not "{namespace}": change it'
                )
                at = (*path, "namespace")
                self._draft.report(Severity.WARNING, message, at, code="ReferenceNotUsed")

    def _remove(self) -> None:
        for field, was_empty in _ours(self._draft.data).items():
            if was_empty:
                self._draft.set((*_CONFIG, field), dict(_EMPTY))
            else:
                self._draft.remove((*_CONFIG, field), keep=1)
            self._draft.describe("removes the references to the values of its cluster")
        note = (*_ANNOTATIONS, _OURS)
        if self._draft.get(note) is not None:
            self._draft.remove(note, keep=1)
            self._draft.describe("removes the annotation that names the references")


def _is_of(obj: Mapping[str, Any], cluster: str) -> bool:
    """Return whether an App is installed in the workload cluster of that name, "" for none."""
    if not cluster:
        return False
    if lookup(obj, ("spec", "kubeConfig", "inCluster")) is True:
        return False
    kubeconfig = lookup(obj, ("spec", "kubeConfig", "secret", "name"))
    if kubeconfig:
        return bool(kubeconfig == f"{cluster}-kubeconfig")
    labels = lookup(obj, ("metadata", "labels"), {})
    version = lookup(labels, (giantswarm.OPERATOR_VERSION_LABEL,))
    if version == giantswarm.MANAGEMENT_CLUSTER_VERSION:
        return False
    label = lookup(labels, (giantswarm.CLUSTER_LABEL,))
    return cluster in (label, lookup(obj, ("metadata", "namespace")))


def _namespace(obj: Mapping[str, Any], settings: ProxySettings) -> str:
    """Return the namespace of the values of the cluster; "" if it is not known."""
    places = (
        lookup(obj, ("spec", "kubeConfig", "secret", "namespace")),
        lookup(obj, ("metadata", "namespace")),
    )
    return settings.namespace or next((one for one in places if isinstance(one, str) and one), "")


def _is_missing(obj: Mapping[str, Any], field: str, wanted: Mapping[str, str]) -> bool:
    """Return whether a reference has to be set: none is there, or ours is out of date."""
    reference = lookup(obj, (*_CONFIG, field))
    named = lookup(reference, ("name",))
    if field in _ours(obj) and named == wanted["name"] and reference != wanted:
        return True
    return not named and not _is_extra(obj, field, wanted)


def _is_extra(obj: Mapping[str, Any], field: str, wanted: Mapping[str, str]) -> bool:
    """Return whether `spec.extraConfigs` refers to the object; without `kind` an entry is a ConfigMap."""
    extra = lookup(obj, ("spec", "extraConfigs"))
    if not isinstance(extra, list):
        return False
    return any(
        isinstance(one, Mapping)
        and one.get("name") == wanted["name"]
        and (one.get("kind") or "configMap") == field
        for one in extra
    )


def _ours(obj: Mapping[str, Any]) -> dict[str, bool]:
    """Return the references that the annotation names and that are unchanged, and whether each was empty before."""
    noted = lookup(obj, (*_ANNOTATIONS, _OURS))
    ours: dict[str, bool] = {}
    for word in noted.split(",") if isinstance(noted, str) else ():
        field = word.removesuffix(_WAS_EMPTY)
        name = str(lookup(obj, (*_CONFIG, field, "name")))
        if field in _FIELDS and name.endswith(giantswarm.CLUSTER_VALUES_SUFFIX):
            ours[field] = word != field
    return ours


class _GiantswarmApps(Target):
    id = "giantswarmApps"
    kinds = frozenset({giantswarm.APP})
    audience = Audience.POD

    def sites(self, draft: Draft, context: Context) -> Iterator[_References]:
        """Yield the references of an App to the values of its cluster."""
        yield _References(draft, context.settings)


TARGET = _GiantswarmApps()
