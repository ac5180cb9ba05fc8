"""A block of equal answers as a card of the page: its proxy, and folded what is in its list and who honours it."""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.explain import wording
from krm_fn.explain.blocks import Block, HostRow, is_expected
from krm_fn.explain.html_parts import Colours, code, code_names, folded, named, row, table, text
from krm_fn.noproxy import Entry
from krm_fn.noproxy.clients import CLIENTS
from krm_fn.printable import printable_html

_ENTRY = ("Entry", "Why it is there")
_HOST = ("Host", "What it is", "How programs reach it")


def card(block: Block, number: int, colours: Colours) -> str:
    """Return the card with a number, to which the contents lead."""
    proxies = wording.proxies(block.http_proxy, block.https_proxy)
    title = printable_html(wording.heading(block))
    values = _value("HTTP_PROXY", block.http_proxy) + _value("HTTPS_PROXY", block.https_proxy)
    parts = [
        f'<h3 class="proxy"><span class="dot {colours.of(proxies)}"></span><span>{title}</span></h3>',
        f'<dl class="values">{values}</dl>',
    ]
    if block.audience in wording.COMPLETED:
        parts.append(f"<p>{printable_html(wording.COMPLETED[block.audience])}</p>")
    if len(block.clusters) > 1:
        parts.append(folded(f"{len(block.clusters)} Clusters", map(printable_html, block.clusters)))
    parts.append(_objects(block))
    if block.http_proxy or block.https_proxy:
        parts += [_shared(block), _own(block)]
    if block.hosts:
        parts += [_hosts(block.hosts, block.readers), _programs(block.hosts, block.readers)]
    body = "\n".join(filter(None, parts))
    return f'<article class="card" id="answer-{number}" data-unit>\n{body}\n</article>'


def _value(name: str, url: str) -> str:
    shown = code(url) if url else '<span class="quiet">not set</span>'
    return f"<dt><code>{name}</code></dt><dd>{shown}</dd>"


def _objects(block: Block) -> str:
    """Return the objects with what is written there, which is said once where it is the same in all."""
    objects = wording.objects_of(block.places)
    is_same = len({targets for _, _, targets in objects}) == 1
    items = ""
    for file, name, targets in objects:
        written = "" if is_same else _targets(targets)
        items += f"<li data-part>{named(file, name)} {written}</li>"
    about = _targets(objects[0][2]) if is_same else ""
    return _details(wording.counted(len(objects), "object"), about, f"<ul data-list>{items}</ul>")


def _targets(targets: Sequence[str]) -> str:
    return f'<span class="quiet small">{printable_html(", ".join(targets))}</span>'


def _details(summary: str, about: str, body: str) -> str:
    return (
        f'<details><summary>{summary} <span class="quiet">{about}</span></summary>{body}</details>'
    )


def _rows(entries: Sequence[Entry], attributes: str = "") -> str:
    """Return entries as rows."""
    lines = [
        row(_ENTRY, (code(entry.text), text("; ".join(entry.why))), attributes) for entry in entries
    ]
    return "\n".join(lines)


def _shared(block: Block) -> str:
    number = wording.counted(len(block.shared), "entry", "entries")
    first = ", ".join(entry.text for entry in block.shared[:3])
    rest = " …" if len(block.shared) > 3 else ""
    body = f"<div data-list>{table('entries', _ENTRY, [_rows(block.shared, ' data-part')])}</div>"
    return _details(f"<code>NO_PROXY</code>: {number}", printable_html(first) + rest, body)


def _own(block: Block) -> str:
    """Return the entries that not all lists of the block hold."""
    if not block.own:
        return ""
    groups = []
    for cluster, entries in block.own:
        title = printable_html(wording.owner(block, cluster))
        lines = _rows(entries)
        head = f'<tr class="group"><th scope="rowgroup" colspan="2">only for {title}</th></tr>'
        groups.append(f"<tbody data-part>\n{head}\n{lines}\n</tbody>")
    body = f'<table class="entries" data-list>{"".join(groups)}</table>'
    if len(block.own) == 1:
        (cluster, entries), *_ = block.own
        number = wording.counted(len(entries), "more entry", "more entries")
        about = f"only for {printable_html(wording.owner(block, cluster))}"
        return _details(f"<code>NO_PROXY</code>: {number}", about, body)
    about = f"{len(block.own)} Clusters with entries of their own"
    return _details("<code>NO_PROXY</code>: more entries", about, body)


def _hosts(hosts: Sequence[HostRow], readers: Sequence[str]) -> str:
    """Return for each host how many programs reach it directly, with the names of those that do something wrong."""
    rows = []
    missed = 0
    for one in hosts:
        host = one.row.host
        direct, of = one.row.counted
        ways = f"{direct} of {of} programs direct"
        wrong = [
            CLIENTS[reader].NAME
            for reader, verdict in zip(readers, one.row.verdicts, strict=True)
            if not is_expected(host, verdict)
        ]
        if wrong:
            missed += 1
            ways += f'<p class="bad">wrong: {printable_html(", ".join(wrong))}</p>'
        elif host.direct is not None:
            ways += ' <span class="good">✓</span>'
        shown = code_names([host.name, *one.others])
        rows.append(row(_HOST, (shown, text(host.what), ways)))
    about = '<span class="good">all are reached as they should be</span>'
    if missed:
        about = f'<span class="bad">{missed} not reached by every program as they should be</span>'
    return _details(wording.counted(len(hosts), "host"), about, table("hosts", _HOST, rows))


def _programs(hosts: Sequence[HostRow], readers: Sequence[str]) -> str:
    """Return what programs do with the hosts on which not all of them agree; those that agree are one row."""
    if len(readers) < 2:
        return ""
    differing = [one for one in hosts if len(set(one.row.verdicts)) > 1]
    groups: dict[tuple[bool | None, ...], list[str]] = {}
    for at, reader in enumerate(readers):
        verdicts = tuple(one.row.verdicts[at] for one in differing)
        groups.setdefault(verdicts, []).append(CLIENTS[reader].NAME)
    if not differing:
        return f'<p class="quiet">All {len(readers)} programs do the same with each host.</p>'
    ways: list[tuple[bool | None, str]] = [(True, "Direct"), (False, "Through the proxy")]
    if any(None in verdicts for verdicts in groups):
        ways.append((None, "Fails"))
    head = ("Programs", *(name for _, name in ways))
    rows = []
    for verdicts, programs in sorted(groups.items(), key=lambda one: -len(one[1])):
        cells = [printable_html(", ".join(programs))]
        for wanted, _ in ways:
            shown = [
                _reached(one, verdict)
                for one, verdict in zip(differing, verdicts, strict=True)
                if verdict is wanted
            ]
            cells.append(", ".join(shown))
        rows.append(row(head, cells))
    same = len(hosts) - len(differing)
    about = f"all {len(readers)} do the same with {same} of {len(hosts)} hosts"
    body = table("programs", head, rows)
    return _details(f"Programs that differ: {len(groups)} groups", about, body)


def _reached(one: HostRow, verdict: bool | None) -> str:
    shown = code(one.row.host.name)
    if is_expected(one.row.host, verdict):
        return shown
    return f'<span class="bad">{shown} (wrong)</span>'
