"""Documents inside a text: what their sites write goes into the text as a whole or not at all."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from krm_fn.carriers.documents import DocumentSites, TextDraft
from krm_fn.carriers.site import read_sites, write_sites
from krm_fn.carriers.three_keys import SHORT, SNAKE, ThreeKeys, ThreeKeysSite
from krm_fn.carriers.whole_text import WholeText
from krm_fn.engine import Draft
from krm_fn.formats.embedded import Embedded, Value, values
from krm_fn.krm.results import Edit, Finding, Severity
from krm_fn.patch import Operation
from krm_fn.settings import ProxySettings
from proposals import HTTP, HTTPS

PATH = ("data", "values")
SETTINGS = ProxySettings(HTTP, HTTPS)
ROOT = ThreeKeys((), SNAKE, "the values", kept=0)
PROXY = ThreeKeys(("proxy",), SHORT, "`proxy`", kept=0)
MEMBERS = f"http_proxy: {HTTP}\nhttps_proxy: {HTTPS}\n"


def root(draft: Draft) -> list[ThreeKeysSite]:
    return [ROOT.in_draft(draft)]


def both(draft: Draft) -> list[ThreeKeysSite]:
    return [PROXY.in_draft(draft), ROOT.in_draft(draft)]


def config_map(text: str) -> dict[str, Any]:
    return {"kind": "ConfigMap", "data": {"values": text}}


class Refusing:
    """Another program that agrees to nothing, or to what does not set ``name``."""

    def __init__(self, name: str = "") -> None:
        self._name = name

    def checked(self, found: Embedded, operations: Sequence[Operation]) -> Sequence[Operation] | Finding:
        if any(self._name in operation.path for operation in operations) or not self._name:
            return Finding(Severity.WARNING, "not here", ("a",), code="YttCode")
        return operations

    def opened(self, value: Value, name: str) -> Value | Finding:
        return Finding(Severity.WARNING, "nothing begins here", value.path, code="YttCode")


def written(
    obj: dict[str, Any], sites: Callable[[Draft], Iterable[ThreeKeysSite]] = both, *, syntax: Any = None
) -> tuple[str, Edit | None, list[Finding]]:
    """The text after the sites of all its documents are written, and what is said about that."""
    draft = Draft(obj)
    (value,) = values(obj)
    assert isinstance(value, Value)
    documents = TextDraft(draft, value).documents()
    assert isinstance(documents, list)
    edit = write_sites(draft, [DocumentSites(one, sites, syntax) for one in documents], SETTINGS.variables())
    return draft.get(value.path), edit, draft.findings


def test_the_sites_of_a_document_are_one_edit_that_names_them() -> None:
    text, edit, _ = written(config_map("# kept\nproxy: {}\nhttp_proxy: http://old:1 # why\n"))

    assert text == (
        f"# kept\nproxy: # was: {{}}\n  http: {HTTP}\n  https: {HTTPS}\n"
        f"http_proxy: {HTTP} # why\nhttps_proxy: {HTTPS}\n"
    )
    assert edit is not None
    assert [one.path for one in edit.operations] == [PATH]
    assert edit.message == "sets the proxy in `proxy` and the values"


def test_several_documents_of_one_text_are_one_operation() -> None:
    text, edit, _ = written(config_map("a: 1\n---\n# kept\n---\nhttp_proxy: old\n"), root)

    assert text == f"a: 1\n{MEMBERS}---\n# kept\n---\n{MEMBERS}"
    assert edit is not None
    assert len(edit.operations) == 1


def test_base64_stays_base64() -> None:
    coded = base64.b64encode(b"a: 1\n").decode()

    text, _, _ = written({"kind": "Secret", "data": {"values": coded}}, root)

    assert base64.b64decode(text).decode() == f"a: 1\n{MEMBERS}"


def test_what_is_wrong_inside_is_reported_about_the_text_and_the_rest_is_written() -> None:
    text, _, (finding,) = written(config_map("proxy: 1\n"))

    assert text == f"proxy: 1\n{MEMBERS}"
    assert finding.message == "in it, `proxy` must be a mapping, not a number; correct it, or leave it out"
    assert finding.path == PATH


def test_nothing_of_a_document_is_written_where_another_program_refuses_it() -> None:
    text, edit, (finding,) = written(config_map("a: 1\n"), syntax=Refusing())

    assert (text, edit) == ("a: 1\n", None)
    assert (finding.message, finding.path, finding.code) == ("in it, not here", PATH, "YttCode")


def test_what_is_refused_takes_nothing_of_what_was_written_before() -> None:
    draft = Draft(config_map("a: 1\n"))
    documents = TextDraft(draft, Value(PATH, "a: 1\n")).documents()
    assert isinstance(documents, list)
    sites = [
        DocumentSites(documents[0], root, Refusing("proxy")),
        DocumentSites(documents[0], lambda inner: [PROXY.in_draft(inner)], Refusing("proxy")),
        DocumentSites(documents[0], lambda inner: [ThreeKeys(("more",), SHORT, "more").in_draft(inner)]),
    ]

    edit = write_sites(draft, sites, SETTINGS.variables())

    assert draft.get(PATH) == f"a: 1\n{MEMBERS}more:\n  http: {HTTP}\n  https: {HTTPS}\n"
    assert edit is not None
    assert edit.message == "sets the proxy in the values and more"
    assert [one.message for one in draft.findings] == ["in it, not here"]


def test_a_text_that_yaml_cannot_read_is_reported() -> None:
    draft = Draft(config_map("a: ["))

    found = TextDraft(draft, Value(PATH, "a: [")).documents()

    assert isinstance(found, Finding)
    assert (found.path, found.code) == (PATH, "TextUnreadable")


def test_a_document_that_has_a_key_twice_is_an_error() -> None:
    text, edit, (finding,) = written(config_map("http_proxy: a\nhttp_proxy: b\n"), root)

    assert (text, edit) == ("http_proxy: a\nhttp_proxy: b\n", None)
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("syntax", "text", "messages"),
    [
        pytest.param(None, f"# only this\n{MEMBERS}", [], id="plain YAML"),
        pytest.param(Refusing(), "# only this\n", ["nothing begins here"], id="another program refuses"),
    ],
)
def test_a_first_document_is_begun(syntax: Any, text: str, messages: list[str]) -> None:
    draft = Draft(config_map("# only this\n"))
    document = TextDraft(draft, Value(PATH, "# only this\n")).new_document()

    write_sites(draft, [DocumentSites(document, root, syntax)], SETTINGS.variables())

    assert draft.get(PATH) == text
    assert [one.message for one in draft.findings] == messages


def test_what_is_read_leads_to_the_text() -> None:
    draft = Draft(config_map(MEMBERS))
    documents = TextDraft(draft, Value(PATH, MEMBERS)).documents()
    assert isinstance(documents, list)

    readings = list(read_sites([DocumentSites(documents[0], root)]))

    assert {one.variable: one.value for one in readings} == SETTINGS.variables()
    assert {one.path for one in readings} == {PATH}


# Texts that are one document.


def whole(obj: dict[str, Any], variables: Any, **known: bool) -> Draft:
    """The draft of an object after its text is written; ``variables`` are empty for a removal."""
    draft = Draft(obj)
    found = [one for one in values(obj) if isinstance(one, Value) and one.path == PATH]
    value = found[0] if found else Value(PATH, "")
    text = TextDraft(draft, value, empty=("{}",))
    documents = text.documents()
    assert isinstance(documents, list)
    site = WholeText(
        text,
        documents,
        both,
        is_created=known.get("is_created", False),
        is_ours=known.get("is_ours", False),
    )
    write_sites(draft, [site], variables)
    return draft


NEW = f"proxy:\n  http: {HTTP}\n  https: {HTTPS}\n{MEMBERS}"


@pytest.mark.parametrize("text", ["", "{}\n", "{}"])
def test_a_text_that_says_nothing_gets_its_values(text: str) -> None:
    assert whole(config_map(text), SETTINGS.variables()).data == config_map(NEW)


def test_a_text_that_is_missing_is_created() -> None:
    assert whole({"kind": "ConfigMap"}, SETTINGS.variables()).data == config_map(NEW)


@pytest.mark.parametrize(
    ("obj", "is_created", "after"),
    [
        pytest.param(config_map(NEW), False, {"kind": "ConfigMap"}, id="the field goes with its last text"),
        pytest.param(config_map(NEW), True, None, id="the object goes if inject-proxy created it"),
        pytest.param(
            {"kind": "ConfigMap", "data": {"values": NEW, "other": "x"}},
            True,
            {"kind": "ConfigMap", "data": {"other": "x"}},
            id="another text stays, and so does the object",
        ),
        pytest.param(config_map(f"# kept\n{NEW}"), True, config_map("# kept\n"), id="a comment stays"),
        pytest.param(config_map(f"{NEW}a: 1\n"), True, config_map("a: 1\n"), id="another value stays"),
        pytest.param(config_map(""), True, None, id="a text that is empty already"),
        pytest.param(config_map(""), False, config_map(""), id="an empty text of somebody"),
    ],
)
def test_what_is_left_without_a_proxy(obj: dict[str, Any], is_created: bool, after: Any) -> None:
    assert whole(obj, {}, is_created=is_created).data == after


def test_a_text_that_holds_nothing_but_a_proxy_is_written_again_by_who_writes_all_of_it() -> None:
    before = config_map("https_proxy: 'http://old:1'\n")

    theirs = whole(before, SETTINGS.variables()).get(PATH)

    assert theirs.startswith(f"http_proxy: {HTTP}\nhttps_proxy: '{HTTPS}'\nproxy:\n")
    assert whole(before, SETTINGS.variables(), is_ours=True).get(PATH) == NEW
    assert whole(config_map("# c\nno_proxy: x\n"), SETTINGS.variables(), is_ours=True).get(PATH).startswith("# c\n")


@pytest.mark.parametrize("text", ["- a\n", "~\n", "text\n"])
def test_a_text_that_is_no_mapping_stays_and_is_reported(text: str) -> None:
    draft = whole(config_map(text), SETTINGS.variables())

    assert draft.data == config_map(text)
    assert [one.message.partition(", not")[0] for one in draft.findings] == ["in it, the document must be a mapping"]
