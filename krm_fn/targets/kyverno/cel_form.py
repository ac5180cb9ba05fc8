"""The CEL expressions of a policy, as a form: only literals are written, every other byte of an expression stays.

A removal takes nothing out of an expression: it names the entries to delete, and fails if a password would stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.krm.masking import redact
from krm_fn.light_typing import Any
from krm_fn.patch import text_at
from krm_fn.places.place import Place, quoted
from krm_fn.targets.kyverno import cel
from krm_fn.targets.kyverno.policy_entries import PolicyEntry, PolicyForm, TextPlace

LABEL = "the CEL expressions"


class CelForm(PolicyForm):
    """The proxy variables in the expressions of one policy."""

    def entries(self, data: Any) -> list[PolicyEntry]:
        """Return the entries of the expressions."""
        return cel.find_entries(cel.read_expressions(data))

    def set_texts(self, draft: Draft, texts: Mapping[TextPlace, str]) -> None:
        """Set the literals that say something else, with the quotes that they have."""
        for place in sorted(texts, reverse=True):  # from the end, so that the places stay right
            expression = draft.get(place.path)
            written = expression[place.start : place.end]
            if cel.literal_text(written) != texts[place]:
                literal = cel.text_literal(texts[place], written[-1])
                new = expression[: place.start] + literal + expression[place.end :]
                draft.set(place.path, new)

    def remove(self, draft: Draft, place: Place, entries: Sequence[PolicyEntry]) -> None:
        """Report the entries that stay: an error for a password, which nobody would look for there."""
        if not entries:
            return
        names = quoted(entry.name for entry in entries)
        message = f"{place.label} set {names}: delete the entries there, or the policy"
        for expression in cel.read_expressions(draft.data):
            text = text_at(draft.data, expression.path)
            if redact(text) != text:
                message += ", because a password stays there; or leave it out with `spec.selector`"
                draft.report("PasswordLeft", message, expression.path)
                return
        draft.report("ByHand", message, entries[0].path, is_stale=True)
