"""The CEL expressions of a policy: which literals are values of proxy variables, and how they are written.

Known are an entry, ``{"name": "HTTP_PROXY", "value": "..."}``, a member of a map, ``{"HTTP_PROXY": "..."}``, a variable
of the policy in the place of such a text, and a list of which only the beginning is a literal: ``"a,b," + ...``. There
is no grammar: an entry of another form is reported, and its author changes it. Only literals are written, every other
byte of an expression stays. A removal takes nothing out: it names the entries to delete, and fails if a password would
stay.

Sources: the lexis in the language definition of CEL; ``spec.mutations`` and ``spec.variables`` of MutatingPolicy
(``api/policies.kyverno.io``) and of MutatingAdmissionPolicy (``admissionregistration.k8s.io``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.krm.masking import redact
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, text_at, walk
from krm_fn.places.place import Place, quoted
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno.policy_entries import PolicyEntry, PolicyForm, TextPlace, mentioned

# A literal without its end is one all the same, so that the time is linear.
_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\n]*)                 # blanks, and a comment: // why
    |[rRbB]{0,2}                             # a raw text, or bytes: r"a"
     (?P<quote>\"{3}|\'{3}|"|\')
     (?P<text>(?:\\.|[^\\])*?)(?:(?P=quote)|\Z)  # "HTTP_PROXY"
    |\w+                                     # a word: variables
    |.                                       # a sign: {
    """,
    re.DOTALL | re.VERBOSE,
)
_EXPRESSIONS = (("spec", "variables"), ("spec", "mutations"))
_ENDS = ("", ",", "}", ")", "]")


class Token(NamedTuple):
    """One token of an expression, its span, and its text if it is a string literal, else None."""

    written: str
    start: int = 0
    end: int = 0
    literal: str | None = None


class Expression(NamedTuple):
    """One expression of a policy, and the name of the variable that it is; "" for one of a mutation."""

    path: Pointer
    variable: str
    tokens: Sequence[Token]

    def token(self, index: int) -> Token:
        """Return a token; an empty one in front of the first and behind the last."""
        if 0 <= index < len(self.tokens):
            return self.tokens[index]
        return Token("")

    def says(self, start: int, *words: str) -> bool:
        """Return whether tokens are some words, with quotes or without."""
        for index, word in enumerate(words, start):
            token = self.token(index)
            if word not in (token.literal, token.written):
                return False
        return True


def read_expressions(policy: Any) -> list[Expression]:
    """Return the expressions of the variables and mutations of a policy."""
    expressions = []
    for path, text in walk(policy):
        if path[:2] not in _EXPRESSIONS or path[-1] != "expression":
            continue
        if isinstance(text, str):
            variable = text_at(policy, (*path[:-1], "name"))
            expressions.append(Expression(path, variable, _read_tokens(text)))
    return expressions


def text_literal(value: str, quote: str = '"') -> str:
    """Return the string literal of a text."""
    escaped = value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return f"{quote}{escaped}{quote}"


def _read_tokens(text: str) -> list[Token]:
    """Return the tokens of an expression, without blanks and comments."""
    tokens = []
    for match in _TOKEN.finditer(text):
        if match["gap"] is not None:
            continue
        literal = None
        if match["quote"]:
            literal = re.sub(r"\\(.)", r"\1", match["text"], flags=re.DOTALL)
        start, end = match.span()
        tokens.append(Token(match[0], start, end, literal))
    return tokens


def _entry(
    name: str, expression: Expression, start: int, variables: Mapping[str, Expression]
) -> PolicyEntry:
    """Return the entry whose value starts at a token: a literal, or a variable that is one."""
    path = expression.path
    variable = variables.get(expression.token(start + 2).written)
    is_alone = expression.token(start + 3).written in _ENDS
    # ``variables.url`` means the literal of that variable, unless more is computed from it.
    if variable and is_alone and expression.says(start, "variables", "."):
        expression = variable
        start = 0
    first = start
    # ``string("…")`` shows the value to a reader, but is an expression, so it is not written.
    while expression.token(first).written in ("string", "("):
        first += 1
    token = expression.token(first)
    literal = token.literal
    behind = expression.token(first + 1).written
    place = TextPlace(expression.path, token.start, token.end)
    entry = PolicyEntry(name, path, place, literal)
    if literal is not None and behind in _ENDS and first == start:
        return entry
    if literal is not None and behind == "+" and entry.is_list:
        return entry._replace(value=literal.removesuffix(","), rest=",")
    literals = []
    if entry.is_list:
        for token in expression.tokens[start:]:
            if token.written == "}":
                break
            literals.append(token.literal or "")
    return _unread(name, path, literals)


def _unread(name: str, path: Pointer, literals: Sequence[str]) -> PolicyEntry:
    """Return an entry that cannot be written, with the URL or the part of a list that is among some literals."""
    entry = PolicyEntry(
        name,
        path,
        TextPlace(path),
        problem="Kyverno computes it, or the form is none that is read: write "
        '`{"name": "...", "value": "..."}`, or use `generate` in place of this policy',
    )
    for literal in literals:
        hosts = literal.strip(",")
        if entry.is_list:
            if hosts and "," in literal:
                return entry._replace(value=hosts, rest=",")
        elif "://" in literal:
            return entry._replace(value=literal)
    return entry


def _start_of_value(expression: Expression, index: int) -> int | None:
    """Return the token at which the value of a name begins.

    Returns:
        One behind the last token for a name without a value; None for a name that is no entry.
    """
    # A member of a map: ``{"HTTP_PROXY": "…"}``; below, an entry: ``{"name": "HTTP_PROXY", "value": "…"}``.
    is_key = expression.token(index - 1).written in ("{", ",")
    if is_key and expression.says(index + 1, ":"):
        return index + 2
    if not expression.says(index - 2, "name", ":"):
        return None
    if expression.says(index + 1, ",", "value", ":"):
        return index + 4
    return len(expression.tokens)


LABEL = "the CEL expressions"


class CelForm(PolicyForm):
    """The proxy variables in the expressions of one policy."""

    def entries(self, data: Any, place: Place) -> list[PolicyEntry]:
        """Return the entries of the expressions, in order; at last the unreadable ones.

        Beside entries a name alone sets nothing: it is in a filter that takes out the variables that the entries
        replace.
        """
        expressions = read_expressions(data)
        variables = {expression.variable: expression for expression in expressions}
        entries = []
        read = set()
        for expression in expressions:
            for index, token in enumerate(expression.tokens):
                start = _start_of_value(expression, index)
                if token.literal in PROXY_VARIABLES and start is not None:
                    entry = _entry(token.literal, expression, start, variables)
                    entries.append(entry)
                    read.add((expression.path, token.start))
                    read.add((entry.place.path, entry.place.start))
        unread = []
        for expression in expressions:
            path = expression.path
            others = [token for token in expression.tokens if (path, token.start) not in read]
            literals = [token.literal for token in others if token.literal]
            # A filter such as ``e.name in ["HTTP_PROXY"]`` stands beside the entries, and holds no proxy.
            if entries and not any("://" in literal for literal in literals):
                continue
            unread += [_unread(name, path, literals) for name in mentioned(literals)]
        return [*entries, *unread]

    def set_texts(self, draft: Draft, texts: Mapping[TextPlace, str]) -> None:
        """Set the literals that say something else, with the quotes that they have."""
        for place in sorted(texts, reverse=True):  # from the end, so that the places stay right
            expression = draft.get(place.path)
            written = expression[place.start : place.end]
            if _read_tokens(written)[0].literal != texts[place]:
                literal = text_literal(texts[place], written[-1])
                new = expression[: place.start] + literal + expression[place.end :]
                draft.set(place.path, new)

    def remove(self, draft: Draft, place: Place, entries: Sequence[PolicyEntry]) -> None:
        """Report the entries that stay: an error for a password, which nobody would look for there."""
        if not entries:
            return
        names = quoted(entry.name for entry in entries)
        message = f"{place.label} set {names}: delete the entries there, or the policy"
        for expression in read_expressions(draft.data):
            text = text_at(draft.data, expression.path)
            if redact(text) != text:
                message += ", because a password stays there; or leave it out with `spec.selector`"
                draft.report("PasswordLeft", message, expression.path)
                return
        draft.report("ByHand", message, entries[0].path, is_stale=True)
