"""What a diff may show of manifests: their lines, without credentials and without what Secrets hold.

A document is read, and what decides about a value is what it says: its text without quotes and escapes, what base64 and
gzip in it decode to, and the documents inside of it. So nothing depends on how somebody wrote it. Each line stays a
line, because a diff is made of lines.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from krm_fn.errors import InputError
from krm_fn.formats.splice import Edit, Span, splice
from krm_fn.krm import proxy_values
from krm_fn.krm.known_secrets import ProxyPasswords
from krm_fn.krm.masking import (
    OUTERMOST,
    Within,
    has_open_credential,
    holds_secret_object,
    masked,
    redact,
)
from krm_fn.krm.named_credentials import shown_value, without_named_values, without_tokens
from krm_fn.noproxy import may_hold_a_credential
from krm_fn.printable import HIDDEN
from krm_fn.yamledit import Document
from krm_fn.yamledit.stream import documents
from krm_fn.yamledit.tree import Alias, Mapping, Node, Scalar, walk
from krm_fn.yamledit.tree import Sequence as SequenceNode
from krm_fn.yamledit.view import is_merge, scalar_value

_QUOTES = ("'", '"')
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MEMBER = re.compile(r"""(\s*(?:- )?["']?[\w./-]+["']?:)\s+\S.*""")
_COMMENT = re.compile(r"(?<!\S)#[^\r\n]+")
_ESCAPED_BREAK = r"(?<!\\)\\n"
"""A line break in double quotes; none behind an escaped backslash."""
_LIST_NAME = re.compile(r"(?:.*_)?no_?proxy", re.IGNORECASE)
_LIST = r"""(?i)(no_?proxy["']?[ \t]{0,8}[=:][ \t]{0,8}["']?)([^"'\n]+)"""


class MaskedLines:
    """The lines of a file as they may be shown; a document is looked at when one of its lines is asked for.

    ``passwords`` are those of the proxies that the command knows.
    """

    def __init__(self, text: str, passwords: ProxyPasswords) -> None:
        self._passwords = passwords
        self._masker = _DocumentMasker(passwords)
        self._parts = list(_parts(text))
        self._starts: list[int] = []
        number = 0
        for part, _ in self._parts:
            self._starts.append(number)
            number += part.count("\n")
        self._known: dict[int, list[str]] = {}

    def between(self, start: int, stop: int) -> list[str]:
        """Return lines, counted from 0, without the one at ``stop``."""
        # A line may have several parts: a byte order mark is none of the document behind it.
        found = [""] * (stop - start)
        at = max(bisect_left(self._starts, start) - 1, 0)
        while at < len(self._parts) and self._starts[at] < stop:
            first, lines = self._starts[at], self._masked(at)
            for number in range(max(start, first), min(stop, first + len(lines))):
                found[number - start] += lines[number - first]
            at += 1
        return found

    def _masked(self, at: int) -> list[str]:
        if at not in self._known:
            text, is_document = self._parts[at]
            if is_document:
                shown = self._masker.document(text)
                # Of what cannot be read, nobody knows what is a value.
                hidden = map(_without_value, lines_of(text))
                self._known[at] = list(hidden) if shown is None else lines_of(shown)
            else:
                shown = self._passwords.hidden(text)
                self._known[at] = [str(redact(line)) for line in lines_of(shown)]
        return self._known[at]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, each with its line feed."""
    return _LINE.findall(text)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the documents of a text and what is between them, and whether each is a document."""
    position = 0
    for start, end in documents(text):
        yield text[position:start], False
        yield text[start:end], True
        position = end
    yield text[position:], False


def _without_value(line: str, *, has_key: bool = False) -> str:
    """Return a line of which only the key before the value is shown, if there is one."""
    text = line.rstrip("\r\n")
    line_break = line[len(text) :]
    member = _MEMBER.fullmatch(text) if has_key else None
    if member:
        return str(redact(f"{member[1]} {HIDDEN}{line_break}"))
    if not text.strip():
        return line
    return f"{text[: len(text) - len(text.lstrip())]}{HIDDEN}{line_break}"


class _DocumentMasker:
    """Masks documents, and texts that may hold documents.

    Args:
        passwords: what is never shown, wherever it is.
    """

    def __init__(self, passwords: ProxyPasswords) -> None:
        self._passwords = passwords

    def document(self, text: str, within: Within = OUTERMOST) -> str | None:
        """Return a document with as many lines; None if it cannot be read, or is one value within a text."""
        document = Document(text)
        try:
            document.data()  # which refuses aliases that say too much
        except InputError:
            return None
        root = document.root
        if within.texts and isinstance(root, Scalar):
            return None
        scalars = [
            node for node in walk(root) if isinstance(node, Scalar) and node.start < node.end
        ]
        borders = list(_borders(text, scalars))
        secrets = _Secrets(root)
        edits = list(self._edits(text, scalars, borders, _known_values(root), within))
        if secrets.are_there:
            edits = sorted([*edits, *_hidden_comments(text, scalars)])
        edits = _with_spans(edits, self._passwords.spans(text))
        shown = _assembled(text, _joined(secrets.spans), sorted(secrets.keys), edits, borders)
        return self._passwords.hidden(shown)

    def _edits(
        self,
        text: str,
        scalars: Sequence[Scalar],
        borders: Sequence[int],
        known: dict[int, str],
        within: Within,
    ) -> Iterator[Edit]:
        """Yield what is shown in the place of values, where it is not what is there.

        Args:
            text: the document.
            scalars: its values and keys, in order.
            borders: where a value begins that does not belong to the one before it.
            known: what may be shown of a value because of the field that it is in.
            within: what is around the document.
        """
        last = 0
        begins = frozenset(borders)
        for number, node in enumerate(scalars):
            shown = masked(known.get(id(node), node.value), self._without_known, within)
            edits = list(_edits_of_value(text, node, shown))
            if not edits or node.start < last:
                continue
            last = _end_of_chain(text, scalars, number, begins)
            if last > node.end:
                # What is behind a comma without a blank may be the rest of a password.
                edits = [(node.start, last, HIDDEN)]
            yield from edits

    def _without_known(self, value: str, within: Within) -> str:
        """Return a value without what the documents in it, its fields and the passwords say to be secret.

        A line of it stays a line, unless nothing of it may be shown.
        """
        shown = self._documents(value, within)
        if shown is not None:
            return shown
        if holds_secret_object(value):
            return HIDDEN
        bare = self._passwords.hidden(value)
        return re.sub(_LIST, _shown_assignment, str(proxy_values.shown(bare, (), None)))

    def _documents(self, value: str, within: Within) -> str | None:
        """Return a text of documents, as it may be shown; None if it is none."""
        if ":" not in value or not ("\n" in value or "{" in value):
            return None
        if within.is_deepest:
            return HIDDEN
        inner = within._replace(texts=within.texts + 1)
        parts = []
        for part, is_document in _parts(value):
            shown = self.document(part, inner) if is_document else self._passwords.hidden(part)
            if shown is None:
                return None
            parts.append(shown)
        return "".join(parts)


def _with_spans(edits: Sequence[Edit], spans: Iterable[Span]) -> list[Edit]:
    """Return edits that also hide spans; of a span that begins or ends in an edit, nothing of both is shown."""
    found: list[Edit] = []
    hidden = ((start, end, HIDDEN) for start, end in spans)
    for start, end, new in sorted([*edits, *hidden], key=lambda edit: (edit[0], -edit[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end, new))
        elif end > found[-1][1]:
            found[-1] = (found[-1][0], end, HIDDEN)
    return found


def _assembled(
    text: str,
    hidden: Sequence[Span],
    keys: Sequence[int],
    edits: Sequence[Edit],
    borders: Sequence[int],
) -> str:
    """Return a text line by line.

    Args:
        text: the document.
        hidden: where nothing but keys is shown, in order and apart from each other.
        keys: where these begin, in order.
        edits: what is shown in the place of values, each within a line, in order.
        borders: where a value begins that does not belong to the one before it.
    """
    starts = [start for start, _, _ in edits]
    ends_of_hidden = [end for _, end in hidden]
    shown, position = [], 0
    for line in lines_of(text):
        end = position + len(line)
        at = bisect_right(ends_of_hidden, position)
        if at < len(hidden) and hidden[at][0] < end:
            has_key = bisect_left(keys, position) < bisect_left(keys, end)
            shown.append(_without_value(line, has_key=has_key))
        else:
            here = [
                (first - position, last - position, new)
                for first, last, new in edits[
                    bisect_left(starts, position) : bisect_left(starts, end)
                ]
            ]
            inside = borders[bisect_right(borders, position) : bisect_left(borders, end)]
            moved = list(_moved([border - position for border in inside], here))
            shown.append(_without_credentials(splice(line, here), moved))
        position = end
    return "".join(shown)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _moved(positions: Iterable[int], edits: Sequence[Edit]) -> Iterator[int]:
    """Yield where positions of a line are after edits; none that is inside of one."""
    by, at = 0, 0
    for position in positions:
        while at < len(edits) and edits[at][1] <= position:
            start, end, new = edits[at]
            by += len(new) - (end - start)
            at += 1
        if at == len(edits) or position <= edits[at][0]:
            yield position + by


def _without_credentials(line: str, borders: Sequence[int]) -> str:
    """Return a line in which each value is masked by itself, so that none hides the values behind it.

    A value without quotes that ends inside of a credential is masked together with the next one.
    """
    parts, start = [], 0
    for border in (*borders, len(line)):
        part = line[start:border]
        is_in_quotes = part.startswith(('"', "'"))
        if border == len(line) or is_in_quotes or not has_open_credential(part):
            # A URL ends where a line of the value does; as a whole, the value is masked before.
            lines = re.split(_ESCAPED_BREAK, part) if part.startswith('"') else [part]
            parts.append(r"\n".join(str(redact(one)) for one in lines))
            start = border
    return "".join(parts)


def _borders(text: str, scalars: Iterable[Scalar]) -> Iterator[int]:
    """Yield where a value begins that does not belong to the one before it.

    A comma without a blank behind it may be part of a password, where neither side of it is in quotes.
    """
    is_behind_quotes = False
    for node in scalars:
        is_in_quotes = node.style in _QUOTES
        if is_in_quotes or is_behind_quotes or text[node.start - 1 : node.start] in " \t[{":
            yield node.start
        is_behind_quotes = is_in_quotes


def _hidden_comments(text: str, scalars: Iterable[Scalar]) -> Iterator[Edit]:
    """Yield what is shown in the place of the comments beside a Secret, where somebody may have left an old value."""
    position = 0
    for start, end in [*((node.start, node.end) for node in scalars), (len(text), len(text))]:
        for found in _COMMENT.finditer(text, position, max(position, start)):
            yield found.start(), found.end(), f"# {HIDDEN}"
        position = max(position, end)


def _end_of_chain(text: str, scalars: Sequence[Scalar], number: int, begins: frozenset[int]) -> int:
    """Return where the last value ends that may belong to the one with this number."""
    end = scalars[number].end
    while number + 1 < len(scalars):
        number += 1
        node = scalars[number]
        if node.start in begins or "\n" in text[end : node.start]:
            break
        end = node.end
    return end


def _edits_of_value(text: str, node: Scalar, shown: str) -> Iterator[Edit]:
    """Yield what puts ``shown`` in the place of a value, in its style where that says it."""
    if shown == node.value:
        return
    raw = text[node.start : node.end]
    in_style = f"{node.style}{node.value}{node.style}"
    if "\n" in raw:
        yield from _edits_of_lines(raw, node, shown)
    elif not raw.endswith(in_style):
        yield node.start, node.end, json.dumps(shown, ensure_ascii=False)
    elif shown != redact(node.value) or _has_name_or_form(node.value):
        # Else the line shows what this would.
        before = raw[: len(raw) - len(in_style)]
        yield node.start, node.end, f"{before}{node.style}{shown}{node.style}"


def _has_name_or_form(value: str) -> bool:
    """Return whether a value holds a credential behind a name, or one known by its form."""
    return without_named_values(without_tokens(value)) != value


def _edits_of_lines(raw: str, node: Scalar, shown: str) -> Iterator[Edit]:
    """Yield what is shown of a value on several lines: of a literal one, each line as it may be shown."""
    first, *lines = raw.split("\n")
    values, new_values = node.value.split("\n"), shown.split("\n")
    position = node.start
    if node.style not in ("|", ">"):
        yield position, position + len(first), HIDDEN
    is_literal = node.style == "|" and len(values) == len(new_values) >= len(lines)
    for number, line in enumerate(lines):
        position += len(first) + 1 if number == 0 else len(lines[number - 1]) + 1
        bare = line.rstrip("\r")
        content = bare.lstrip()
        if not content:
            continue
        new = HIDDEN
        begin = len(bare) - len(content)
        if is_literal and bare.endswith(values[number]) and values[number]:
            new, begin = new_values[number], len(bare) - len(values[number])
        yield position + begin, position + len(bare), new


def _known_values(root: Node) -> dict[int, str]:
    """Return what may be shown of values because of their names, by the ``id`` of their scalars."""
    found: dict[int, str] = {}
    for node in walk(root):
        if isinstance(node, SequenceNode):
            found.update(_values_of_options(node))
        members = _members(node)
        names = [_text(value) for key, value in members if key == "name"]
        for key, value in members:
            of = [key, *names] if key == "value" else [key]
            for scalar in map(_target, _with_items(value)):
                if isinstance(scalar, Scalar):
                    shown = _known_value(of, scalar)
                    if shown is not None:
                        found[id(scalar)] = shown
    return found


def _with_items(value: Node) -> Iterator[Node]:
    """Yield a value, or the items of a list and of the lists in it."""
    if not isinstance(value, SequenceNode):
        yield value
        return
    for item in value.items:
        yield from _with_items(item)


def _known_value(names: Sequence[str], scalar: Scalar) -> str | None:
    """Return what may be shown of a value with these names, or of an item of it; None if they say nothing.

    No field of Kubernetes that is a list has the name of a credential: what is in it is one, too.
    """
    is_text = isinstance(scalar_value(scalar), str)
    if is_text and any(map(_LIST_NAME.fullmatch, names)):
        return _shown_list(scalar.value)
    if is_text and any(map(proxy_values.is_name, names)):
        return proxy_values.shown_url(scalar.value)
    for name in names:
        shown = shown_value(name, scalar.value)
        if shown != scalar.value:
            return shown
    return None


def _values_of_options(node: SequenceNode) -> Iterator[tuple[int, str]]:
    """Yield what may be shown of arguments behind an option without ``=``."""
    for option, argument in pairwise(map(_target, node.items)):
        if not isinstance(option, Scalar) or not isinstance(argument, Scalar):
            continue
        shown = shown_value(option.value, argument.value)
        is_option = option.value.startswith("-") and not argument.value.startswith("-")
        if is_option and shown != argument.value:
            yield id(argument), shown


def _shown_assignment(found: re.Match[str]) -> str:
    return f"{found[1]}{_shown_list(found[2])}"


def _shown_list(text: str) -> str:
    """Return a list of hosts, unless a part of it may be a password: which part cannot be known."""
    return HIDDEN if may_hold_a_credential(text) else text


def _members(node: Node) -> list[tuple[str, Node]]:
    """Return keys and values of a mapping, what it merges included, with what aliases mean; else nothing.

    A key that is there twice is there twice: what readers see of it depends on the reader.
    """
    found: list[tuple[str, Node]] = []
    for key, value in node.entries if isinstance(node, Mapping) else ():
        name, target = _target(key), _target(value)
        if is_merge(key):
            sources = target.items if isinstance(target, SequenceNode) else [target]
            for source in sources:
                found += _members(_target(source))
        elif isinstance(name, Scalar):
            found.append((name.value, target))
    return found


def _target(node: Node) -> Node:
    while isinstance(node, Alias):
        node = node.target
    return node


def _text(node: Node) -> str:
    return node.value if isinstance(node, Scalar) else ""


class _Secrets:
    """The Secrets of a document: where the values are (``spans``), and where their keys begin (``keys``).

    Where an alias says a value, it is also where its anchor is. A Secret without values is there, too (``are_there``).
    """

    def __init__(self, root: Node) -> None:
        self.are_there = False
        self.keys: set[int] = set()
        self._inside: dict[int, Node] = {}
        for node in walk(root):
            members = _members(node)
            for held in _held_by_secret(members):
                self.keys.update(_starts_of_keys(node), _starts_of_keys(held))
                self._note(held)
            self.are_there = self.are_there or bool(self._inside) or _is_secret_object(members)

    @property
    def spans(self) -> list[Span]:
        """Where the values begin and end."""
        return [(node.start, node.end) for node in self._inside.values()]

    def _note(self, node: Node) -> None:
        """Note a node and what the aliases in it mean, each once."""
        if id(node) in self._inside:
            return
        self._inside[id(node)] = node
        for inner in walk(node):
            if isinstance(inner, Alias):
                self._note(_target(inner))


def _starts_of_keys(node: Node) -> list[int]:
    return [key.start for key, _ in node.entries] if isinstance(node, Mapping) else []


def _is_secret_object(members: Sequence[tuple[str, Node]]) -> bool:
    """Return whether these are the members of a Secret; what refers to one has no metadata."""
    keys = {key for key, _ in members}
    return "metadata" in keys and any(
        key == "kind" and _text(value) == "Secret" for key, value in members
    )


def _held_by_secret(members: Sequence[tuple[str, Node]]) -> Iterator[Node]:
    """Yield what nobody may see of an object; an overlay of a Secret may have no kind."""
    kinds = {_text(value) for key, value in members if key == "kind"}
    for key, value in members:
        is_value = key == "stringData" or (key == "data" and "Secret" in kinds)
        if is_value or (key == "items" and "SecretList" in kinds):
            yield value
