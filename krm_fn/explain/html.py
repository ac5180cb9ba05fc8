"""The explanation as one HTML file that a person can open: no script, no font, nothing loaded from anywhere.

Every value is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from krm_fn.clients import CLIENTS
from krm_fn.explain import Section
from krm_fn.explain.hosts import Row
from krm_fn.explain.text import heading

_STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 3rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
table { border-collapse: collapse; margin: .75rem 0; } .wide { overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
th.turned { height: 13rem; vertical-align: bottom; padding: .3rem .1rem; }
th.turned span { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal; white-space: nowrap; }
td.direct { background: #2e7d3233; } td.proxy { background: #c6282833; } td.fails { background: #f9a82566; }
td.direct, td.proxy, td.fails { text-align: center; }
"""
_CELLS = {
    True: '<td class="direct" title="direct">D</td>',
    False: '<td class="proxy" title="through the proxy">P</td>',
    None: '<td class="fails" title="the program fails on this list">!</td>',
}


def render(sections: Iterable[Section]) -> str:
    """One self-contained page."""
    body = (
        "\n".join(map(_section, sections))
        or "<p>No object in the input is one that a target writes into.</p>"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>inject-proxy explain</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n<h1>Who gets which proxy, and why</h1>\n"
        "<p>D: the program goes direct. P: it goes through the proxy. !: it fails on this list.</p>\n"
        f"{body}\n</html>\n"
    )


def _section(section: Section) -> str:
    places = "".join(f"<li><code>{escape(place)}</code></li>" for place in section.places)
    urls = f"HTTP_PROXY={section.http_proxy or '(not set)'}\nHTTPS_PROXY={section.https_proxy or '(not set)'}"
    parts = [
        f"<h2>{escape(heading(section))}</h2>",
        f"<ul>{places}</ul>",
        f"<pre><code>{escape(urls)}</code></pre>",
    ]
    if section.http_proxy or section.https_proxy:
        entries = "".join(
            f"<tr><td><code>{escape(entry.text)}</code></td><td>{escape('; '.join(entry.why))}</td></tr>"
            for entry in section.entries
        )
        parts.append(f"<table><tr><th>NO_PROXY</th><th>why</th></tr>{entries}</table>")
    if section.rows:
        parts.append(_table(section.rows, section.readers))
    return "\n".join(parts)


def _table(rows: tuple[Row, ...], readers: tuple[str, ...]) -> str:
    names = "".join(
        f'<th class="turned"><span>{escape(CLIENTS[reader].NAME)}</span></th>' for reader in readers
    )
    lines = "".join(
        f"<tr><td><code>{escape(row.host.name)}</code></td><td>{escape(row.host.what)}</td>"
        f"{''.join(_CELLS[verdict] for verdict in row.verdicts)}</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><tr><th>host</th><th>what it is</th>{names}</tr>{lines}</table></div>'
