"""YAML documents inside a text of an object, as drafts that write what changed back into the text.

A Secret or a ConfigMap may hold values of a Helm chart, data values of ytt or the configuration of
a product as one text, in base64 or not. The sites of such a document edit a draft of its own. What
changed is written as losslessly as in the object itself, and what is reported about the document is
reported about the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import NestedSites, Places, Site, Variables
from krm_fn.engine import Draft
from krm_fn.formats import embedded
from krm_fn.formats.embedded import Embedded, Value
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Protocol
from krm_fn.patch import Operation

SitesOf = Callable[[Draft], Iterable[Site]]
"""Yield the sites in the draft of a document."""
PlacesOf = Callable[[Draft], Places]
"""The same, where some of them may be in drafts of their own."""

# The CR of a comment belongs to it, and to nothing else: where it could, time is exponential.
_COMMENTS = r"(?:(?:---(?=[ \t\r\n]))?[ \t]*(?:#[^\n]*|\r)?\n)"
BARE = rf"({_COMMENTS}*)%s(\r?\n)?({_COMMENTS}*[ \t]*(?:#[^\n]*)?)"
"""A text of which only an empty document is left, and what is around it."""


class Syntax(Protocol):
    """What another program than a YAML parser makes of a text, such as ytt."""

    def checked(
        self, found: Embedded, operations: Sequence[Operation]
    ) -> Sequence[Operation] | Finding:
        """Return operations that do in the eyes of the program what ``operations`` do.

        Returns:
            A Finding that says why the document must stay, if there are none.
        """

    def opened(self, value: Value, name: str) -> Value | Finding:
        """Return the text to which a first document with the member ``name`` can be added.

        Returns:
            A Finding that says why not, if it cannot.
        """


class TextDraft:
    """One text of an object, and what its documents write into it.

    Args:
        draft: the data of the object.
        value: the text; it need not be in the object yet.
        empty: how a document is written of which nothing is left. It is removed from the text
            again where only comments are around it, so that a text in which a first document was
            begun is what it was.
    """

    def __init__(self, draft: Draft, value: Value, empty: Iterable[str] = ()) -> None:
        self.draft = draft
        self.value = value
        self._empty = tuple(empty)
        self._editor = embedded.TextEditor(value)

    def documents(self) -> list[DocumentDraft] | Finding:
        """Return the documents of the text; why it cannot be read, if it cannot."""
        found = embedded.read(self.value)
        if isinstance(found, Finding):
            return found
        return [DocumentDraft(self, one) for one in found]

    def new_document(self) -> DocumentDraft:
        """Return an empty document for a text that has none."""
        return DocumentDraft(self, Embedded(self.value, -1, {}))

    def edit(self, index: int, operations: Sequence[Operation]) -> Finding | None:
        """Apply operations to one document; return why that is impossible, if it is."""
        text = self._editor.edit(index, operations)
        if isinstance(text, Finding):
            return text
        self.set(self._without_empty_document(text))
        return None

    def set(self, text: str) -> None:
        """Write the text into the object, in the form in which the object holds it."""
        self.draft.set(self.value.path, self.value.written(text))

    def _without_empty_document(self, text: str) -> str:
        """Return a text without its document where that is empty.

        What its author wrote in flow style stays.
        """
        for empty in self._empty:
            bare = re.fullmatch(BARE % re.escape(empty), text)
            if bare is None or not bare[1] + bare[3]:
                continue
            if self.value.text.startswith("{", len(bare[1])):
                continue
            before, newline, behind = bare.groups()
            if newline or behind:
                return str(before + behind)
            return str(before.removesuffix("\n").removesuffix("\r"))
        return text


class DocumentDraft:
    """One YAML document of a text, with a draft of its own.

    Attributes:
        text: holds the document.
        draft: the data of the document.
        is_refused: what was written cannot be taken over into the text.
    """

    def __init__(self, text: TextDraft, found: Embedded) -> None:
        self.text = text
        self.draft = Draft(found.data)
        self.is_refused = False
        self._found = found
        self._committed = found.data

    def commit(self, syntax: Syntax | None = None) -> Finding | None:
        """Write what changed in the draft into the text.

        Returns:
            Why that is impossible; text and draft are as after the last commit then.
        """
        operations: Sequence[Operation] = self.draft.operations()
        if self._found.number < 0:
            problem = self._begin(syntax) if operations else None
        else:
            problem = self._edit(operations, syntax)
        self.is_refused = problem is not None
        if problem is None:
            self._committed = self.draft.snapshot()
        else:
            self.draft.restore(self._committed)
        return problem

    def _begin(self, syntax: Syntax | None) -> Finding | None:
        value: Value | Finding = self.text.value
        if syntax is not None:
            value = syntax.opened(self.text.value, next(iter(self.draft.data)))
        text = value if isinstance(value, Finding) else embedded.begin_text(value, self.draft.data)
        if isinstance(text, Finding):
            return text
        self.text.set(text)
        return None

    def _edit(self, operations: Sequence[Operation], syntax: Syntax | None) -> Finding | None:
        if syntax is not None:
            checked = syntax.checked(self._found, operations)
            if isinstance(checked, Finding):
                return self.about_text(checked)
            operations = checked
        return self.text.edit(self._found.number, operations) if operations else None

    def about_text(self, finding: Finding) -> Finding:
        """Return a finding about the document as one about the text in the object."""
        return finding._replace(message=f"in it, {finding.message}", path=self.text.value.path)


class DocumentSites(NestedSites):
    """The sites of one document inside a text.

    Args:
        document: the document.
        sites: yields its sites.
        syntax: what must agree to an edit of the document; None where it is plain YAML.
    """

    def __init__(
        self, document: DocumentDraft, sites: PlacesOf, syntax: Syntax | None = None
    ) -> None:
        self.document = document
        self.draft = document.draft
        self._sites = sites
        self._syntax = syntax

    def sites(self) -> Places:
        """Yield the sites of the document."""
        return self._sites(self.draft)

    def read(self) -> Iterator[Reading]:
        """Yield what the sites set; each path leads to the text."""
        for site in self.sites():
            for reading in site.read():
                yield reading._replace(path=self.document.text.value.path)

    def commit(self, variables: Variables) -> bool:
        """Write what changed into the text; what was reported is reported about the text."""
        parent = self.document.text.draft
        parent.findings += map(self.document.about_text, self.draft.findings)
        self.draft.findings.clear()
        problem = self.write_text(variables)
        if problem is not None:
            parent.findings.append(problem)
            return False
        for description in self.draft.descriptions:
            parent.describe(description)
        return True

    def write_text(self, variables: Variables) -> Finding | None:
        """Write what changed into the text; return why that is impossible, if it is."""
        return self.document.commit(self._syntax)
