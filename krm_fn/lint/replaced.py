"""Entries of old lists that go when the list of a ProxyConfig replaces these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from krm_fn import placeholders
from krm_fn.krm.results import Result
from krm_fn.lint.judge_values import NoProxyList
from krm_fn.noproxy import entries
from krm_fn.patch import Pointer
from krm_fn.places.place import Reading

_SHOWN = 12
"""So many lost entries are named."""
_NOT_SHOWN = "what is not shown, because that list may hold a credential"


def replaced_list(
    before: Iterable[Reading], after: Iterable[Reading], ours: Sequence[str]
) -> Iterator[Result]:
    """Yield a warning for the entries of old lists that the new ones do not cover: they go when these are replaced.

    Args:
        before: what the places of an object held.
        after: what they hold now, which may be lists of others, too.
        ours: the lists that were written; none by a removal, which replaces nothing.
    """
    if not ours:
        return
    new = [reading.text for reading in after if reading.is_list and reading.text]
    new += ours
    old = [
        (reading, text)
        for reading in before
        if reading.is_list and (text := reading.text or reading.unresolved) and text not in new
    ]
    if not old:
        return
    covering = NoProxyList(entries.normalise(new))
    lost: dict[str, Pointer] = {}
    for reading, text in old:
        if entries.may_hold_a_credential(text):
            lost.setdefault(_NOT_SHOWN, reading.path)
            continue
        for token in entries.split(text):
            if not (_is_covered(token, covering) or placeholders.is_template(token)):
                name = f"`{entries.bare(token)}`"
                lost.setdefault(name, reading.path)
    if lost:
        names = list(lost)
        path = lost[names[0]]
        more = len(names) - _SHOWN
        if more > 0:
            names[_SHOWN:] = [f"{more} more"]
        message = (
            f"the list of this ProxyConfig replaces `NO_PROXY`, and does not cover {', '.join(names)}: "
            "copy what is still needed into `spec.noProxy`"
        )
        yield Result.of("ListReplaced", message, path)


def _is_covered(token: str, covering: NoProxyList) -> bool:
    if token in covering.texts:
        return True
    host = entries.bare(token).rstrip(".").removeprefix("*")
    return all(map(covering.covers, entries.canonical(host)))
