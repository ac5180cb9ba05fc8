"""A mapping of environment variables, name to value, as a site; what else is in it stays."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables
from krm_fn.engine import Draft
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES


class VariableMapping:
    """A mapping of variables that a program gets as they are.

    Args:
        draft: the data of an object, or of a document inside one.
        path: leads to the mapping, which need not be there.
        label: the mapping in one phrase, for messages.
        keep: so many steps of ``path`` lead to what stays, even if nothing is left in it.
    """

    def __init__(self, draft: Draft, path: Pointer, label: str, keep: int = 0) -> None:
        self._draft = draft
        self._path = path
        self._keep = keep
        self.label = label

    def read(self) -> Iterator[Reading]:
        """Yield the variables that the mapping sets."""
        for name in PROXY_VARIABLES:
            path = (*self._path, name)
            value = self._draft.get(path)
            if isinstance(value, str):
                yield Reading(name, value, path, value, self.label)
            elif value is not None:
                yield Reading(name, None, path, str(value), self.label, "it must be a string")

    def write(self, variables: Variables) -> None:
        """Make the mapping set exactly these of the variables; null is left alone where there is nothing to remove.

        Raises:
            WrongTypeError: something else than a mapping is at the path or on the way to it.
        """
        self._draft.mapping(self._path)
        if not variables and not any(True for _ in self.read()):
            return
        for at, name in enumerate(PROXY_VARIABLES):
            path = (*self._path, name)
            if name in variables:
                behind = PROXY_VARIABLES[at + 1 :]
                self._draft.set(path, variables[name], before=behind, keep=self._keep)
            else:
                self._draft.remove(path, keep=self._keep)
