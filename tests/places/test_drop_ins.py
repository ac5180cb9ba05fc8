"""A drop-in of systemd as the form of a text."""

from __future__ import annotations

from krm_fn.formats.embedded import Value
from krm_fn.places.drop_ins import UnitText
from krm_fn.places.place import Place
from krm_fn.places.text_forms import Text
from krm_fn.settings import ProxySettings
from places_forms import read, reported
from proposals import HTTP, HTTPS

PATH = ("data", "values")


def at(text: str) -> Place:
    return Place(PATH, Text(Value(PATH, text), UnitText()), "the drop-in")


def test_a_drop_in_is_read() -> None:
    text = "[Service]\nEnvironment=HTTP_PROXY=a%%b\n"
    assert read({"data": {"values": text}}, at(text)) == {"HTTP_PROXY": "a%b"}


def test_a_text_that_is_no_unit_is_reported() -> None:
    text = "[Service\nx"
    found = reported({"data": {"values": text}}, at(text), ProxySettings(HTTP, HTTPS))
    assert found == [("TextUnreadable", PATH)]
