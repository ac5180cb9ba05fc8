"""All places of an object: which of them are written, and what is said of that; items that are told by their names."""

from __future__ import annotations

from typing import Any

import pytest

from certificates import ONE
from krm_fn.engine import Draft
from krm_fn.krm.results import Result
from krm_fn.places.certificates import write_certificates
from krm_fn.places.containers import EnvEntries
from krm_fn.places.mapping_forms import CAMEL, NamedItem
from krm_fn.places.place import Place, WrittenForm, read_places, write_places
from krm_fn.settings import ProxySettings
from places_forms import place, read, written
from proposals import FULL, HTTP, NONE, env

OURS = env(FULL.variables)
A, B = Place(("a",), CAMEL, "a"), Place(("b",), CAMEL, "b")
CERTIFICATES = Place(("ca",), WrittenForm(write_certificates), "the certificates", is_unconditional=True)
UNDECLARED = ONE._replace(is_declared=False)


@pytest.mark.parametrize(
    ("places", "settings", "members"),
    [
        pytest.param([A, B], FULL, ["a", "b"], id="each place"),
        pytest.param([A, CERTIFICATES], UNDECLARED, ["ca"], id="certificates alone, where no proxy is declared"),
        pytest.param([A, B._replace(settings=NONE)], FULL, ["a"], id="a place with settings of its own"),
        pytest.param([A._replace(settings=FULL), B], NONE, ["a"], id="one with a proxy, where the object has none"),
    ],
)
def test_which_places_are_written(places: list[Place], settings: ProxySettings, members: list[str]) -> None:
    draft = Draft({})
    write_places(draft, places, settings)
    assert list(draft.data) == members


def test_what_was_done_is_said_once_for_places_of_one_label() -> None:
    draft = Draft({})
    write_places(
        draft,
        [A, B._replace(label="a"), B._replace(path=("c",)), CERTIFICATES],
        FULL._replace(trusted_ca=ONE.trusted_ca),
    )
    assert draft.descriptions[-1] == "sets the proxy in a and b"
    draft = Draft(draft.data)
    write_places(draft, [A], NONE)
    assert draft.descriptions == ["removes the proxy from a"]


def test_findings_among_places_and_wrong_types_are_reported_once() -> None:
    finding = Result("ByHand", "x")
    draft = Draft({"a": 1})
    write_places(draft, [finding, A, A], FULL)
    assert [said.code for said in draft.findings] == ["ByHand", "CannotWrite"]
    assert list(read_places({"a": {"httpProxy": HTTP}}, [finding])) == []


OTHER = {"name": "x"}
ITEM = NamedItem("proxy", ("value",), CAMEL)
MEMBERS = {"httpProxy": FULL.http_proxy, "httpsProxy": FULL.https_proxy, "noProxy": FULL.no_proxy}
PROXY = {"name": "proxy", "value": MEMBERS}
BESIDE = {"name": "proxy", "value": {"a": 1, **MEMBERS}}


@pytest.mark.parametrize(
    ("items", "form", "settings", "after"),
    [
        pytest.param([], ITEM, FULL, [PROXY], id="an item that is missing"),
        pytest.param([], ITEM, NONE, [], id="none is missing without a proxy"),
        pytest.param([], ITEM._replace(add_if_missing=False), FULL, [], id="one that is not to be added"),
        pytest.param([OTHER, {"name": "proxy", "value": {"a": 1}}], ITEM, FULL, [OTHER, BESIDE], id="one is there"),
        pytest.param([OTHER, PROXY], ITEM, NONE, [OTHER], id="one that goes"),
        pytest.param([BESIDE], ITEM._replace(empty_value={"value": {"a": 1}}), NONE, [], id="nothing of use is left"),
    ],
)
def test_an_item_is_told_by_its_name(items: Any, form: NamedItem, settings: ProxySettings, after: Any) -> None:
    at = place(form, "items")
    result = written({"items": items} if items else {}, at, settings)
    assert result == ({"items": after} if after else {})
    assert read(result, at) == (settings.variables if PROXY in after or BESIDE in after else {})


def test_a_container_that_overrides_another_one_goes_with_its_variables() -> None:
    at = place(NamedItem("manager", ("env",), EnvEntries()), "spec", "containers", kept_steps=1)
    done = written({"spec": {"x": 1}}, at)
    assert done["spec"]["containers"] == [{"name": "manager", "env": OURS}]
    assert written(done, at, NONE) == {"spec": {"x": 1}}
