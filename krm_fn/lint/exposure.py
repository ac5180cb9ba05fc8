"""Passwords that leave a Secret: what a run takes from a Secret and writes into an object of another kind.

Who may read Secrets and who may read other objects are two questions of RBAC, and tools that encrypt Secrets in Git
leave other objects in clear text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.clusters import APPLICATION
from krm_fn.krm.results import Finding, ObjectRef, Result, Severity
from krm_fn.plan import PlannedEdit
from krm_fn.products.node_kinds import KUBEADM, OF_CLASSES

_SECRET = ("", "Secret")
_ADVICE = {
    "ConfigMap": "move these values to a Secret, which charts and apps read beside a ConfigMap",
    "HelmRelease": "move these values to a Secret, and name it in `spec.valuesFrom`",
}
_OF_ARGO_CD = "Argo CD takes no values of a chart from a Secret, so "
_ADVICE_OF_KUBEADM = (
    "set `content: Secret` for the targets `containerdDropIn` and `kubeletDropIn`, and `exports: false` for"
    " `kubeadmCommands`"
)
_GENERAL_ADVICE = (
    "give the target `{target}` a proxy without a password, in an entry of `spec.overrides` with"
    " `match: {{targets: [{target}]}}`"
)


def exposed_passwords(places: Iterable[PlannedEdit], urls: frozenset[str]) -> Iterator[Result]:
    """Yield a warning for each object of another kind than Secret that holds one of ``urls``.

    Args:
        places: the objects, as they are after the run.
        urls: proxy URLs with a password that ``spec.from`` has read from a Secret.
    """
    reported: set[ObjectRef] = set()
    for place in places:
        if place.obj.group_kind == _SECRET or place.obj.ref in reported:
            continue
        reading = next((one for one in place.readings() if one.value in urls), None)
        if reading is not None:
            reported.add(place.obj.ref)
            kind = place.obj.ref.kind
            message = (
                f"this {kind} holds the password of the proxy in clear text, which `spec.from` takes from a Secret:"
                f" {_ADVICE.get(kind) or _of_target(place)}"
            )
            yield place.result(
                Finding(Severity.WARNING, message, reading.path, code="PasswordExposed")
            )


def _of_target(place: PlannedEdit) -> str:
    """Return what helps where a target writes: only nodes of kubeadm can take all of the proxy from a Secret."""
    targets: tuple[str, ...] = (place.target_id,)
    if place.class_context is not None and place.target_id == OF_CLASSES:
        targets = tuple(place.class_context.enabled(place.class_context.targets))
    if set(targets) <= set(KUBEADM.targets):
        return _ADVICE_OF_KUBEADM
    why = _OF_ARGO_CD if place.obj.group_kind == APPLICATION else ""
    return why + _GENERAL_ADVICE.format(target=place.target_id)
