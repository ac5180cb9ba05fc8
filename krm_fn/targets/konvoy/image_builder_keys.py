"""An override file of Konvoy Image Builder, with the proxy of the machine that is provisioned.

It edits one document as plain data, whether that is in an object or in a file of its own. It
writes both places the playbooks read: `proxy_env`, the environment of Ansible's own tasks, under all six names, and the
top-level `http_proxy`, `https_proxy` and `no_proxy`, without which containerd gets no drop-in while provisioning.

Source: the Konvoy document's ``http-proxy-override.yaml``; mesosphere/konvoy-image-builder,
``ansible/roles/containerd/tasks/main.yaml`` (``when: http_proxy is defined or …``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Site, Variables, says_nothing
from krm_fn.carriers.three_keys import SNAKE, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.light_typing import Any
from krm_fn.patch import lookup
from krm_fn.products.konvoy import PROXY_ENV

_ORDER = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy")
"""The six names of `proxy_env` as the document's own file has them."""

_TOP = ThreeKeys((), SNAKE, "the override file")


def sites(draft: Draft) -> Iterator[Site]:
    """Yield `proxy_env` and the three names at the top of an override document.

    Nothing is written at the top where `proxy_env` can have no proxy: a machine would get one half.
    """
    environment = _ProxyEnvironment(draft)
    yield environment
    if not environment.is_refused:
        yield _TOP.in_draft(draft)


def is_there(data: Any) -> bool:
    """Return whether a document sets one of the names already, in either place."""
    held = lookup(data, (PROXY_ENV,))
    return _TOP.is_in(data) or (isinstance(held, Mapping) and not held.keys().isdisjoint(_ORDER))


class _ProxyEnvironment:
    """The mapping `proxy_env`, as a site: it sets each of the six names for itself.

    Attributes:
        is_refused: something else is in its place, so nothing was written.
    """

    label = f"`{PROXY_ENV}`"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.is_refused = False

    def read(self) -> Iterator[Reading]:
        """Yield the names that are set."""
        for name in _ORDER:
            path = (PROXY_ENV, name)
            value = self._draft.get(path)
            if isinstance(value, str) and value:
                yield Reading(name, value, path, value, self.label)

    def write(self, variables: Variables) -> None:
        """Set the names, a new one in front of those that follow it in the order of the document.

        Names that hold nothing are left alone where there is nothing else to remove.

        Raises:
            WrongTypeError: something else than a mapping is there, or on the way.
        """
        self.is_refused = True
        old = self._draft.mapping((PROXY_ENV,)) or {}
        self.is_refused = False
        if not variables and says_nothing(self._draft, [(PROXY_ENV, name) for name in _ORDER]):
            return
        for index, name in enumerate(_ORDER):
            path = (PROXY_ENV, name)
            if name not in variables:
                self._draft.remove(path)
            elif old.get(name) != variables[name]:
                self._draft.set(path, variables[name], before=_ORDER[index + 1 :])
