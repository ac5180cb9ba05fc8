"""A value of ours is what one of `typing.NamedTuple` is, to all who use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from typing import NamedTuple as OfTyping

import pytest

from krm_fn.light_typing import NamedTuple


class Ours(NamedTuple):
    name: str
    number: int = 7
    parts: tuple[str, ...] = ()

    @property
    def doubled(self) -> int:
        return 2 * self.number


class Theirs(OfTyping):
    name: str
    number: int = 7
    parts: tuple[str, ...] = ()

    @property
    def doubled(self) -> int:
        return 2 * self.number


USES: dict[str, Callable[[Any], Any]] = {
    "defaults are filled in": lambda made: tuple(made("a")),
    "values have names": lambda made: tuple(made(number=1, name="a")),
    "members have names": lambda made: (made("a").name, made("a").number, made("a").parts),
    "a property is one": lambda made: made("a").doubled,
    "one member is replaced": lambda made: tuple(made("a")._replace(number=2)),
    "values are made of any iterable": lambda made: tuple(made._make(iter(["a", 1, ()]))),
    "the fields are known": lambda made: made._fields,
    "as a dictionary": lambda made: made("a")._asdict(),
    "equal values are equal": lambda made: made("a") == made(name="a"),
    "equal values are one key": lambda made: len({made("a"), made("a"), made("b")}),
    "values are in order": lambda made: [one.name for one in sorted([made("b"), made("a")])],
    "it has no other members": lambda made: hasattr(made("a"), "__dict__"),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_value_is_used_as_one_of_typing(use: Callable[[Any], Any]) -> None:
    assert use(Ours) == use(Theirs)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        pytest.param(lambda made: made(), TypeError, id="a value without a default is missing"),
        pytest.param(lambda made: made("a", 1, (), 2), TypeError, id="there is one too many"),
        pytest.param(lambda made: made("a", other=1), TypeError, id="there is no such name"),
        pytest.param(lambda made: made("a")._replace(other=1), (TypeError, ValueError), id="no such name is replaced"),
        pytest.param(lambda made: setattr(made("a"), "name", "b"), AttributeError, id="a member is assigned"),
    ],
)
def test_a_wrong_use_is_an_error_as_there(wrong: Callable[[Any], Any], error: type[Exception]) -> None:
    for made in (Ours, Theirs):
        with pytest.raises(error):
            wrong(made)
