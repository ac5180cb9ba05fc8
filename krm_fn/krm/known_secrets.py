"""The passwords of the proxies that a ProxyConfig names, in the forms in which manifests hold them.

A pattern finds a password by the URL around it. A command hands it to a client in other ways, and without the password
itself nobody can tell which word it is.
"""

from __future__ import annotations

import binascii
import json
import re
from collections.abc import Iterable, Iterator

from krm_fn.printable import HIDDEN
from krm_fn.proxy_url import split_url

_SHORTEST = 4
_LONGEST_WORD = 7
"""Up to this length, a password may be a part of other words, such as `proxy` of `http-proxy.conf`."""
_WORD = r"(?<!\w)(?<!\w[.-])(?:{})(?!\w|[.-]\w)"
_CODED_WORD = r"(?<![A-Za-z0-9+/])(?:{})(?![A-Za-z0-9+/=])"
"""A part of longer base64 is none: what that one says is read as a whole."""


class ProxyPasswords:
    """Finds the passwords of proxy URLs in any text."""

    def __init__(self, urls: Iterable[str] = ()) -> None:
        words: set[str] = set()
        parts: set[str] = set()
        coded: set[str] = set()
        for url in sorted(set(urls)):
            proxy = split_url(url.partition("://")[2])  # also in the default of a placeholder
            user, password = proxy.user, proxy.password
            plain = _decoded(password)
            if len(plain) < _SHORTEST:
                continue
            (parts if len(plain) > _LONGEST_WORD else words).update(_forms(plain, password))
            pairs = (f"{user}:{password}", f"{_decoded(user)}:{plain}")
            for text in (password, plain, *pairs, url, _decoded(url)):
                coded.update(_coded(text))
        patterns = (("(?:{})", parts), (_WORD, words), (_CODED_WORD, coded))
        found = [pattern.format(_any_of(texts)) for pattern, texts in patterns if texts]
        self._pattern = re.compile("|".join(found)) if found else None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where passwords are in a text, in order."""
        return [found.span() for found in self._pattern.finditer(text)] if self._pattern else []

    def hidden(self, text: str) -> str:
        """Return a text with ``***`` in the place of each password."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text


def _decoded(text: str) -> str:
    from urllib.parse import unquote  # noqa: PLC0415 -- only a diff needs it

    return unquote(text)


def _forms(plain: str, written: str) -> Iterator[str]:
    """Yield a password as URLs, shells, JSON, systemd and Kubernetes write it."""
    from urllib.parse import quote  # noqa: PLC0415 -- only a diff needs it

    encoded = quote(plain, safe="")
    in_small_letters = re.sub("%..", lambda found: found[0].lower(), encoded)
    for text in {plain, written, encoded, in_small_letters, quote(encoded), quote(written)}:
        if len(text.splitlines()) > 1:
            continue  # a diff is made of lines
        in_double_quotes = re.sub(r'([\\"$`])', r"\\\1", text)
        bare = re.sub(r"([^\w%+,./:=@-])", r"\\\1", text)
        in_json = json.dumps(text)[1:-1]
        in_single_quotes = [text.replace("'", end) for end in ("'\"'\"'", "'\\''", "''")]
        for form in (text, in_double_quotes, bare, in_json, *in_single_quotes):
            yield form
            yield form.replace("%", "%%")
            yield form.replace("$", "$$")
            yield form.replace("%", "%%").replace("$", "$$")


def _coded(text: str) -> Iterator[str]:
    """Yield the base64 of a text, with and without a line feed, in both alphabets."""
    for raw in (text.encode(), f"{text}\n".encode()):
        coded = binascii.b2a_base64(raw, newline=False).decode()
        for form in (coded, coded.replace("+", "-").replace("/", "_")):
            yield form
            yield form.rstrip("=")


def _any_of(texts: Iterable[str]) -> str:
    """Return a pattern of several texts, of which a longer one counts before what it begins with."""
    return "|".join(map(re.escape, sorted(texts, key=lambda text: (-len(text), text))))
