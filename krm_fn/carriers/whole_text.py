"""A text of an object that is one document of values.

A missing text is created. A text without any member is removed, with the field that held nothing
else, and with the object if inject-proxy created that. A text with a comment stays.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.carriers.documents import DocumentDraft, DocumentSites, SitesOf, TextDraft
from krm_fn.carriers.site import Places, Variables, write_sites
from krm_fn.engine import Draft
from krm_fn.formats.embedded import begin_text, places, values
from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any

_NOTHING = "{}\n"
"""A text of which only an empty mapping is left, and no comment."""


class WholeText(DocumentSites):
    """The sites of the first document of a text.

    Args:
        text: the text; it need not be in the object yet.
        documents: those of the text.
        sites: yields the sites of the first document.
        is_created: inject-proxy created the object, so it may be removed.
        is_ours: who writes the text writes all of it: where it holds nothing but a proxy and no
            comment, it is written again as a new text would be.
    """

    def __init__(
        self,
        text: TextDraft,
        documents: list[DocumentDraft],
        sites: SitesOf,
        *,
        is_created: bool,
        is_ours: bool,
    ) -> None:
        self._value = text.value
        self._is_created = is_created
        self._is_ours = is_ours
        is_empty_mapping = text.value.text.strip() == _NOTHING.strip()
        self._is_blank = not documents or is_empty_mapping
        if is_empty_mapping:
            text = TextDraft(text.draft, text.value._replace(text=""))
        super().__init__(text.new_document() if self._is_blank else documents[0], sites)

    def sites(self) -> Places:
        """Yield the sites of the document; nothing where it is no mapping, which is reported."""
        if isinstance(self.draft.data, dict):
            yield from super().sites()
        else:
            self.draft.findings.append(wrong_type((), self.draft.data, "a mapping"))

    def write_text(self, variables: Variables) -> Finding | None:
        """Write what changed into the text, or remove the text.

        Returns:
            Why that is impossible, if it is.
        """
        operations = self.draft.operations()
        if self._is_blank and not operations:
            if self._is_only_text():
                self._remove_object()
            return None
        if not self._is_blank and operations and variables and self._is_nothing_but_a_proxy():
            return self._write_again(variables)
        problem = super().write_text(variables)
        if problem is None and operations and not self._is_blank and self._is_nothing_left():
            self._remove()
        return problem

    def _is_nothing_but_a_proxy(self) -> bool:
        """Return whether the document was empty without its proxy."""
        if not self._is_ours or "#" in self._value.text:
            return False
        without = self._filled(self.draft.before, {})
        return not without.findings and not without.data

    def _write_again(self, variables: Variables) -> Finding | None:
        value = self._value._replace(text="")
        text = begin_text(value, self._filled({}, variables).data)
        if isinstance(text, Finding):
            return text
        self.document.text.set(text)
        return None

    def _filled(self, data: Any, variables: Variables) -> Draft:
        """Return a draft of other data of the document after its sites are written."""
        draft = Draft(data)
        write_sites(draft, self._sites(draft), variables)
        return draft

    def _is_nothing_left(self) -> bool:
        written = self.document.text.draft.get(self._value.path)
        return bool(written == self._value.written(_NOTHING))

    def _remove(self) -> None:
        if self._is_only_text():
            self._remove_object()
            return
        parent = self.document.text.draft
        for path in places(parent.data, self._value):
            parent.remove(path)

    def _remove_object(self) -> None:
        parent = self.document.text.draft
        parent.remove(())
        parent.describe(
            "removes the object, which inject-proxy created and which holds nothing else"
        )

    def _is_only_text(self) -> bool:
        """Return whether inject-proxy created the object and nothing but this text is in it."""
        obj: Mapping[str, Any] = self.document.text.draft.before
        return self._is_created and all(one.path == self._value.path for one in values(obj))
