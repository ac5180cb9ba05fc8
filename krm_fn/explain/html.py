"""The explanation as one HTML file that a person can open: no script, no font, nothing loaded from anywhere.

Every value is escaped, and text in back-quotes is shown as code. It is readable from 360 pixels on: tables that are
wider scroll on their own, and the table of all programs is folded below a summary of each host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from krm_fn.explain import Explanation, wording
from krm_fn.explain.blocks import Block, HostRow, is_expected
from krm_fn.explain.difference import Difference
from krm_fn.explain.overview import ClusterGroup
from krm_fn.krm.results import Result
from krm_fn.noproxy import Entry
from krm_fn.noproxy.clients import CLIENTS
from krm_fn.printable import printable_html

_STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent);
  --good: #2e7d32; --bad: #c62828; --warn: #b26a00; }
@media (prefers-color-scheme: dark) { :root { --good: #81c784; --bad: #ff8a80; --warn: #ffcc80; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 84rem; padding: 0 1rem;
  overflow-wrap: break-word; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 2px solid var(--line); padding-top: 1rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
table { border-collapse: collapse; margin: .75rem 0; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
.wide { overflow-x: auto; max-width: 100%; } .wide table { overflow-wrap: normal; }
.wide td, .wide th { white-space: nowrap; } .wide td:first-child { position: sticky; left: 0; background: Canvas; }
th.turned { height: 17rem; vertical-align: bottom; padding: .3rem .1rem; }
th.turned span { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal; }
td.mark { text-align: center; padding: .25rem; } td.wrong { background: #c6282840; font-weight: bold; }
td.direct { background: #2e7d3226; }
.error, .wrong, .kept { color: var(--bad); } .warning { color: var(--warn); } .rolled, .right { color: var(--good); }
td.mark.wrong { color: inherit; }
summary { cursor: pointer; margin: .5rem 0; } ul { padding-left: 1.25rem; } li { margin: .2rem 0; }
del { color: var(--bad); } ins { color: var(--good); text-decoration: none; }
@media (max-width: 40rem) {
  body { padding: 0 .6rem; overflow-wrap: anywhere; }
  table.cards, .cards tbody, .cards tr, .cards td { display: block; border: 0; }
  .cards tr { border-top: 1px solid var(--line); padding: .35rem 0; } .cards tr:first-child:has(th) { display: none; }
  .cards td { padding: 0; } .cards td[data-of]::before { content: attr(data-of) ": "; opacity: .7; }
}
"""
_FEW = 3
_CODE = re.compile("`([^`]*)`")


def render(explanation: Explanation) -> str:
    """Return one self-contained page."""
    title = "Who gets which proxy, and why"
    parts: list[str] = []
    if explanation.difference is not None:
        title = "Who gets another proxy"
        parts.append(_difference(explanation.difference))
    elif not explanation.answers:
        parts.append(f"<p>{_text(wording.NOTHING)}</p>")
    else:
        parts.append(_overview(explanation.overview))
    if explanation.difference is None and explanation.without:
        lines = "".join(f"<li>{_text(line)}</li>" for line in wording.without(explanation.without))
        parts.insert(0, f"<h2>Who gets nothing</h2>\n<ul>{lines}</ul>")
    parts += [_nodes(explanation), _findings(explanation.findings)]
    if explanation.difference is None:
        parts += map(_block, explanation.blocks)
    body = "\n".join(filter(None, parts))
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>inject-proxy explain</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n<h1>{title}</h1>\n{body}\n</html>\n"
    )


def _text(text: str) -> str:
    """Return escaped text, with what is in back-quotes as code."""
    return _CODE.sub(r"<code>\1</code>", printable_html(text))


def _code(text: str) -> str:
    return f"<code>{printable_html(text)}</code>"


def _names(names: Sequence[str], none: str = wording.NO_CLUSTER) -> str:
    """Return names; of many the first ones, the others folded."""
    if len(names) <= _FEW + 1:
        return printable_html(", ".join(names)) or none
    rest = printable_html(", ".join(names[_FEW:]))
    return f"<details><summary>{printable_html(wording.some(names))}</summary>{rest}</details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table that is a list of cards on a small screen; cells are HTML."""
    names = "".join(f"<th>{name}</th>" for name in head)
    lines = "".join(_row(head, row) for row in rows)
    return f'<table class="cards"><tr>{names}</tr>{lines}</table>'


def _row(head: Sequence[str], cells: Sequence[str]) -> str:
    """Return a row of a table; each cell but the first holds the name of its column, which a card shows."""
    row = f"<td>{cells[0]}</td>"
    for name, cell in zip(head[1:], cells[1:], strict=True):
        row += f'<td data-of="{name}">{cell}</td>'
    return f"<tr>{row}</tr>"


def _overview(groups: Iterable[ClusterGroup]) -> str:
    rows = []
    for group in groups:
        clusters = _names(group.clusters)
        for line in group.lines:
            parts = printable_html(", ".join(line.parts))
            proxy = _code(wording.proxies(line.http_proxy, line.https_proxy))
            rows.append((clusters, parts, proxy, str(line.places)))
    return _table(("Clusters", "parts", "proxy", "places"), rows)


def _difference(difference: Difference) -> str:
    parts = []
    for change in difference.changes:
        lines = [
            f"<li><code>{name}</code> <del>{_code(old)}</del> → <ins>{_code(new)}</ins></li>"
            for name, old, new in wording.urls_before_and_after(change)
        ]
        lines += [
            f"<li><code>NO_PROXY</code> <ins>+ {_code(one)}</ins></li>" for one in change.added
        ]
        lines += [
            f"<li><code>NO_PROXY</code> <del>- {_code(one)}</del></li>" for one in change.removed
        ]
        text = "".join(lines) or "<li><code>NO_PROXY</code> has another order</li>"
        parts.append(
            f"<h2>{printable_html(wording.of_change(change))}</h2><p>{wording.number_of_places(change.places)}</p><ul>{text}</ul>"
        )
    parts.append(f"<p>Unchanged: {wording.number_of_places(difference.unchanged)}.</p>")
    return "\n".join(parts)


def _nodes(explanation: Explanation) -> str:
    items = []
    for group in wording.grouped_nodes(explanation.nodes):
        verb = (
            '<b class="rolled">rolled</b>' if group.is_rolled else '<b class="kept">not rolled</b>'
        )
        objects = dict.fromkeys(_named(one.file, one.object) for one in group.changes)
        items.append(
            f"<li>{verb}: {printable_html(group.title)}: {_text(group.why)}{_folded('objects', list(objects))}</li>"
        )
    return f"<h2>Nodes</h2><ul>{''.join(items)}</ul>" if items else ""


def _findings(findings: Sequence[Result]) -> str:
    items = []
    for first, *others in wording.grouped_findings(findings):
        rest = "".join(f"<li>{_text(one.text_with_file())}</li>" for one in others)
        if rest:
            rest = f"<details><summary>{len(others)} more</summary><ul>{rest}</ul></details>"
        severity = f'<b class="{first.severity.value}">{first.severity.value}</b>'
        items.append(f"<li>{severity} {_text(first.text_with_file())}{rest}</li>")
    return f"<h2>Errors and warnings of a run</h2><ul>{''.join(items)}</ul>" if items else ""


def _block(block: Block) -> str:
    objects = [
        f"{_named(file, name)} ({printable_html(', '.join(ids))})"
        for file, name, ids in wording.objects_of(block.places)
    ]
    parts = [
        f"<h2>{printable_html(wording.heading(block))}</h2>",
        _folded("objects", objects),
        f"<p>HTTP_PROXY {_code(block.http_proxy or '(not set)')}</p>",
        f"<p>HTTPS_PROXY {_code(block.https_proxy or '(not set)')}</p>",
    ]
    if block.http_proxy or block.https_proxy:
        parts.append(_entries("NO_PROXY", block.shared))
        own = [
            _entries(f"NO_PROXY of {wording.owner(block, cluster)} only", entries)
            for cluster, entries in block.own
        ]
        text = "".join(own)
        if len(own) > 1:
            text = (
                f"<details><summary>entries of {len(own)} Clusters only</summary>{text}</details>"
            )
        parts.append(text)
    if block.hosts:
        parts.append(_hosts(block.hosts, block.readers))
        parts.append(_programs(block.hosts, block.readers))
    return "\n".join(filter(None, parts))


def _entries(title: str, entries: Sequence[Entry]) -> str:
    rows = [(_code(entry.text), _text("; ".join(entry.why))) for entry in entries]
    return _table((printable_html(title), "why"), rows)


def _named(file: str, name: str) -> str:
    return f"{_code(file)} {_code(name)}" if file else _code(name)


def _folded(what: str, items: Sequence[str]) -> str:
    """Return a list of HTML; a long one is folded."""
    lines = "".join(f"<li>{item}</li>" for item in items)
    if len(items) <= _FEW:
        return f"<ul>{lines}</ul>"
    return f"<details><summary>{len(items)} {what}</summary><ul>{lines}</ul></details>"


def _hosts(hosts: Sequence[HostRow], readers: Sequence[str]) -> str:
    """Return for each host how the programs reach it, with the names of those that do something wrong."""
    rows = []
    for one in hosts:
        host, verdicts = one.row.host, one.row.verdicts
        direct, of = one.row.counted
        ways = f"{direct} of {of} programs direct"
        wrong = [
            CLIENTS[reader].NAME
            for reader, verdict in zip(readers, verdicts, strict=True)
            if not is_expected(host, verdict)
        ]
        judged = (
            f'<span class="wrong">wrong: {printable_html(", ".join(wrong))}</span>' if wrong else ""
        )
        right = "" if wrong or host.direct is None else ' <span class="right">✓</span>'
        names = _names((host.name, *one.others))
        rows.append((f"<code>{names}</code>", _text(host.what), f"{ways}{right} {judged}".strip()))
    return _table(("host", "what it is", "reached"), rows)


def _programs(hosts: Sequence[HostRow], readers: Sequence[str]) -> str:
    """Return the table of all programs and hosts, folded."""
    names = "".join(
        f'<th class="turned"><span>{printable_html(CLIENTS[reader].NAME)}</span></th>'
        for reader in readers
    )
    lines = ""
    for one in hosts:
        cells = "".join(_cell(one, verdict) for verdict in one.row.verdicts)
        lines += f"<tr><td>{_code(one.row.host.name)}</td>{cells}</tr>"
    legend = "D: direct. P: through the proxy. !: the program fails on this list. Red: not what it should do."
    return (
        f"<details><summary>each program and each host</summary><p>{legend}</p>"
        f'<div class="wide"><table><tr><th>host</th>{names}</tr>{lines}</table></div></details>'
    )


def _cell(one: HostRow, verdict: bool | None) -> str:
    letter = {True: "D", False: "P", None: "!"}[verdict]
    kind = "direct" if verdict else "proxy"
    if not is_expected(one.row.host, verdict):
        kind = "wrong"
    return f'<td class="mark {kind}">{letter}</td>'
