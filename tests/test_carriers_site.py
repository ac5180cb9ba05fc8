"""What writing all sites of an object changes, in words and values."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.places.reading import Reading
from krm_fn.carriers.site import Variables, write_sites
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.patch import Pointer


class Member:
    """One member that holds `HTTP_PROXY`, as a site."""

    def __init__(self, draft: Draft, *path: str) -> None:
        self._draft = draft
        self._path: Pointer = path
        self.label = ".".join(path)

    def read(self) -> Iterator[Reading]:
        value = self._draft.get(self._path)
        if isinstance(value, str):
            yield Reading("HTTP_PROXY", value, self._path, value, self.label)

    def write(self, variables: Variables) -> None:
        if not isinstance(self._draft.get(self._path[:-1], {}), dict):
            raise WrongTypeError(self._path[:-1], None, "a mapping")
        self._draft.set(self._path, variables["HTTP_PROXY"])


def test_each_site_of_one_mapping_is_named() -> None:
    draft = Draft({"a": {"x": "old"}})

    edit = write_sites(draft, [Member(draft, "a", "x"), Member(draft, "a", "y")], {"HTTP_PROXY": "new"})

    assert edit is not None
    assert edit.message == "sets the proxy in a.x and a.y"


def test_a_site_that_holds_a_part_of_the_proxy_is_not_said_to_set_it() -> None:
    draft = Draft({"a": {}})

    edit = write_sites(draft, [Member(draft, "a", "x")], {"HTTP_PROXY": "new", "NO_PROXY": "x"})

    assert edit is not None
    assert edit.message == "sets `HTTP_PROXY` in a.x"


def test_what_keeps_two_sites_from_being_written_is_reported_once() -> None:
    draft = Draft({"a": 1})

    assert write_sites(draft, [Member(draft, "a", "x"), Member(draft, "a", "y")], {"HTTP_PROXY": "new"}) is None
    assert [one.path for one in draft.findings] == [("a",)]
