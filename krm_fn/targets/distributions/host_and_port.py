"""One proxy for both schemes, as a host and a port beside the list: ``httpProxy: {host, port}``, ``excludes``."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables, says_nothing
from krm_fn.engine import Draft
from krm_fn.patch import Pointer
from krm_fn.products.proxy_keys import ProxyKeys
from krm_fn.proxy_url import is_port, split_url


def is_one(http: str, https: str) -> bool:
    """Return whether both URLs are the same, and nothing but ``http://``, a host and perhaps a port."""
    url = split_url(http)
    if http != https or url.scheme != "http" or not url.host or "$" in http or "{" in http:
        return False
    return url.user_info is None and (not url.port or is_port(url.port[1:]))


class HostAndPort:
    """The proxy of one mapping, as a site.

    Args:
        draft: the data of the object.
        path: leads to the mapping.
        keys: the name of the member with host and port, twice, and that of the list.
    """

    def __init__(self, draft: Draft, path: Pointer, keys: ProxyKeys) -> None:
        self._draft = draft
        self._proxy = (*path, keys[0])
        self._list = (*path, keys[2])
        self.label = f"`{'.'.join(path)}`"

    def read(self) -> Iterator[Reading]:
        """Yield what the mapping says: its reader makes one URL of host and port for both schemes."""
        host, port = (self._draft.get((*self._proxy, name)) for name in ("host", "port"))
        if isinstance(host, str) and host:
            url = f"http://{host}:{port}" if port else f"http://{host}"
            for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
                yield Reading(name, url, self._proxy, url, self.label, member=self._proxy[-1])
        entries = self._draft.get(self._list)
        if isinstance(entries, str) and entries:
            for name in ("NO_PROXY", "no_proxy"):
                yield Reading(name, entries, self._list, entries, self.label, member=self._list[-1])

    def write(self, variables: Variables) -> None:
        """Set host, port and list, or remove them; the URL is one for which ``is_one`` is true.

        Where none of them says anything, a removal leaves them alone: it may have given them back.

        Raises:
            WrongTypeError: something else than a mapping is at the path or on the way to it.
        """
        self._draft.mapping(self._proxy)
        host, port = (*self._proxy, "host"), (*self._proxy, "port")
        paths = [host, self._list]
        if self._draft.get(port) != 0:
            paths.append(port)
        if not variables and says_nothing(self._draft, paths):
            return
        url = split_url(variables.get("HTTP_PROXY", ""))
        self._put(host, url.host)
        self._put(port, int(url.port[1:]) if url.port else None)
        self._put(self._list, variables.get("NO_PROXY"))

    def _put(self, path: Pointer, value: str | int | None) -> None:
        if value:
            self._draft.set(path, value, keep=0)
        else:
            self._draft.remove(path, keep=0)
