"""What holds for a run over any ResourceList, whatever is in it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from fuzz.program import Broken, function
from krm_fn.errors import InjectProxyError
from krm_fn.krm.results import Severity, are_severe
from krm_fn.pipeline.outcome import Outcome
from krm_fn.yamledit import cut, read
from stories import (
    asking,
    envelope,
    filled,
    function_config,
    items,
    meaning,
    removing,
    unexplained,
    wishes,
    with_other_proxy,
)

KEPT_BY_REMOVAL = b"MutatingPolicy"
"""What is in a list where a removal leaves more than was there: CEL is not edited."""

OWN_ANNOTATIONS = "fn.inject-proxy.io/"
"""How notes of this program begin: one that somebody else wrote, and that fits nothing, is gone after a run."""


def judge(data: bytes) -> None:
    """Run a list in all ways that promise something about each other.

    Raises:
        Broken: a promise does not hold.
    """
    outcome = function(data)
    if outcome is None:
        return
    if are_severe(outcome.results, Severity.ERROR):
        if outcome.changed or not _has_same_items(data, outcome.output):
            raise Broken("a run that fails leaves every item as it was")
        return
    _judge_change(data, outcome)
    once = outcome.output
    _judge_again(outcome)
    given = _asks_for(data)
    if given.get("mode", "Inject") == "Inject":
        _judge_check(data, outcome)
        if not _keeps(given) and outcome.changed:
            _judge_removal(data, once)
            if not _leaves_a_variable_out(given):  # else the other proxy sets more variables
                _judge_other_proxy(data, once)


def _judge_change(data: bytes, outcome: Outcome) -> None:
    is_cut = all(cut(text.decode(), "items") for text in (data, outcome.output))
    if _is_cut_into_items(data) and is_cut and data.endswith(b"\n"):  # else the last item gets its line break
        left = unexplained(data, outcome)
        if left:
            raise Broken("every change is a result", left[0][:300])
        if b"&" not in data and envelope(outcome.output) != envelope(data):  # an anchor may move with its value
            raise Broken("what is no item stays")
    if not outcome.changed and not _has_same_items(data, outcome.output):
        raise Broken("nothing changed, and no byte of an item did")


def _judge_again(outcome: Outcome) -> None:
    once = outcome.output
    again = _allowed(once, "a second run is possible")
    if _without_results(again.output) != _without_results(once):
        raise Broken("a second run gives the same bytes", _first_difference(once, again.output))
    if again.changed:
        raise Broken("a second run changes nothing")
    # A message may name a place by the line or the index that it has now: what is found must be the same.
    after, before = ({(one.code, one.ref.kind, one.ref.name) for one in run.results} for run in (again, outcome))
    if not after <= before:
        raise Broken("a second run reports nothing new", str(sorted(code for code, *_ in after - before)))


def _judge_check(data: bytes, outcome: Outcome) -> None:
    checked = _asked(outcome.output, _checking)
    # What must change and cannot is a warning of a run, and an error of a check.
    known = {(result.code, result.ref) for result in outcome.results if result.code}
    errors = [result for result in checked.results if result.severity is Severity.ERROR] if checked else []
    if any((result.code, result.ref) not in known for result in errors) and not outcome.exit_code:
        shown = "; ".join(result.line() for result in errors)
        raise Broken("a check after a run finds nothing to do", shown[:300])
    before = _asked(data, _checking)
    if before is not None and outcome.changed and not before.exit_code:
        raise Broken("a check before a run finds what it changes")


def _judge_removal(data: bytes, once: bytes) -> None:
    removed, at_once = (_removed(list_) for list_ in (once, data))
    if removed is None or at_once is None:
        return
    again = _removed(removed)
    if again is not None and _items(again) != _items(removed):
        raise Broken("a second removal gives the same bytes", _first_difference(removed, again))
    if KEPT_BY_REMOVAL in removed:
        return
    if _without_empty_entries(removed) != _without_empty_entries(at_once):
        shown = _first_difference(at_once, removed)
        raise Broken("removal leaves the same whether or not a run went before", shown)


def _judge_other_proxy(data: bytes, once: bytes) -> None:
    after, at_once = (_asked(list_, with_other_proxy) for list_ in (once, data))
    if after is None or at_once is None or after.exit_code or at_once.exit_code:
        return
    if any(result.code == "CannotWrite" for outcome in (after, at_once) for result in outcome.results):
        return
    if _unquoted(filled(_said(after.output))) != _unquoted(filled(_said(at_once.output))):
        shown = _first_difference(at_once.output, after.output)
        raise Broken("another proxy gives the same items whether one was there before or not", shown)


def _unquoted(value: Any) -> Any:
    """A value without the quotes of texts inside it, which may be those that the values before needed."""
    if isinstance(value, dict):
        return {key: _unquoted(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_unquoted(one) for one in value]
    return value.replace('"', "") if isinstance(value, str) and "\n" in value else value


def _removed(data: bytes) -> bytes | None:
    outcome = _asked(data, removing)
    return None if outcome is None or outcome.exit_code else outcome.output


def _checking(data: bytes) -> bytes:
    return asking(data, mode="Check")


def _asked(data: bytes, edit: Callable[[bytes], bytes]) -> Outcome | None:
    """Run the list with another FunctionConfig; None where this cannot be written without a change of items."""
    try:
        other = edit(data)
    except (InjectProxyError, TypeError, KeyError, AttributeError):
        return None
    return function(other) if _is_cut_into_items(data) and items(other) == items(data) else None


def _allowed(data: bytes, promise: str) -> Outcome:
    outcome = function(data)
    if outcome is None:
        raise Broken(promise)
    return outcome


def _keeps(given: dict[str, Any]) -> bool:
    targets = given.get("targets")
    options = targets.values() if isinstance(targets, dict) else []
    return any(isinstance(one, dict) and one.get("conflict") == "Keep" for one in options)


def _leaves_a_variable_out(given: dict[str, Any]) -> bool:
    """Whether a field names no value for its variable, which a run takes away; its line loses its place then."""
    policy = given.get("noProxyPolicy")
    has_list = not isinstance(policy, dict) or policy.get("style") != "Verbatim" or given.get("noProxy") != []
    return None in given.values() or "" in given.values() or not has_list


def _asks_for(data: bytes) -> dict[str, Any]:
    """What the FunctionConfig asks for; nothing that matters here where it has no known form."""
    try:
        return wishes(data)
    except (InjectProxyError, KeyError, AttributeError):
        return {"mode": ""}


def _is_cut_into_items(data: bytes) -> bool:
    """Whether the layout allows to tell which text is which item, and each is an object."""
    try:
        objects = _read(data)["items"]
        return all(isinstance(one, dict) for one in objects) and [meaning(item) for item in items(data)] == objects
    except (InjectProxyError, KeyError, IndexError, TypeError):
        return False


def _has_same_items(old: bytes, new: bytes) -> bool:
    """Whether each item has its bytes; what they say, where a block text ends the list without a line break."""
    look = _items if old.endswith(b"\n") else _said
    return bool(look(old) == look(new))


def _items(data: bytes) -> Any:
    """The text of each item, or what they say where the layout does not allow to tell."""
    return [item.rstrip() for item in items(data)] if _is_cut_into_items(data) else _said(data)


@functools.cache
def _read(data: bytes) -> Any:
    return read(data.decode())


def _without_empty_entries(data: bytes) -> Any:
    """What the items say, without what holds nothing: an empty drop-in that was there goes with its variables.

    So does null in a mapping, which JSON leaves no place to note (docs/removal.md), a container or a variable of
    which nothing but its name was there, and a note in an annotation.
    """
    return filled(_without_entries(filled(_without_entries(filled(_said(data))))))


def _without_entries(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_entries(member)
            for key, member in value.items()
            if member is not None and not str(key).startswith(OWN_ANNOTATIONS)
        }
    if isinstance(value, list):
        return [_without_entries(one) for one in value if not _is_empty(one)]
    return value


def _is_empty(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    return {key for key, member in entry.items() if member is not None} == {"name"} or (
        "path" in entry and entry.keys().isdisjoint(("content", "contentFrom"))
    )


def _without_results(data: bytes) -> bytes:
    return re.split(rb"\s+results:", data)[0].rstrip()


def _said(data: bytes) -> Any:
    """What the items say, or the bytes of the list; an item that concerns nobody need not even be YAML."""
    try:
        return _read(data).get("items") or []
    except InjectProxyError:
        return _without_results(data)


def _first_difference(old: bytes, new: bytes) -> str:
    before, after = old.decode(errors="replace").splitlines(), new.decode(errors="replace").splitlines()
    for number, (one, other) in enumerate(zip(before, after, strict=False), 1):
        if one != other:
            return f"line {number}: {one[:120]!r} and {other[:120]!r}"
    return f"{len(before)} and {len(after)} lines"


def forget() -> None:
    """Forget what was cached about inputs, which are all different here."""
    caches: list[Callable[..., Any]] = [_read, items, function_config, with_other_proxy, removing]
    for one in caches:
        assert isinstance(one, functools._lru_cache_wrapper)
        one.cache_clear()
