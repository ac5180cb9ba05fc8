"""One entry: its kind, and the forms that reach every client."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import noproxy
from krm_fn.noproxy import entries
from krm_fn.noproxy.entries import EntryKind

NAMES = ["a", "svc", "localhost", "com", "x.y", "Foo", "ü", "ß", "cluster.local", "_", "*", "*.", "${X}", "{{ .y }}"]
NUMBERS = ["10.", "10.1.2.3", "1", "::1", "fd00::", "10.1.2.9", "255.0.0.0", ":80", "/8", "/33", "%"]
MARKS = [".", "..", ":", "/", "//", "[", "]", "-", "http://", "@", '"', "'", " ", ",", ";", "|", "\n"]
PIECES = st.sampled_from([*NAMES, *NUMBERS, *MARKS])
TEXTS = st.lists(PIECES, max_size=7).map("".join)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("localhost", id="a host's short name has no subdomains"),
        pytest.param("metadata.google.internal", id="the metadata service is one host"),
        pytest.param(".example.com", id="the bare name of a dotted one may be a public site"),
        pytest.param("*", id="everything"),
        pytest.param("*example.com", id="a glob that no entry can say"),
        pytest.param("2.3", id="numbers that are no address"),
        pytest.param("10.0.0.0/33", id="a prefix that is too long"),
        pytest.param("01.2.3.4", id="an octet with a leading zero, which may be octal"),
        pytest.param("file:///x", id="a URL without a host"),
        pytest.param("http://user:secret@host/x", id="a URL with a credential"),
        pytest.param("${POD_CIDR}", id="a variable of another tool keeps its case"),
        pytest.param("{{ .Values.No Proxy }}", id="a template keeps its blanks"),
        pytest.param("ü!", id="a name that is none, with or without its A-label"),
        pytest.param("straße.de", id="a name that two standards convert differently"),
    ],
)
def test_an_entry_that_stays_as_it_is(text: str) -> None:
    assert entries.expand(text) == (text,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("example.com", "example.com,.example.com", id="a domain gets its dotted form"),
        pytest.param("svc", "svc,.svc", id="the services are a domain"),
        pytest.param(".svc", ".svc,svc", id="inside the cluster the bare form is safe"),
        pytest.param("*.example.com", ".example.com", id="a glob is the dotted form"),
        pytest.param("example.com.", "example.com.,example.com,.example.com", id="a rooted name gets the others"),
        pytest.param("Example.COM", "example.com,.example.com", id="lower case"),
        pytest.param("bücher.example", "xn--bcher-kva.example,.xn--bcher-kva.example", id="the A-label"),
        pytest.param("http://b:80/x", "b", id="a URL is its host"),
        pytest.param("10.1.2.3:", "10.1.2.3", id="a colon without a port goes"),
        pytest.param("[fd00::1]:6443", "fd00::1", id="the brackets go with the port"),
        pytest.param("[FD00:0::1]", "fd00::1", id="IPv6 in its short form"),
        pytest.param("[fd00::]/64", "fd00::/64", id="a CIDR with brackets"),
        pytest.param("10.1.2.3/8", "10.0.0.0/8", id="host bits go"),
        pytest.param("10.0.0.0/255.0.0.0", "10.0.0.0/8", id="a netmask is a prefix"),
        pytest.param("10.1.2.3/32", "10.1.2.3/32,10.1.2.3", id="a CIDR of one address gets the address"),
        pytest.param('"b"', "b", id="quotes go"),
        pytest.param("a;b|c d", "a,b,c,d", id="whatever separates"),
        pytest.param("${A},b.c;$(D)", "${A},b.c,.b.c,$(D)", id="templates among others"),
        pytest.param("{{A,${B c},$(d e,{{f", "{{a,${B c},$(d,e,{{f", id="a template that is not closed is none"),
    ],
)
def test_an_entry_in_its_portable_forms(text: str, expected: str) -> None:
    assert ",".join(entries.expand(text)) == expected


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        pytest.param(".a.b", EntryKind.DOMAIN, id="a leading dot"),
        pytest.param("*.a.b", EntryKind.GLOB, id="a glob"),
        pytest.param("*", EntryKind.EVERYTHING, id="everything"),
        pytest.param("10.1.2.3/8", EntryKind.CIDR, id="a CIDR with host bits"),
        pytest.param("dead-beef", EntryKind.NAME, id="a name of hexadecimal digits"),
        pytest.param(".2.3", EntryKind.NUMBERS, id="the end of an address"),
        pytest.param("1.2.3.004", EntryKind.UNKNOWN, id="four numbers that are no address"),
        pytest.param("*.10", EntryKind.UNKNOWN, id="a glob in front of a number"),
        pytest.param("a$b", EntryKind.UNKNOWN, id="a variable that nobody fills in"),
        pytest.param("x${Y}", EntryKind.TEMPLATE, id="a template inside"),
        pytest.param("x${y", EntryKind.UNKNOWN, id="a template that is not closed"),
    ],
)
def test_the_kind_of_an_entry(entry: str, kind: EntryKind) -> None:
    assert entries.classify(entry) is kind


@pytest.mark.parametrize(
    ("entry", "breaks", "confuses"),
    [
        pytest.param("fd00::abc0", False, False, id="an IPv6 address without a part that ends a host"),
        pytest.param("::1", False, True, id="IPv6 loopback ends like 10.0.0.1"),
        pytest.param("[fd00::abc0]", True, False, id="brackets"),
        pytest.param("fe80::a1%eth0", True, False, id="a zone"),
        pytest.param("bücher.example", True, False, id="letters that are not ASCII"),
        pytest.param("${X:-ü}", False, False, id="a template says nothing yet"),
    ],
)
def test_what_pods_can_read(entry: str, breaks: bool, confuses: bool) -> None:
    assert entries.breaks_clients(entry) is breaks
    assert entries.confuses_ruby(entry) is confuses


@pytest.mark.parametrize(
    ("entry", "all_of_them"), [("0.0.0.0/0", True), ("10.1.2.3/0", True), ("0.0.0.0/1", False), ("*", False)]
)
def test_a_cidr_that_holds_every_address(entry: str, all_of_them: bool) -> None:
    assert entries.holds_every_address(entry) is all_of_them


@given(TEXTS)
def test_each_step_twice_is_once(text: str) -> None:
    tokens = entries.split(text)
    assert entries.split(",".join(tokens)) == tokens
    for token in tokens:
        host = entries.bare(token)
        assert entries.bare(host) == host
        parts = entries.canonical(host)
        assert tuple(dict.fromkeys(again for part in parts for again in entries.canonical(part))) == parts
        for part in parts:
            forms = entries.forms(part)
            assert tuple(dict.fromkeys(again for form in forms for again in entries.forms(form))) == forms


@given(st.lists(TEXTS, max_size=4))
def test_a_normalised_list_is_normal(texts: list[str]) -> None:
    once = entries.normalise(texts)
    assert set(entries.normalise(once)) == set(once)
    assert set(entries.normalise([",".join(once)])) == set(once)


@given(st.text(max_size=20))
def test_no_text_raises(text: str) -> None:
    for entry in entries.expand(text):
        entries.classify(entry)
        entries.breaks_clients(entry)
        entries.confuses_ruby(entry)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param('""', id="quotes alone"),
        pytest.param("10.0.0.0/255.0.0.0", id="a CIDR with a netmask"),
        pytest.param("[fd00::1]:6443", id="an IPv6 address with a port"),
        pytest.param("bücher.example", id="a name that is not ASCII"),
    ],
)
def test_an_entry_that_is_right(entry: str) -> None:
    assert noproxy.parse(entry) == (entry,)
    assert noproxy.why_wrong(entry) == ""


@pytest.mark.parametrize(
    ("entry", "named", "corrected"),
    [
        pytest.param("a b", '"a b"', '"a,b"', id="a blank between two entries"),
        pytest.param("a;b", '"a;b"', '"a,b"', id="semicolons as separator"),
        pytest.param("a|.b|c", '"a|.b|c"', '"a,.b,c"', id="the separator of Java"),
        pytest.param("http://example.com", "an entry", '"example.com"', id="a URL"),
        pytest.param("https://[fd00::1]/", "an entry", '"fd00::1"', id="a URL of an IPv6 address"),
        pytest.param("file:///x", "an entry", "a host name, a domain, an address or a CIDR", id="a URL without a host"),
    ],
)
def test_an_entry_no_client_understands(entry: str, named: str, corrected: str) -> None:
    reason = noproxy.why_wrong(entry)
    assert named in reason
    assert f"write {corrected}" in reason
    assert "must not" in reason
    assert "\n" not in reason


@pytest.mark.parametrize("entry", ["10.1.*", "10.1.2.", "10.0.0/8", "10.0.0.1-10.0.0.9", "10.0.0.0/33"])
def test_an_entry_that_is_a_part_of_an_address_is_wrong(entry: str) -> None:
    assert noproxy.why_wrong(entry) == f'entry "{entry}" must be a whole address or CIDR, such as "10.1.2.0/24"'


@pytest.mark.parametrize("entry", ["http://user:S3CRET@host:3128", "user:S3CRET@host", "S3CRET@", "http://u:S3CRET"])
def test_an_entry_that_may_hold_a_password_is_not_repeated(entry: str) -> None:
    reason = noproxy.why_wrong(entry)
    assert reason == (
        "an entry must not hold user name and password. Write the host alone, "
        'as in "git.example.com" or "git.example.com:443"'
    )


@pytest.mark.parametrize(
    ("lists", "parsed"),
    [
        pytest.param("", (), id="an empty text holds nothing"),
        pytest.param("b,a,b", ("b", "a", "b"), id="order and repetitions stay"),
        pytest.param(" a , b\n", ("a", "b"), id="blanks around an entry fall away"),
        pytest.param(["a,b", "c"], ("a", "b", "c"), id="an item of a list may hold several"),
    ],
)
def test_parse(lists: str | list[str], parsed: tuple[str, ...]) -> None:
    assert noproxy.parse(lists) == parsed
