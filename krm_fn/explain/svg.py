"""The overview as a picture: a line for each part of each group of Clusters, and a colour for each proxy.

It is an SVG 1.1 file without a script and a font of its own. A browser that prefers dark colours gets them.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.explain import Explanation, wording
from krm_fn.explain.overview import ClusterGroup
from krm_fn.printable import printable, printable_html

_COLOURS = ("#1565c0", "#ad5700", "#2e7d32", "#8e24aa", "#b71c1c", "#00696f")
_NO_PROXY = "#616161"
_LINE, _TOP, _MARGIN, _GAP = 34, 64, 20, 24
_CHAR = 7.3
"""Width of a character of the font, rounded up: every system has another monospaced font."""
_STYLE = """\
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1b1b1b; }
.title { font-size: 17px; font-weight: bold; } .small { fill: #5f5f5f; } .chip { fill: #ffffff; }
.paper { fill: #ffffff; } .rule { stroke: #d5d5d5; }
@media (prefers-color-scheme: dark) {
  text { fill: #ececec; } .small { fill: #ababab; } .chip { fill: #ffffff; } .paper { fill: #17191c; }
  .rule { stroke: #3a3d42; }
}"""


def render(explanation: Explanation) -> str:
    """Return the picture."""
    groups = explanation.overview
    if not groups:
        return _picture(
            len(wording.NOTHING) * _CHAR + 2 * _MARGIN,
            _TOP + _LINE,
            [_text(_MARGIN, _TOP, wording.NOTHING)],
        )
    rows = [_cells(group, at) for group in groups for at in range(len(group.lines))]
    widths = [max(len(row[column]) for row in rows) * _CHAR for column in range(4)]
    starts = [_MARGIN + sum(widths[:column]) + column * _GAP for column in range(4)]
    colours = _colours([row[2] for row in rows])
    body = []
    for number, row in enumerate(rows):
        middle = _TOP + number * _LINE + _LINE / 2
        if row[0]:
            body.append(_rule(middle - _LINE / 2, starts[3] + widths[3]))
        clusters, parts, proxy, places = row
        body.append(_text(starts[0], middle, clusters))
        body.append(_text(starts[1], middle, parts))
        body.append(_chip(starts[2], middle, proxy, colours[proxy]))
        body.append(_text(starts[3], middle, places, "small"))
    height = _TOP + len(rows) * _LINE + _MARGIN
    return _picture(starts[3] + widths[3] + _MARGIN, height, body)


def _cells(group: ClusterGroup, at: int) -> tuple[str, str, str, str]:
    """Return the texts of one line; the Clusters are in the first line of their group."""
    line = group.lines[at]
    clusters = "" if at else wording.some(group.clusters) or wording.NO_CLUSTER
    shown = (
        clusters,
        ", ".join(line.parts),
        wording.proxies(line.http_proxy, line.https_proxy),
        wording.number_of_places(line.places),
    )
    first, second, third, fourth = map(printable, shown)
    return first, second, third, fourth


def _colours(names: Sequence[str]) -> dict[str, str]:
    """Return a colour for each proxy; those behind the last colour begin with the first one again."""
    known = [name for name in dict.fromkeys(names) if name != wording.proxies("", "")]
    found = {name: _COLOURS[at % len(_COLOURS)] for at, name in enumerate(known)}
    return {**found, wording.proxies("", ""): _NO_PROXY}


def _picture(width: float, height: float, body: Sequence[str]) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            "<title>Who gets which proxy</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="8"/>',
            _text(_MARGIN, 34, "Who gets which proxy", "title"),
            *body,
            "</svg>\n",
        ]
    )


def _text(left: float, middle: float, text: str, kind: str = "") -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text x="{left:.0f}" y="{middle + 4:.0f}"{of_kind}>{printable_html(text)}</text>'


def _chip(left: float, middle: float, text: str, colour: str) -> str:
    box = f'x="{left - 8:.0f}" y="{middle - 12:.0f}" width="{len(text) * _CHAR + 16:.0f}" height="24" rx="6"'
    return f'<rect {box} fill="{colour}"/>{_text(left, middle, text, "chip")}'


def _rule(top: float, right: float) -> str:
    return f'<line class="rule" x1="{_MARGIN}" x2="{right:.0f}" y1="{top:.0f}" y2="{top:.0f}"/>'
