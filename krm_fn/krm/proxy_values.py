"""Show what a field for a proxy URL holds without showing what may be a credential.

In: plain data of an object, and what targets read in it. Out: the same data, in which a text in the place of a proxy
URL is shown only if it is a well-formed URL; anything else becomes `***`, because it may be a password alone.

Source of the form: RFC 3986, section 3.2 (authority); a path, a query and a fragment have no meaning in a proxy URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from krm_fn.krm.masking import redact
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer
from krm_fn.printable import HIDDEN

_HOST = r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])"
_USER = r"(?:[^\s:@/\"']{0,200}(?::[^\s@/\"']{0,500})?@)?"
_URL = rf"[A-Za-z][A-Za-z0-9+.-]{{0,20}}://{_USER}{_HOST}(?::[0-9]{{1,5}})?/?"
_REFERENCE = r"\$\{?[A-Za-z_({]|\{\{"
"""A text that a shell, clusterctl, Flux or Kyverno fills in."""
_NAME = r"(?i)(?:.*_)?https?_?proxy(?:url)?"
_BEHIND_URL = r"(?:[\s\"';,&|)}\]\\]|\Z)"
_OTHER_VALUE = (
    r"(?i)(https?_?proxy[\"']?[ \t]{0,8}[=:][ \t]{0,8}[\"']?)"
    rf"(?!{_URL}{_BEHIND_URL}|{_BEHIND_URL}|{_REFERENCE})[^\n]+"
)
"""What is assigned to a proxy and is no URL, no reference and not empty."""


def is_url(text: str) -> bool:
    """Return whether a text is a well-formed URL with nothing behind its host and port."""
    return re.fullmatch(_URL, text) is not None


def is_name(text: str) -> bool:
    """Return whether a field or a variable of this name is for the URL of a proxy."""
    return re.fullmatch(_NAME, text) is not None


def shown_url(text: str) -> str:
    """Return the content of a field for a proxy URL, fit for a message.

    A URL without its password, or `***`.
    """
    return str(redact(text)) if not text or is_url(text) or re.match(_REFERENCE, text) else HIDDEN


def hidden_texts(values: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    """Return the values that must not be shown.

    Args:
        values: variables with their values, None for a value that is not known.
    """
    urls = {value.strip() for name, value in values if value and name.upper() != "NO_PROXY"}
    return frozenset(url for url in urls if url and shown_url(url) == HIDDEN)


def without(text: str, hidden: frozenset[str]) -> str:
    """Return a text in which each of the texts ``hidden`` is `***`, where it is no part of a word."""
    for one in sorted(hidden, key=len, reverse=True):
        if one in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(one)}(?![A-Za-z0-9])", HIDDEN, text)
    return text


def shown(data: Any, path: Pointer, proposed: Any) -> Any:
    """Return the value of a field for `currentValue` of a result, with credentials hidden.

    Args:
        data: the value at ``path``.
        path: where it is; a name such as `httpProxy` at its end says that it is a proxy URL.
        proposed: what is to be written there; a URL says the same.
    """
    is_of_url = bool(path and is_name(path[-1])) or (isinstance(proposed, str) and is_url(proposed))
    return shown_url(data) if isinstance(data, str) and is_of_url else _shown(data)


def _shown(data: Any) -> Any:
    if isinstance(data, str):
        return shown_text(data)
    if isinstance(data, list):
        return [_shown(item) for item in data]
    if not isinstance(data, Mapping):
        return data
    name = data.get("name")
    is_entry = isinstance(name, str) and is_name(name)
    return {key: _member(key, member, is_url_of_entry=is_entry) for key, member in data.items()}


def _member(key: Any, member: Any, *, is_url_of_entry: bool) -> Any:
    is_of_url = (is_url_of_entry and key == "value") or is_name(str(key))
    return shown_url(member) if is_of_url and isinstance(member, str) else _shown(member)


def shown_text(text: str) -> str:
    """Return a text in which what is assigned to a proxy is a URL, or `***` up to the end of the line."""
    return re.sub(_OTHER_VALUE, rf"\1{HIDDEN}", text)
