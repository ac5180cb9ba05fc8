"""The algebra on NO_PROXY entries."""

from __future__ import annotations

import pytest

from krm_fn import noproxy


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param('""', id="quotes alone"),
        pytest.param("10.0.0.0/255.0.0.0", id="a CIDR with a netmask"),
        pytest.param("[fd00::1]:6443", id="an IPv6 address with a port"),
        pytest.param("bücher.example", id="a name that is not ASCII"),
    ],
)
def test_an_entry_that_stays_as_it_is(entry: str) -> None:
    assert noproxy.parse(entry) == (entry,)
    assert noproxy.mistake(entry) == ""


@pytest.mark.parametrize(
    ("entry", "named", "corrected"),
    [
        pytest.param("a b", '"a b"', '"a,b"', id="a blank between two entries"),
        pytest.param("a;b", '"a;b"', '"a,b"', id="semicolons as separator"),
        pytest.param("a|.b|c", '"a|.b|c"', '"a,.b,c"', id="the separator of Java"),
        pytest.param("http://example.com", "an entry", '"example.com"', id="a URL"),
        pytest.param("https://[fd00::1]/", "an entry", '"fd00::1"', id="a URL of an IPv6 address"),
        pytest.param(
            "file:///x",
            "an entry",
            "a host name, a domain, an address or a CIDR",
            id="a URL without a host",
        ),
    ],
)
def test_an_entry_no_client_understands(entry: str, named: str, corrected: str) -> None:
    mistake = noproxy.mistake(entry)
    assert named in mistake
    assert f"write {corrected}" in mistake
    assert "must not" in mistake
    assert "\n" not in mistake


@pytest.mark.parametrize("entry", ["10.1.*", "10.1.2.", "10.0.0/8", "10.0.0.1-10.0.0.9", "10.0.0.0/33"])
def test_an_entry_that_is_a_part_of_an_address_is_a_mistake(entry: str) -> None:
    assert noproxy.mistake(entry) == f'entry "{entry}" must be a whole address or CIDR, such as "10.1.2.0/24"'


@pytest.mark.parametrize("entry", ["http://user:S3CRET@host:3128", "user:S3CRET@host", "S3CRET@", "http://u:S3CRET"])
def test_an_entry_that_may_hold_a_password_is_not_repeated(entry: str) -> None:
    mistake = noproxy.mistake(entry)
    assert mistake == (
        "an entry must not hold user name and password. Write the host alone, "
        'as in "git.example.com" or "git.example.com:443"'
    )


@pytest.mark.parametrize(
    ("given_entries", "parsed"),
    [
        pytest.param("", (), id="an empty text holds nothing"),
        pytest.param("b,a,b", ("b", "a", "b"), id="order and repetitions stay"),
        pytest.param(" a , b\n", ("a", "b"), id="blanks around an entry fall away"),
        pytest.param(["a,b", "c"], ("a", "b", "c"), id="an item of a list may hold several"),
    ],
)
def test_parse(given_entries: str | list[str], parsed: tuple[str, ...]) -> None:
    assert noproxy.parse(given_entries) == parsed
