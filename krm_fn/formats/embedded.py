"""YAML documents inside a value of a Secret or a ConfigMap, read and edited as losslessly as the object around them.

It knows where such a text is and how it is encoded, and never reads it. A text that is
not there, or cannot be read, is no text; a part of it that no edit is about stays as it is, comments and annotations
of ytt, separators and order included.

Source: Kubernetes ``core/v1``: ``stringData`` of a Secret replaces the same key in ``data``, whose values
are base64; values of a ConfigMap's ``data`` are text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from krm_fn.errors import EditError, InputError
from krm_fn.formats import left_alone
from krm_fn.formats.escaping import base64_of, text_of_base64
from krm_fn.krm.results import Result, wrong_type
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Data, Pointer, lookup
from krm_fn.yamledit import CODE_OF_YTT, Document
from krm_fn.yamledit.render import block_text
from krm_fn.yamledit.stream import rewrite_documents, texts_of_documents
from krm_fn.yamledit.tree import newline_of


class Value(NamedTuple):
    """One text of an object: ``path`` leads to it, ``is_base64`` says how it is written there.

    ``width``: the length of a line if base64 has several lines, else 0; ``ending``: the line breaks behind base64;
    ``before`` and ``behind``: the texts around one that is a part of the one at ``path``; ``problem``: why the
    text cannot be read.
    """

    path: Pointer
    text: str
    is_base64: bool = False
    width: int = 0
    ending: str = ""
    before: str = ""
    behind: str = ""
    problem: Result | None = None

    @property
    def is_yaml(self) -> bool:
        """Whether it is YAML by the name of its key, or a field that cannot be read at all."""
        return len(self.path) == 1 or self.path[-1].endswith((".yaml", ".yml"))

    def written(self, text: str) -> str:
        """Return ``text`` as the object must hold it."""
        if not self.is_base64:
            return f"{self.before}{text}{self.behind}"
        coded = base64_of(text)
        width = self.width or len(coded) or 1
        lines = [coded[start : start + width] for start in range(0, len(coded), width)]
        return "\n".join(lines) + self.ending


class NotEditedError(Exception):
    """A text cannot be read or edited; ``finding`` says why."""

    def __init__(self, finding: Result) -> None:
        super().__init__(finding.message)
        self.finding = finding


def values(data: Data) -> list[Value]:
    """Return the texts of a Secret or a ConfigMap, in order.

    If a key is in ``data`` and in ``stringData``, only the latter counts. A value that SOPS has encrypted is no text.
    """
    if left_alone.is_encrypted(data):
        return [_unread(left_alone.refusal())]
    texts = {}
    is_secret = data.get("kind") == "Secret"
    for field in ("stringData", "data") if is_secret else ("data",):
        members = data.get(field)
        if members is not None and not isinstance(members, Mapping):
            texts[field] = _unread(wrong_type((field,), members, "a mapping"))
            continue
        is_base64 = is_secret and field == "data"
        for key, text in (members or {}).items():
            if key not in texts and text is not None:
                texts[key] = _value((field, str(key)), text, is_base64=is_base64)
    return list(texts.values())


def current(data: Any, value: Value) -> Value:
    """Return a text as an object holds it now, after an edit; an empty one where it is gone, or not there yet.

    Args:
        data: the object, or the document, in which the path of the text leads to it.
        value: the text as it was.
    """
    written = lookup(data, value.path)
    if value.problem or not isinstance(written, str):
        return value._replace(text="")
    if value.is_base64:
        return value._replace(text=text_of_base64(written))
    end = len(written) - len(value.behind)
    return value._replace(text=written[len(value.before) : end])


def places(data: Data, value: Value) -> list[Pointer]:
    """Return the paths that must go from an object so that a text of it is gone.

    That is the text, and the one that it hides: the same key in ``data`` would count without that in ``stringData``.
    """
    hidden = ("data", value.path[-1])
    if value.path[0] == "stringData" and lookup(data, hidden) is not None:
        return [value.path, hidden]
    return [value.path]


@lru_cache(maxsize=8)
def read(value: Value) -> list[Any]:
    """Return the plain data of the YAML documents of a text, which must not be changed.

    Raises:
        NotEditedError: the text cannot be read.
    """
    if value.problem:
        raise NotEditedError(value.problem)
    try:
        return [Document(text).data() for text in texts_of_documents(value.text)]
    except InputError as error:
        raise _left_alone(value, error) from None


def readable(value: Value) -> list[Any]:
    """Return the YAML documents of a text; none where it cannot be read."""
    try:
        return read(value)
    except NotEditedError:
        return []


def edited(value: Value, new: Mapping[int, Any]) -> str:
    """Return the text after new data for some of its documents, by their numbers.

    Raises:
        NotEditedError: a document cannot be edited, or code of ytt is in the text.
    """
    _refuse_code(value)
    parts = texts_of_documents(value.text)
    for_ytt = CODE_OF_YTT in value.text
    texts = {}
    try:
        for number, data in new.items():
            texts[number] = Document(parts[number], for_ytt=for_ytt).with_data(data)
        return rewrite_documents(value.text, texts)
    except EditError as error:
        raise _refused(value, error) from None
    except InputError as error:
        raise _left_alone(value, error) from None


def begin_text(value: Value, members: Data) -> str:
    """Return a text that has no document, only comments and separators, with a first one behind them.

    A text without a line break at its end gets none, so that removal gives it back.

    Args:
        value: the text as it is.
        members: the members of the document.

    Raises:
        NotEditedError: code of ytt is in the text, or a YAML parser would not read the document there.
    """
    _refuse_code(value)
    before = left_alone.opened(value.text)
    document = block_text(dict(members), like=before)
    text = before + document
    if before and not before.endswith("\n"):
        newline = newline_of(before)
        text = f"{before}{newline}{document.removesuffix(newline)}"
    if readable(Value((), text)) == [dict(members)]:
        return text
    raise _refused(
        value,
        EditError(
            "the new text would not say what is meant: separate its documents by lines of `---` alone"
        ),
    )


def mappings(value: Value) -> list[Fields]:
    """Return the documents of a text that are mappings; none where it cannot be read."""
    return [document for document in readable(value) if isinstance(document, dict)]


def _refuse_code(value: Value) -> None:
    if left_alone.has_code(value.text):
        raise NotEditedError(Result("TextUnreadable", left_alone.HAS_CODE, value.path))


def _left_alone(value: Value, error: InputError) -> NotEditedError:
    return NotEditedError(
        Result(
            "TextUnreadable",
            f"the YAML in it cannot be read and is left as it is: {error}",
            value.path,
        )
    )


def _refused(value: Value, error: EditError) -> NotEditedError:
    return NotEditedError(
        Result(error.code, f"the YAML in it cannot be edited: {error}", value.path)
    )


def _unread(problem: Result) -> Value:
    return Value(problem.path, "", problem=problem)


def _value(path: Pointer, text: Any, *, is_base64: bool) -> Value:
    """Return the text at a path, or why it cannot be read."""
    if not isinstance(text, str):
        return _unread(wrong_type(path, text, "a string"))
    value = Value(path, text)
    if is_base64 and not left_alone.hides(text):
        try:
            plain = text_of_base64(text)
        except ValueError:
            return _unread(
                Result(
                    "TextUnreadable",
                    f"`{path[-1]}` must be base64 of UTF-8 text; correct it, or write the text itself under "
                    "`stringData`",
                    path,
                )
            )
        lines = text.rstrip("\n")
        first, newline, _ = lines.partition("\n")
        width = len(first) if newline else 0
        value = Value(path, plain, is_base64=True, width=width, ending=text[len(lines) :])
    if left_alone.hides(value.text):
        return _unread(left_alone.refusal(path))
    return value
