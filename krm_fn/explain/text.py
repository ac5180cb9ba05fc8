"""The explanation for a terminal.

Lines of at most 120 columns where the words allow it; no colour, so that it can be piped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_uppercase

from krm_fn.explain import Explanation, wording
from krm_fn.explain.blocks import Block, HostRow, is_expected
from krm_fn.explain.difference import Difference
from krm_fn.krm.results import Result
from krm_fn.noproxy import Entry
from krm_fn.noproxy.clients import CLIENTS
from krm_fn.printable import printable

_FEW_OBJECTS = 12
_FEW_CLUSTERS = 5
_MARKS = {True: ".", False: "p"}
_WRONG = {True: "D", False: "P"}
_FAILS = "!"
_LEGEND = ". direct, p proxy, D or P: wrong, ! fails"
_MORE = "`--verbose` shows all, `--cluster NAME` those of one Cluster"


def render(explanation: Explanation, *, verbose: bool = False) -> str:
    """Return the overview, or the difference, then nodes and findings, then each block of equal answers."""
    parts: list[Iterable[str]]
    if explanation.difference is not None:
        parts = [_difference(explanation.difference)]
    elif not explanation.answers:
        parts = [[wording.NOTHING]]
    else:
        parts = [_overview(explanation)]
    if explanation.difference is None:
        parts.insert(0, _without(explanation, verbose=verbose))
    parts += [_nodes(explanation), _findings(explanation.findings, verbose=verbose)]
    if explanation.difference is None:
        parts += [_block(block, verbose=verbose) for block in explanation.blocks]
    shown = ["\n".join(map(printable, part)) for part in parts]
    return "\n\n\n".join(text for text in shown if text) + "\n"


def _title(text: str) -> Iterator[str]:
    yield text
    yield "=" * len(text)
    yield ""


def _without(explanation: Explanation, *, verbose: bool) -> Iterator[str]:
    if explanation.without:
        yield from _title("Who gets nothing")
        yield from wording.without(explanation.without, every=verbose)


def _overview(explanation: Explanation) -> Iterator[str]:
    yield from _title("Who gets which proxy")
    for group in explanation.overview:
        yield wording.some(group.clusters) or wording.NO_CLUSTER
        names = [", ".join(line.parts) for line in group.lines]
        width = max(map(len, names))
        for name, line in zip(names, group.lines, strict=True):
            urls = wording.proxies(line.http_proxy, line.https_proxy)
            yield f"  {name:{width}}  {urls}  ({wording.number_of_places(line.places)})"


def _difference(difference: Difference) -> Iterator[str]:
    yield from _title("Who gets another proxy")
    for change in difference.changes:
        yield f"{wording.of_change(change)}  ({wording.number_of_places(change.places)})"
        for name, old, new in wording.urls_before_and_after(change):
            yield f"  {name:11}  {old} -> {new}"
        for mark, entries in (("+", change.added), ("-", change.removed)):
            yield from (f"  NO_PROXY     {mark} {entry}" for entry in entries)
        if _is_order_only(change.added, change.removed, wording.urls_before_and_after(change)):
            yield "  NO_PROXY     has another order"
    yield f"unchanged: {wording.number_of_places(difference.unchanged)}"


def _is_order_only(*changed: Sequence[object]) -> bool:
    return not any(changed)


def _nodes(explanation: Explanation) -> Iterator[str]:
    groups = wording.grouped_nodes(explanation.nodes)
    if not groups:
        return
    yield from _title("Nodes")
    for group in groups:
        yield f"{'rolled' if group.is_rolled else 'NOT rolled'}: {group.title} ({group.why})"
        objects = list(dict.fromkeys(_named(one.file, one.object) for one in group.changes))
        yield from (f"  {name}" for name in objects[:_FEW_CLUSTERS])
        if len(objects) > _FEW_CLUSTERS:
            yield f"  and {len(objects) - _FEW_CLUSTERS} more"


def _findings(findings: Sequence[Result], *, verbose: bool) -> Iterator[str]:
    if findings:
        yield from _title("Errors and warnings of a run")
    for first, *others in wording.grouped_findings(findings):
        yield first.line_with_file()
        if verbose:
            yield from (one.line_with_file() for one in others)
        elif others:
            yield f"  and {len(others)} more of {first.code or 'this kind'}: {_MORE}"


def _block(block: Block, *, verbose: bool) -> Iterator[str]:
    yield from _title(wording.heading(block))
    objects = wording.objects_of(block.places)
    shown = objects if verbose or len(objects) <= _FEW_OBJECTS else objects[:_FEW_CLUSTERS]
    yield from (f"  {_named(file, name)} ({', '.join(ids)})" for file, name, ids in shown)
    if len(shown) < len(objects):
        yield f"  and {len(objects) - len(shown)} more objects: {_MORE}"
    yield ""
    if block.audience in wording.COMPLETED:
        yield wording.COMPLETED[block.audience]
    yield f"HTTP_PROXY   {block.http_proxy or '(not set)'}"
    yield f"HTTPS_PROXY  {block.https_proxy or '(not set)'}"
    if not (block.http_proxy or block.https_proxy):
        return
    yield "NO_PROXY"
    yield from _entries(block.shared)
    own = block.own if verbose else block.own[:_FEW_CLUSTERS]
    for cluster, entries in own:
        yield f"  and only for {wording.owner(block, cluster)}:"
        yield from _entries(entries)
    if len(own) < len(block.own):
        yield f"  and {len(block.own) - len(own)} more Clusters with entries of their own: {_MORE}"
    if block.hosts:
        yield ""
        yield from _table(block.hosts, block.readers)


def _entries(entries: Sequence[Entry]) -> Iterator[str]:
    width = max((len(entry.text) for entry in entries), default=0)
    for entry in entries:
        yield f"  {entry.text:{width}}  {'; '.join(entry.why)}".rstrip()


def _named(file: str, name: str) -> str:
    return f"{file}  {name}" if file else name


def _table(hosts: Sequence[HostRow], readers: Sequence[str]) -> Iterator[str]:
    letters = [ascii_uppercase[number % 26] * (1 + number // 26) for number in range(len(hosts))]
    names = [wording.some((one.row.host.name, *one.others)) for one in hosts]
    width = max(map(len, names))
    yield "hosts: how many programs go direct"
    for letter, name, one in zip(letters, names, hosts, strict=True):
        direct, of = one.row.counted
        yield f"  {letter:2} {name:{width}}  {direct:2} of {of}  {one.row.host.what}"
    yield ""
    programs = [CLIENTS[reader].NAME for reader in readers]
    widest = max(len(_LEGEND), *map(len, programs))
    yield f"  {_LEGEND:{widest}}  {' '.join(letters)}"
    for number, program in enumerate(programs):
        cells = (
            f"{_mark(one, number):{len(letter)}}"
            for letter, one in zip(letters, hosts, strict=True)
        )
        yield f"  {program:{widest}}  {' '.join(cells)}"


def _mark(one: HostRow, reader: int) -> str:
    verdict = one.row.verdicts[reader]
    if verdict is None:
        return _FAILS
    return (_MARKS if is_expected(one.row.host, verdict) else _WRONG)[verdict]
