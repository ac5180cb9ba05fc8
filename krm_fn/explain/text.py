"""The explanation for a terminal.

Lines of at most 120 columns where the words allow it; no colour, so that it can be piped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_uppercase

from krm_fn.clients import CLIENTS
from krm_fn.explain import Section
from krm_fn.explain.hosts import Row
from krm_fn.noproxy import Audience
from krm_fn.printable import printable

_READERS = {
    Audience.NODE.value: "nodes",
    Audience.POD.value: "pods",
    Audience.GO.value: "pods whose programs are written in Go",
    Audience.TKG.value: "the stored configuration of TKG, which adds what a cluster needs itself",
    Audience.PRODUCT.value: "products, which add what a cluster needs themselves",
}
_MARKS = {True: ".", False: "P", None: "!"}


def render(sections: Iterable[Section]) -> str:
    """All sections, one after another."""
    blocks = ["\n".join(map(printable, _section(section))) for section in sections]
    nothing = (
        "no object in the input gets a proxy: none is one that a target writes into, or "
        "`spec.selector` leaves it out"
    )
    return "\n\n\n".join(blocks or [nothing]) + "\n"


def _section(section: Section) -> Iterator[str]:
    title = heading(section)
    yield title
    yield "=" * len(title)
    yield ""
    yield from (f"  {place}" for place in section.places)
    yield ""
    yield f"HTTP_PROXY   {section.http_proxy or '(not set)'}"
    yield f"HTTPS_PROXY  {section.https_proxy or '(not set)'}"
    if not (section.http_proxy or section.https_proxy):
        return
    yield "NO_PROXY"
    width = max((len(entry.text) for entry in section.entries), default=0)
    for entry in section.entries:
        yield f"  {entry.text:{width}}  {'; '.join(entry.why)}"
    if section.rows:
        yield ""
        yield from _table(section.rows, section.readers)


def heading(section: Section) -> str:
    """Which Clusters, which roles, which readers."""
    clusters = ", ".join(section.clusters) or "no known Cluster"
    roles = f" ({', '.join(section.roles)})" if section.roles else ""
    readers = _READERS[section.audience]
    return f"{clusters}{roles}: {readers}"


def _table(rows: tuple[Row, ...], readers: tuple[str, ...]) -> Iterator[str]:
    letters = [ascii_uppercase[number % 26] * (1 + number // 26) for number in range(len(rows))]
    width = max(len(row.host.name) for row in rows)
    yield "hosts: how many programs go direct"
    for letter, row in zip(letters, rows, strict=True):
        direct, of = row.counted
        yield f"  {letter:2} {row.host.name:{width}}  {direct:2} of {of}  {row.host.what}"
    yield ""
    names = [CLIENTS[reader].NAME for reader in readers]
    widest = max(map(len, names))
    yield f"  {'. direct, P proxy, ! fails':{widest}}  {' '.join(letters)}"
    for number, name in enumerate(names):
        cells = (
            f"{_MARKS[row.verdicts[number]]:{len(letter)}}"
            for letter, row in zip(letters, rows, strict=True)
        )
        yield f"  {name:{widest}}  {' '.join(cells)}"
