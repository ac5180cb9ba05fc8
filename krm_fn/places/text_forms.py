"""Forms in a text of an object: YAML documents, one value. The text may be base64 in a Secret.

The text is edited as losslessly as the object around it. A text of which nothing is left is removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from krm_fn.engine import Draft
from krm_fn.formats import embedded
from krm_fn.formats.embedded import NotEditedError, Value
from krm_fn.krm.results import wrong_type
from krm_fn.light_typing import Any, NamedTuple, Protocol
from krm_fn.places.mapping_forms import in_both_cases
from krm_fn.places.place import Place, Places, Readings, read_places, write_places
from krm_fn.settings import ProxySettings

# Yield the places of one YAML document.
PlacesOf = Callable[[Any], Places]


class TextForm(Protocol):
    """How a text holds a proxy."""

    def read(self, value: Value, place: Place) -> Readings:
        """Yield the variables that the text sets."""

    def edit(self, draft: Draft, value: Value, settings: ProxySettings) -> str:
        """Return the text with the settings; report an obstacle in the draft."""


class Text(NamedTuple):
    """A text of an object, as a form.

    Attributes:
        value: the text, as it was when the place was found.
        form: the form of the proxy in it.
        stays: the text stays as an empty one where nothing is left in it.
    """

    value: Value
    form: TextForm
    stays: bool = False

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables of the text as the data hold it, so also after an edit; each path leads to the text."""
        text = embedded.current(data, self.value)
        for reading in self.form.read(text, place):
            yield reading._replace(path=place.path)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Edit the text; remove it where nothing is left in it."""
        if self.value.problem:
            draft.findings.append(self.value.problem)
            return
        try:
            new = self.form.edit(draft, self.value, settings)
        except NotEditedError as error:
            draft.findings.append(error.finding)
            return
        if new == self.value.text:
            return
        if not place.path:
            draft.set((), new)
        elif new or self.stays:
            written = self.value.written(new)
            draft.set(place.path, written)
        else:
            for path in embedded.places(draft.data, self.value):
                draft.remove(path, keep=place.kept_steps)


def text_place(value: Value, form: TextForm, label: str) -> Place:
    """Return the place of a text."""
    return Place(value.path, Text(value, form), label)


def text_of(data: Any, key: str) -> Value:
    """Return the text under a key of a ConfigMap or a Secret; a new one is empty."""
    for value in embedded.values(data):
        if value.path[1:] in ((), (key,)):
            return value
    return new_text(data, key)


def new_text(data: Any, key: str) -> Value:
    """Return an empty text under a key that an object lacks: text needs no base64 in a Secret."""
    is_secret = data.get("kind") == "Secret"
    if not is_secret:
        return Value(("data", key), "")
    # A Secret that has base64 alone gets base64, so that people find all keys in one member.
    if "data" in data and "stringData" not in data:
        return Value(("data", key), "", is_base64=True)
    return Value(("stringData", key), "")


class ComputedText(NamedTuple):
    """A text that follows from the settings.

    Attributes:
        value: returns it.
        variable: the one that it is for its reader; "" for none.
        maybe_elsewhere: the variables that the reader may get from elsewhere.
    """

    value: Callable[[ProxySettings], str]
    variable: str = ""
    maybe_elsewhere: frozenset[str] = frozenset()

    def read(self, value: Value, place: Place) -> Readings:
        """Yield the variable."""
        if not value.text or not self.variable:
            return
        for reading in in_both_cases(self.variable, value.text, value.path, place.label):
            yield reading._replace(maybe_elsewhere=self.maybe_elsewhere)

    def edit(self, draft: Draft, value: Value, settings: ProxySettings) -> str:
        """Return the text."""
        return self.value(settings)


def one_variable(variable: str) -> ComputedText:
    """Return the form of a text that is the value of one variable."""
    return ComputedText(lambda settings: settings.variables.get(variable, ""), variable)


class YamlText(NamedTuple):
    """YAML documents in a text.

    Attributes:
        places: those of each document that has any.
        new_document: those of a document that is begun in a text without one.
        empty: how a document is written of which nothing is left; it goes.
        is_first_only: documents behind the first mapping do not count.
        says_nothing: whether a document says nothing; a text of such documents alone goes.
    """

    places: PlacesOf
    new_document: Sequence[Place] = ()
    empty: str = "{}"
    is_first_only: bool = True
    says_nothing: Callable[[Any], bool] | None = None
    holds: type = dict

    def read(self, value: Value, place: Place) -> Readings:
        """Yield the variables of the documents."""
        documents = embedded.readable(value)
        for document in self._concerned(documents).values():
            places = self.places(document)
            yield from read_places(document, places)

    def edit(self, draft: Draft, value: Value, settings: ProxySettings) -> str:
        """Return the text with the settings in the places of its documents."""
        documents = embedded.read(value)
        if not documents:
            return self._begin(draft, value, settings)
        concerned = self._concerned(documents)
        if not concerned and self.new_document and settings.sets_any:
            finding = wrong_type(value.path, documents[0], "a mapping")
            draft.findings.append(finding)
        new = {}
        descriptions = []
        for number, document in concerned.items():
            inner = Draft(document)
            places = self.places(document)
            write_places(inner, places, settings)
            for finding in inner.findings:
                message = f"in it, {finding.message}"
                outer = finding._replace(message=message, path=value.path)
                draft.findings.append(outer)
            # A document in which nothing changes keeps its text, and is never refused for code of ytt.
            if inner.operations():
                new[number] = inner.data
                descriptions += inner.descriptions
        if not new:
            return value.text
        text = embedded.edited(value, new)
        _describe(draft, descriptions)
        return self._without_empty(text, value.text)

    def _concerned(self, documents: Sequence[Any]) -> dict[int, Any]:
        """Return the documents that count, mappings, by their numbers."""
        concerned = {}
        for number, document in enumerate(documents):
            if isinstance(document, self.holds):
                concerned[number] = document
                if self.is_first_only:
                    break
        return concerned

    def _begin(self, draft: Draft, value: Value, settings: ProxySettings) -> str:
        """Return the text with a first document, if there is anything to write into it."""
        inner = Draft({})
        write_places(inner, self.new_document, settings)
        if not inner.data:
            return value.text
        text = embedded.begin_text(value, inner.data)
        _describe(draft, inner.descriptions)
        return text

    def _without_empty(self, text: str, before: str) -> str:
        """Return a text without a last document of which nothing is left; one that was empty before stays."""
        behind = rf"(\A|\n)(?:{re.escape(self.empty)}|\{{\}})(\r?\n)?\Z"
        # An empty document that was there before belongs to its author.
        if text == before or re.search(behind, before):
            return text
        if "#@data/values" in text:  # ytt lays a document of nothing over all defaults
            return text
        if self.says_nothing:
            documents = embedded.read(Value((), text))
            if all(map(self.says_nothing, documents)):
                return ""
        return re.sub(behind, lambda match: match[1] if match[2] else "", text)


def _describe(draft: Draft, descriptions: Iterable[str]) -> None:
    for description in descriptions:
        draft.describe(description)
