"""Show what a field for a proxy URL holds without showing what may be a credential.

In: plain data of an object, and what targets read in it. Out: the same data, in which a text in the place of a proxy
URL is shown only if it is a well-formed URL; anything else becomes `***`, because it may be a password alone.

Source of the form: RFC 3986, section 3.2 (authority); a path, a query and a fragment have no meaning in a proxy URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from krm_fn.krm.masking import redact
from krm_fn.printable import HIDDEN

_HOST = r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])"
_USER = r"(?:[^\s:@/\"']{0,200}(?::[^\s@/\"']{0,500})?@)?"
_HOST_AND_PORT = rf"{_HOST}:[0-9]{{1,5}}(?![^\n]{{0,500}}@)"
"""What Go and EKS Anywhere take, too; in front of an `@` it would be a user name and a password."""
_URL = rf"(?:[A-Za-z][A-Za-z0-9+.-]{{0,20}}://{_USER}{_HOST}(?::[0-9]{{1,5}})?/?|{_HOST_AND_PORT})"
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
    """Return whether a text is a well-formed URL with nothing behind its host and port, or these alone."""
    return re.fullmatch(_URL, text) is not None


def is_name(text: str) -> bool:
    """Return whether a field or a variable of this name is for the URL of a proxy."""
    return re.fullmatch(_NAME, text) is not None


def shown_url(text: str) -> str:
    """Return the content of a field for a proxy URL, fit for a message.

    A URL without its password, or `***`.
    """
    if not text or is_url(text) or re.match(_REFERENCE, text):
        return str(redact(text))
    return HIDDEN


def hidden_texts(urls: Iterable[str]) -> set[str]:
    """Return those of the contents of fields for a proxy URL that must not be shown."""
    texts = {url.strip() for url in urls}
    return {text for text in texts if shown_url(text) == HIDDEN}


def without(text: str, hidden: Iterable[str]) -> str:
    """Return a text in which each of the texts ``hidden`` is `***`, where it is no part of a word."""
    for secret in sorted(hidden, key=len, reverse=True):
        if secret in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", HIDDEN, text)
    return text


def shown(name: str, value: str) -> str:
    """Return the value of a variable or field, fit for `currentValue` of a result."""
    if is_name(name):
        return shown_url(value)
    return shown_text(value)


def shown_text(text: str) -> str:
    """Return a text in which what is assigned to a proxy is a URL, or `***` up to the end of the line."""
    return re.sub(_OTHER_VALUE, rf"\1{HIDDEN}", text)
