"""What a policy may hold to be converted, as a shape: members with their types; all else is refused.

Where the API server would not accept a policy, or a member has no equivalent that is proven, nothing is converted, so
that the new policy never does more than the old one.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.light_typing import Any, NoReturn
from krm_fn.patch import Pointer

ANY = object()
"""The shape of anything."""

_TEXTS = [str]
_TEXTS_BY_NAME = {str: str}
_OPERATORS_OF_LABELS = ("In", "NotIn", "Exists", "DoesNotExist")
_SELECTOR = {
    "matchLabels": _TEXTS_BY_NAME,
    "matchExpressions": [{"key": str, "operator": _OPERATORS_OF_LABELS, "values": _TEXTS}],
}
_RESOURCES = {
    "kinds": _TEXTS,
    "operations": _TEXTS,
    "namespaces": _TEXTS,
    "namespaceSelector": _SELECTOR,
    "name": str,
    "names": _TEXTS,
    "selector": _SELECTOR,
    "annotations": _TEXTS_BY_NAME,
}
_BLOCK = {"resources": _RESOURCES, "subjects": [ANY], "roles": [ANY], "clusterRoles": [ANY]}
_MATCH = {**_BLOCK, "any": [_BLOCK], "all": [_BLOCK]}
_CONDITION = {"key": ANY, "operator": ANY, "value": ANY, "message": ANY}
CONDITIONS = {"any": [_CONDITION], "all": [_CONDITION]}
_FOREACH = {
    "list": ANY,
    "order": ANY,
    "context": [{str: ANY}],
    "patchStrategicMerge": ANY,
    "patchesJson6902": ANY,
}

RULE = {
    "name": ANY,
    "match": _MATCH,
    "exclude": _MATCH,
    "preconditions": ANY,
    "context": [{str: ANY}],
    "mutate": {"patchStrategicMerge": ANY, "patchesJson6902": ANY, "foreach": [_FOREACH]},
    "reportProperties": ANY,
    "skipBackgroundRequests": (True,),
}
"""A rule."""

_FAILURE_POLICIES = ("Fail", "Ignore")
SPEC = {
    "admission": bool,
    "applyRules": ("All", "One"),
    "background": bool,
    "failurePolicy": _FAILURE_POLICIES,
    "mutateExistingOnPolicyUpdate": (False,),
    "rules": [ANY],
    "webhookConfiguration": {"failurePolicy": _FAILURE_POLICIES, "timeoutSeconds": int},
    "webhookTimeoutSeconds": int,
    # These are not about the mutation of an object that is admitted.
    "emitWarning": ANY,
    "generateExisting": ANY,
    "generateExistingOnPolicyUpdate": ANY,
    "schemaValidation": ANY,
    "useServerSideApply": ANY,
    "validationFailureAction": ANY,
    "validationFailureActionOverrides": ANY,
}
"""``spec`` of a ClusterPolicy or Policy."""


class NotConvertibleError(Exception):
    """A part of a policy has no equivalent that is proven.

    Attributes:
        reason: why, as the end of a sentence.
        path: leads to the part.
    """

    def __init__(self, reason: str, path: Pointer) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


def refuse(reason: str, path: Pointer) -> NoReturn:
    """Raise a NotConvertibleError."""
    raise NotConvertibleError(reason, path)


def check(given: Any, shape: Any, path: Pointer) -> None:
    """Refuse what has another shape than it must have.

    Args:
        given: a part of a policy; a member may be null.
        shape: a type; a tuple of values; a list with the shape of its items; a mapping of members, or of ``str`` to the
            shape of all members.
        path: leads to the part.
    """
    if isinstance(shape, Mapping):
        _check_mapping(given, shape, path)
    elif isinstance(shape, list):
        if not isinstance(given, list):
            refuse(f"`{path[-1]}` must be a list", path)
        for index, one in enumerate(given):
            check(one, shape[0], path if shape == _TEXTS else (*path, str(index)))
    elif isinstance(shape, tuple):
        if not any(given is one or (isinstance(one, str) and given == one) for one in shape):
            refuse(f"`{path[-1]}` has a value that has no equivalent, or an unknown one", path)
    elif shape is not ANY and type(given) is not shape:
        refuse(f"`{path[-1]}` has another type than it must have", path)


def _check_mapping(given: Any, shape: Mapping[Any, Any], path: Pointer) -> None:
    if not isinstance(given, Mapping):
        refuse("a part of it has another type than it must have", path)
    for key, value in given.items():
        if str in shape:
            check(value, shape[str], path)
        elif key not in shape:
            refuse(f"`{key}` has no equivalent that is proven", (*path, str(key)))
        elif value is not None:
            check(value, shape[key], (*path, key))
