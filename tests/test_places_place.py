"""All places of an object: which of them are written, and what is said of that; items that are told by their names."""

from __future__ import annotations

from typing import Any

import pytest

from certificates import ONE
from krm_fn.engine import Draft
from krm_fn.krm.results import Result
from krm_fn.places.certificates import CertificateText
from krm_fn.places.env_entries import EnvEntries
from krm_fn.places.members import CAMEL
from krm_fn.places.named_item import NamedItem
from krm_fn.places.place import Place, read_places, write_places
from krm_fn.settings import ProxySettings
from places_forms import place, read, written
from proposals import FULL, HTTP, NONE, env

OURS = env(FULL.variables())
A, B = Place(("a",), CAMEL, "a"), Place(("b",), CAMEL, "b")
CERTIFICATES = Place(("ca",), CertificateText(), "the certificates", is_trust=True)
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
    finding = Result.of("ByHand", "x")
    draft = Draft({"a": 1})
    write_places(draft, [finding, A, A], FULL)
    assert [one.code for one in draft.findings] == ["ByHand", "CannotWrite"]
    assert list(read_places({"a": {"httpProxy": HTTP}}, [finding])) == []


OTHER = {"name": "x"}
ITEM = NamedItem("proxy", ("value",), CAMEL)
AT = place(ITEM, "items")


@pytest.mark.parametrize(
    ("items", "form", "settings", "after"),
    [
        pytest.param(None, ITEM, FULL, [{"name": "proxy", "value": "ours"}], id="an item that is missing"),
        pytest.param(None, ITEM, NONE, None, id="none is missing without a proxy"),
        pytest.param(None, ITEM._replace(add_if_missing=False), FULL, None, id="one that is not to be added"),
        pytest.param(
            [{"name": "x"}, {"name": "proxy", "value": {"a": 1}}],
            ITEM,
            FULL,
            [{"name": "x"}, {"name": "proxy", "value": {"a": 1, "ours": 1}}],
            id="one that is there",
        ),
        pytest.param(
            [{"name": "x"}, {"name": "proxy", "value": "ours"}], ITEM, NONE, [{"name": "x"}], id="one that goes"
        ),
        pytest.param(
            [{"name": "proxy", "value": {"a": 1, "ours": 1}}],
            ITEM._replace(empty_value={"value": {"a": 1}}),
            NONE,
            None,
            id="one in which what is left means nothing",
        ),
        pytest.param([{"name": "proxy"}], ITEM, NONE, None, id="one that says nothing"),
    ],
)
def test_an_item_is_told_by_its_name(items: Any, form: NamedItem, settings: ProxySettings, after: Any) -> None:
    def data(value: Any) -> Any:
        """The data, with our members in the place of ``ours``."""
        if value is None:
            return {}
        members = {"httpProxy": FULL.http_proxy, "httpsProxy": FULL.https_proxy, "noProxy": FULL.no_proxy}
        filled = []
        for item in value:
            held = item.get("value")
            if held == "ours":
                held = members
            elif isinstance(held, dict) and "ours" in held:
                held = {"a": 1, **members}
            filled.append({**item, "value": held} if held is not None else item)
        return {"items": filled}

    at = AT._replace(form=form)
    result = written(data(items), at, settings)
    assert result == (data(after) if after is not None else {})
    assert read(result, at) == (settings.variables() if after and settings.sets_any and form.add_if_missing else {})


def test_a_container_that_overrides_another_one_goes_with_its_variables() -> None:
    at = place(NamedItem("manager", ("env",), EnvEntries()), "spec", "containers", kept_steps=1)
    done = written({"spec": {"x": 1}}, at)
    assert done["spec"]["containers"] == [{"name": "manager", "env": OURS}]
    assert written(done, at, NONE) == {"spec": {"x": 1}}
