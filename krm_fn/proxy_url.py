"""The URL of a proxy, taken apart.

A password may hold any character that its author forgot to encode: everything up to the last ``@`` is user and
password. Source of the form: RFC 3986, section 3.2 (authority).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from krm_fn.light_typing import NamedTuple

_PARTS = (
    r"(?s)(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?(?:(?P<user_info>.*)@)?"
    r"(?P<host>\[[^\]]*\]|[^:/?#]*)(?P<port>:[^/?#]*)?(?P<tail>.*)"
)
_IN_SECRET = "secret://"  # noqa: S105 -- a scheme


class ProxyUrl(NamedTuple):
    """The parts of a URL; ``text`` is the URL that they make up.

    Attributes:
        scheme: without ``://``; "" where there is none.
        user_info: the text in front of the last ``@``; None if there is no ``@``.
        host: a name or an address, in brackets if it is one of IPv6.
        port: with its colon; "" where there is none.
        tail: the text behind host and port.
    """

    scheme: str
    user_info: str | None
    host: str
    port: str
    tail: str

    @property
    def user(self) -> str:
        """The user name as it is written."""
        return (self.user_info or "").partition(":")[0]

    @property
    def password(self) -> str:
        """The password as it is written."""
        return (self.user_info or "").partition(":")[2]

    @property
    def text(self) -> str:
        """The whole URL."""
        scheme = f"{self.scheme}://" if self.scheme else ""
        user_info = "" if self.user_info is None else f"{self.user_info}@"
        return f"{scheme}{user_info}{self.host}{self.port}{self.tail}"

    @property
    def without_credentials(self) -> str:
        """The URL without user and password."""
        return self._replace(user_info=None).text


def split_url(text: str) -> ProxyUrl:
    """Return the parts of a text, which need not be a URL."""
    match = re.fullmatch(_PARTS, text)
    assert match is not None  # noqa: S101 -- the last part takes what is left of any text
    return ProxyUrl(
        match["scheme"] or "", match["user_info"], match["host"], match["port"] or "", match["tail"]
    )


def url_in_secret(name: str, key: str) -> str:
    """Return a URL that stands in a Secret, under a key: ``secret://proxy/http_proxy``. Only this program reads it."""
    return f"{_IN_SECRET}{name}/{key}"


def secret_key_ref(url: str) -> dict[str, str]:
    """Return name and key of the Secret in which a URL stands, as Kubernetes refers to it; empty for any other URL."""
    if not url.startswith(_IN_SECRET):
        return {}
    name, _, key = url.removeprefix(_IN_SECRET).partition("/")
    return {"name": name, "key": key}


def is_port(text: str) -> bool:
    """Return whether a text is a port from 1 to 65535."""
    return re.fullmatch("[0-9]{1,5}", text) is not None and 0 < int(text) <= 65535


def with_and_without_credentials(urls: Iterable[str]) -> set[str]:
    """Return URLs as they are and as a place holds them that takes no password."""
    known = {url for url in urls if url}
    return known | {split_url(url).without_credentials for url in known}
