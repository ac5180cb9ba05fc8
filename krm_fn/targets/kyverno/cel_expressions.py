"""The CEL expressions of a MutatingPolicy, as a site: string literals in entries of ``env``.

An injection edits only the literals; every other byte of an expression stays. What an expression computes is
reported. A removal takes the entries out (``cel_removal``).

Sources: ``spec.mutations`` and ``spec.variables`` of MutatingPolicy and NamespacedMutatingPolicy
(``api/policies.kyverno.io``) and of MutatingAdmissionPolicy (``admissionregistration.k8s.io``), whose expressions see
``variables.<name>``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats import cel
from krm_fn.formats.escaping import kubernetes_env, read_kubernetes_env
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import cel_left, cel_removal, rules
from krm_fn.targets.kyverno.cel_policies import CelPolicy
from krm_fn.targets.kyverno.completion import complete_expressions, remove_completed_expressions


@dataclass(frozen=True)
class _Literal:
    """One string literal that decides the value of a variable; ``value`` is None where no single literal does.

    ``path`` leads to the expression; ``start`` and ``end`` are those of the literal in it. ``computed`` is what the
    expression joins of several literals, None where it computes something else.
    """

    name: str
    value: str | None
    path: Pointer
    start: int = 0
    end: int = 0
    computed: str | None = None

    @property
    def known(self) -> str | None:
        """The value, as far as the policy itself says it."""
        return self.computed if self.value is None else self.value


class CelExpressions:
    """The proxy variables in the expressions of one policy.

    Args:
        draft: the data of the policy.
        is_complete: a policy on pods is limited to CREATE, too.
    """

    label = "the CEL expressions"

    def __init__(self, draft: Draft, *, is_complete: bool = False) -> None:
        self._draft = draft
        self._is_complete = is_complete

    def read(self) -> Iterator[Reading]:
        """Yield what the expressions set, as far as they say it; each value once."""
        seen: set[tuple[str, str | None, Pointer]] = set()
        for one in self._literals():
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
                yield Reading(one.name, value, one.path, raw, self.label)

    def write(self, variables: Variables) -> None:
        """Set the literals; report what an expression computes, and what a removal leaves."""
        literals = list(self._literals())
        if not variables:
            self._remove()
            return
        self._report_computed(literals, variables)
        if self._has_two_proxies(literals):
            return
        texts: dict[Pointer, dict[tuple[int, int], set[str]]] = {}
        for one in literals:
            if one.value is not None:
                wanted = kubernetes_env(variables.get(one.name, ""))
                places = texts.setdefault(one.path, {})
                places.setdefault((one.start, one.end), set()).add(wanted)
        for path, places in texts.items():
            self._set_literals(path, places)
        if self._is_complete:
            complete_expressions(self._draft, variables)

    def _set_literals(self, path: Pointer, places: dict[tuple[int, int], set[str]]) -> None:
        text = self._draft.get(path)
        for (start, end), values in sorted(places.items(), reverse=True):
            if len(values) > 1:
                message = "the literal is the value of several variables that differ: use one each"
                self._report_stale(message, path, code="PolicyNotFilled")
                continue
            (value,) = values
            if cel.string_of(text[start:end]) != value:
                text = text[:start] + cel.literal(value, text[start:end]) + text[end:]
        if text != self._draft.get(path):
            self._draft.set(path, text)

    def _remove(self) -> None:
        """Take the entries out of the expressions, and report what stays."""
        policy = CelPolicy(self._draft.data)
        names = {path: name for name, path in policy.variables().items()}
        try:
            changed = cel_removal.without_proxy(self._texts(), names)
        except cel_removal.NotRemovableError:
            changed = {}
        for path, text in changed.items():
            self._draft.set(path, text)
        if changed and self._is_complete:
            remove_completed_expressions(self._draft)
        left = self._texts()
        password = cel_left.password_left(left)
        if password is not None:
            # Without the error, a password that nobody uses any more would stay in the cluster.
            message = (
                "a password stays in the CEL expressions, because it is not known what they do without the entries "
                "of the proxy: remove these there, or leave the policy out with `spec.selector`"
            )
            self._draft.report(Severity.ERROR, message, password, code="PolicyPasswordLeft")
            return
        self._report_left()
        of_mutations = [text for path, text in left.items() if path[1] == "mutations"]
        variables = {name: left[path] for path, name in names.items()}
        if changed and cel_left.is_idle(of_mutations, variables):
            message = "the policy sets nothing any more: delete it, a later injection does not fill it again"
            self._draft.report(Severity.WARNING, message, ("spec",), code="PolicyRuleEmpty")

    def _texts(self) -> dict[Pointer, str]:
        """Return path -> each expression of the policy, as it is now."""
        return {path: self._draft.get(path) for path in CelPolicy(self._draft.data).expressions()}

    def _report_left(self) -> None:
        """Report what still sets a variable: entries that stay, and names that are more than asked for."""
        literals = list(self._literals())
        for path, names in _names_by_path(one for one in literals if one.known):
            message = (
                f"the CEL expression sets {quoted(names)}, and no proxy is declared for it: remove the entries there, "
                "because it is not known what the expressions do without them"
            )
            self._report_stale(message, path, code="PolicyTextStale")
        self._report_unknown(literals)

    def _has_two_proxies(self, literals: list[_Literal]) -> bool:
        """Report an error where expressions set two different proxies: one value must not replace both."""
        first: dict[str, str] = {}
        for one in literals:
            value = (one.known or "").strip().rstrip("/")
            variable = one.name.upper()
            if not value or variable == "NO_PROXY":
                continue
            if first.setdefault(variable, value) != value:
                message = (
                    f"the CEL expressions set two different proxies in `{variable}`, and one ProxyConfig "
                    "writes one value to all of them: move one to a policy of its own and leave that "
                    "out with `spec.selector`, or write the same proxy in both"
                )
                self._draft.report(Severity.ERROR, message, one.path, code="PolicyTwoProxies")
                return True
        return False

    def _report_computed(self, literals: list[_Literal], variables: Variables) -> None:
        """Report what differs from the declared proxy and cannot be set, and what cannot be compared with it."""
        self._report_unknown(literals)
        unequal = []
        for one in literals:
            wanted = kubernetes_env(variables.get(one.name, ""))
            if one.value is None and one.computed not in (None, wanted):
                unequal.append(one)
        for path, names in _names_by_path(unequal):
            message = (
                f"the CEL expression joins several texts to a value of {quoted(names)} that is not the "
                "declared one: change it there, or write one text"
            )
            self._report_stale(message, path, code="PolicyNotFilled")

    def _report_unknown(self, literals: list[_Literal]) -> None:
        for path, names in _names_by_path(one for one in literals if one.known is None):
            message = (
                f"Kyverno computes {quoted(names)} in the CEL expression: "
                "check there that the proxy is the declared one"
            )
            self._draft.report(Severity.WARNING, message, path, code="PolicyTextComputed")

    def _report_stale(self, message: str, path: Pointer, *, code: str) -> None:
        """Report a value that is not the declared one and stays: `mode: Check` fails because of it."""
        found = Finding(Severity.WARNING, message, path, is_stale=True, code=code)
        self._draft.findings.append(found)

    def _literals(self) -> Iterator[_Literal]:
        """Yield what decides the value of each variable, in the order of the fields.

        A name that no expression sets as ``{name: ..., value: ...}`` is yielded once, without a value.
        """
        spec = self._draft.get(("spec",))
        places = list(rules.mentioning_texts(spec, ("spec",)))
        of_variables = self._literal_variables()
        known = self._known_variables()
        found: dict[str, list[_Literal]] = {}
        for path, _ in places:
            text = self._draft.get(path)
            for entry in cel.named_values(text) if isinstance(text, str) else ():
                if entry.name not in PROXY_VARIABLES:
                    continue
                one = _Literal(entry.name, entry.literal, path, entry.start, entry.end)
                if entry.literal is None and entry.variable in of_variables:
                    at, value, length = of_variables[entry.variable]
                    one = _Literal(entry.name, value, at, length[0], length[1])
                elif entry.literal is None:
                    one = replace(one, computed=cel.joined(entry.tokens, known))
                found.setdefault(entry.name, []).append(one)
        for path, names in places:
            text = self._draft.get(path)
            for name in names:
                if not isinstance(text, str) or not cel_left.asks_only(text, name):
                    found.setdefault(name, [_Literal(name, None, path)])
        for literals in found.values():
            yield from dict.fromkeys(literals)

    def _known_variables(self) -> dict[str, str]:
        """Return name -> text of each entry of ``spec.variables`` that joins literals and earlier variables."""
        variables = self._draft.get(("spec", "variables"))
        found: dict[str, str] = {}
        for variable in variables if isinstance(variables, list) else ():
            name, expression = (lookup(variable, (key,)) for key in ("name", "expression"))
            if isinstance(name, str) and isinstance(expression, str):
                text = cel.joined(cel.tokens(expression), found)
                if text is not None:
                    found[name] = text
        return found

    def _literal_variables(self) -> dict[str, tuple[Pointer, str, tuple[int, int]]]:
        """Return name -> path, text and span of each entry of ``spec.variables`` that is one string literal."""
        variables = self._draft.get(("spec", "variables"))
        found: dict[str, tuple[Pointer, str, tuple[int, int]]] = {}
        for index, variable in enumerate(variables if isinstance(variables, list) else ()):
            name, expression = (lookup(variable, (key,)) for key in ("name", "expression"))
            text = cel.string_of(expression) if isinstance(expression, str) else None
            if isinstance(name, str) and text is not None:
                token = cel.tokens(expression)[0]
                path = ("spec", "variables", str(index), "expression")
                found[name] = (path, text, (token.start, token.end))
        return found


def _names_by_path(literals: Iterable[_Literal]) -> Iterable[tuple[Pointer, list[str]]]:
    """Return the path of each expression with the names of its literals, in their order."""
    names: dict[Pointer, list[str]] = {}
    for one in literals:
        names.setdefault(one.path, []).append(one.name)
    return names.items()
