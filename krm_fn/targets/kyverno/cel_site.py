"""The CEL expressions of a MutatingPolicy, as a site: string literals in entries of ``env``.

An injection edits only the literals (``cel_literals``); every other byte of an expression stays. What an expression
computes is reported. A removal takes the entries out (``cel_removal``).

Sources: ``spec.mutations`` and ``spec.variables`` of MutatingPolicy and NamespacedMutatingPolicy
(``api/policies.kyverno.io``) and of MutatingAdmissionPolicy (``admissionregistration.k8s.io``), whose expressions see
``variables.<name>``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env, read_kubernetes_env
from krm_fn.formats.splice import Edit, splice
from krm_fn.krm.masking import redact
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Pointer
from krm_fn.targets.kyverno import cel_removal, cel_text
from krm_fn.targets.kyverno.cel_literals import Literal, literals
from krm_fn.targets.kyverno.cel_policies import CelPolicy
from krm_fn.targets.kyverno.policy_value import different_proxies


class CelExpressions:
    """The proxy variables in the expressions of one policy.

    Args:
        draft: the data of the policy.
    """

    label = "the CEL expressions"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def read(self) -> Iterator[Reading]:
        """Yield what the expressions set, as far as they say it; each value once."""
        seen: set[tuple[str, str | None, Pointer]] = set()
        for one in literals(self._draft.get(("spec",))):
            key = (one.name, one.known, one.path)
            if key in seen:
                continue
            seen.add(key)
            text = self._draft.get(one.path)
            raw = text if isinstance(text, str) else ""
            if one.known is None:
                yield Reading(one.name, None, one.path, raw, self.label, "Kyverno computes it")
            else:
                value = read_kubernetes_env(one.known)
                unresolved = one.known if value is None else ""
                yield Reading(one.name, value, one.path, raw, self.label, unresolved=unresolved)

    def write(self, variables: Variables) -> None:
        """Set the literals; report what an expression computes, and what a removal leaves."""
        if not variables:
            self._remove()
            return
        found = literals(self._draft.get(("spec",)))
        self._report_computed(found, variables)
        if self._has_two_proxies(found):
            return
        places: dict[Pointer, dict[tuple[int, int], list[Literal]]] = {}
        for one in found:
            if one.value is not None:
                of_path = places.setdefault(one.path, {})
                of_path.setdefault((one.start, one.end), []).append(one)
        for path, by_place in places.items():
            self._set_literals(path, by_place, variables)

    def _set_literals(
        self,
        path: Pointer,
        places: Mapping[tuple[int, int], Sequence[Literal]],
        variables: Variables,
    ) -> None:
        text = self._draft.get(path)
        edits: list[Edit] = []
        for (start, end), found in sorted(places.items(), reverse=True):
            values = {kubernetes_env(variables.get(one.name, "")) for one in found}
            if len(values) > 1:
                message = "the literal is the value of several variables that differ: use one each"
                self._report_stale(message, path, code="PolicyNotFilled")
                continue
            (value,) = values
            if found[0].value != value:
                edits.append((start, end, cel_text.text(value, text[start:end])))
        if edits:
            self._draft.set(path, splice(text, edits))

    def _remove(self) -> None:
        """Take the entries out of the expressions, and report what stays."""
        policy = CelPolicy(self._draft.data)
        changed: dict[Pointer, str] = {}
        if not policy.unread_expressions:
            try:
                changed = cel_removal.without_proxy(policy.expressions)
            except cel_removal.NotRemovableError:
                changed = {}
        for path, text in changed.items():
            self._draft.set(path, text)
        policy = CelPolicy(self._draft.data)
        left = literals(self._draft.get(("spec",)))
        if left and self._report_password(policy):
            return
        self._report_left(left)
        if changed and cel_removal.sets_nothing(policy.expressions):
            message = "the policy sets nothing any more: delete it, a later injection does not fill it again"
            self._draft.report(Severity.WARNING, message, ("spec",), code="PolicyRuleEmpty")

    def _report_password(self, policy: CelPolicy) -> bool:
        """Report an error where a password stays; without it, one that nobody uses would stay in the cluster."""
        password = cel_removal.password_left(policy.expressions)
        for path, text in policy.unread_expressions:
            if redact(text) != text:
                password = path
        if password is None:
            return False
        message = (
            "a password stays in the CEL expression, whose form is none of those that inject-proxy takes apart: delete "
            "the entries of the proxy there, or the policy, or leave it out with `spec.selector`"
        )
        self._draft.report(Severity.ERROR, message, password, code="PolicyPasswordLeft")
        return True

    def _report_left(self, left: Sequence[Literal]) -> None:
        """Report what still sets a variable: entries that stay, and names that are more than asked for."""
        for path, names in _names_by_path(one for one in left if one.known):
            message = (
                f"the CEL expression sets {quoted(names)}, and no proxy is declared for it: delete that there, or the "
                "policy, because inject-proxy does not take expressions of this form apart"
            )
            self._report_stale(message, path, code="PolicyTextStale")
        self._report_unknown(left)

    def _has_two_proxies(self, found: Sequence[Literal]) -> bool:
        """Report an error where expressions set two different proxies: one value must not replace both."""
        each = ((str(at), one.name, one.known, one.path) for at, one in enumerate(found))
        different = different_proxies(each)
        if different is None:
            return False
        variable, _, _, path = different
        message = (
            f"the CEL expressions set two different proxies in `{variable}`, and one ProxyConfig "
            "writes one value to all of them: move one to a policy of its own and leave that "
            "out with `spec.selector`, or write the same proxy in both"
        )
        self._draft.report(Severity.ERROR, message, path, code="PolicyTwoProxies")
        return True

    def _report_computed(self, found: Sequence[Literal], variables: Variables) -> None:
        """Report what differs from the declared proxy and cannot be set, and what cannot be compared with it."""
        self._report_unknown(found)
        unequal = []
        for one in found:
            wanted = kubernetes_env(variables.get(one.name, ""))
            if one.value is None and one.computed not in (None, wanted):
                unequal.append(one)
        for path, names in _names_by_path(unequal):
            message = (
                f"the CEL expression joins several texts to a value of {quoted(names)} that is not the "
                "declared one: change it there, or write one text"
            )
            self._report_stale(message, path, code="PolicyNotFilled")

    def _report_unknown(self, found: Iterable[Literal]) -> None:
        for path, names in _names_by_path(one for one in found if one.known is None):
            message = (
                f"Kyverno computes {quoted(names)} in the CEL expression: "
                "check there that the proxy is the declared one"
            )
            self._draft.report(Severity.WARNING, message, path, code="PolicyTextComputed")

    def _report_stale(self, message: str, path: Pointer, *, code: str) -> None:
        """Report a value that is not the declared one and stays: `mode: Check` fails because of it."""
        found = Finding(Severity.WARNING, message, path, is_stale=True, code=code)
        self._draft.findings.append(found)


def _names_by_path(found: Iterable[Literal]) -> Iterable[tuple[Pointer, list[str]]]:
    """Return the path of each expression with the names of its literals, in their order."""
    names: dict[Pointer, list[str]] = {}
    for one in found:
        of_path = names.setdefault(one.path, [])
        if one.name not in of_path:
            of_path.append(one.name)
    return names.items()
