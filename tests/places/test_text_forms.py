"""Forms in a text of an object: YAML documents, a value that follows from the settings."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import pytest

from krm_fn.formats.embedded import Value, values
from krm_fn.krm.results import Result
from krm_fn.patch import lookup
from krm_fn.places.mapping_forms import SHORT, SNAKE
from krm_fn.places.place import Place
from krm_fn.places.text_forms import ComputedText, Text, YamlText, new_text, one_variable, text_of
from krm_fn.settings import ProxySettings
from places_forms import place, read, write
from proposals import FULL, HTTP, HTTPS, NO, NONE

PATH = ("data", "values")
SETTINGS = ProxySettings(HTTP, HTTPS)
ROOT = place(SNAKE)
MEMBERS = f"http_proxy: {HTTP}\nhttps_proxy: {HTTPS}\n"
NEW = f"proxy:\n  http: {HTTP}\n  https: {HTTPS}\n{MEMBERS}"


def both(_: Any) -> Iterable[Place | Result]:
    return [Place(("proxy",), SHORT, "`proxy`"), ROOT]


DOCUMENTS = YamlText(both, [*both({})])  # type: ignore[list-item]
EACH = YamlText(lambda _: [ROOT], is_first_only=False)


def config_map(text: Any) -> dict[str, Any]:
    return {"kind": "ConfigMap", "data": {"values": text}}


def at(obj: Any, form: Any, *, stays: bool = False) -> Place:
    return Place(PATH, Text(text_of(obj, "values"), form, stays), "the values")


def text_after(obj: Any, form: Any, settings: ProxySettings = SETTINGS) -> Any:
    """The text after a run; None for no text. A second run must change nothing."""
    draft, _ = write(obj, at(obj, form), settings)
    assert write(draft.data, at(draft.data, form), settings)[0].edits == 0
    return lookup(draft.data, PATH)


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        pytest.param(
            "# kept\nproxy: {}\nhttp_proxy: http://old:1 # why\n",
            DOCUMENTS,
            f"# kept\nproxy: # was: {{}}\n  http: {HTTP}\n  https: {HTTPS}\n"
            f"http_proxy: {HTTP} # why\nhttps_proxy: {HTTPS}\n",
            id="all places of a document",
        ),
        pytest.param(
            "a: 1\n---\n# kept\n---\nhttp_proxy: old\n",
            EACH,
            f"a: 1\n{MEMBERS}---\n# kept\n---\n{MEMBERS}",
            id="each document",
        ),
        pytest.param("", DOCUMENTS, NEW, id="an empty text"),
        pytest.param("# only this\n", DOCUMENTS, f"# only this\n{NEW}", id="a comment"),
        pytest.param("# only this\n", EACH, "# only this\n", id="a comment, where no document is begun"),
    ],
)
def test_documents_get_what_their_places_say(text: Any, form: YamlText, expected: str) -> None:
    assert text_after(config_map(text), form) == expected


@pytest.mark.parametrize(
    ("text", "left"),
    [pytest.param(NEW, None, id="nothing is left"), pytest.param(f"# kept\n{NEW}", "# kept\n", id="a comment")],
)
def test_what_is_left_without_a_proxy(text: str, left: str | None) -> None:
    assert text_after(config_map(text), DOCUMENTS, NONE) == left


def test_what_hides_behind_a_text_that_goes_goes_too() -> None:
    coded = base64.b64encode(b"old").decode()
    secret = {"kind": "Secret", "stringData": {"values": HTTP}, "data": {"values": coded, "other": coded}}
    form = one_variable("HTTP_PROXY")
    place_of_text = Place(("stringData", "values"), Text(values(secret)[0], form), "x")
    assert write(secret, place_of_text, NONE)[0].data == {"kind": "Secret", "data": {"other": coded}}


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        pytest.param(MEMBERS, EACH, SETTINGS.variables, id="documents"),
        pytest.param(HTTP, one_variable("HTTP_PROXY"), {"HTTP_PROXY": HTTP, "http_proxy": HTTP}, id="a value"),
        pytest.param("", one_variable("HTTP_PROXY"), {}, id="an empty text"),
        pytest.param("a: [", EACH, {}, id="no YAML"),
    ],
)
def test_what_is_read_leads_to_the_text(text: str, form: Any, expected: dict[str, str]) -> None:
    obj = config_map(text)
    assert read(obj, at(obj, form)) == expected
    assert {reading.path for reading in at(obj, form).form.read(obj, at(obj, form))} <= {PATH}


def test_a_text_that_follows_from_the_settings_is_written_and_removed() -> None:
    form = ComputedText(lambda settings: settings.no_proxy, "NO_PROXY")
    assert text_after(config_map("old"), form, FULL) == NO
    assert text_after(config_map("old"), form, NONE) is None
    kept = config_map("old")
    assert write(kept, at(kept, form, stays=True), NONE)[0].data == config_map("")


@pytest.mark.parametrize(
    ("obj", "path", "is_base64"),
    [
        pytest.param({"kind": "Secret"}, ("stringData", "k"), False, id="a Secret"),
        pytest.param({"kind": "Secret", "data": {}}, ("data", "k"), True, id="a Secret with data in base64"),
    ],
)
def test_where_a_new_text_stands(obj: Any, path: tuple[str, ...], is_base64: bool) -> None:
    assert new_text(obj, "k") == Value(path, "", is_base64=is_base64)
