"""Lists as people write them: take one apart, say what is wrong with an entry.

An entry is a text without blanks and commas, and stays as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from krm_fn.light_typing import Texts
from krm_fn.noproxy.entries import (
    EntryKind,
    bare,
    classify,
    is_variable,
    may_hold_a_credential,
    resembles_address,
    split,
)

_OTHER_SEPARATORS = r"[\s;|]+"
_URL = r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?P<host>\[[^\]]*\]|[^/:?#]*).*"
_A_HOST = "a host name, a domain, an address or a CIDR"
_ADDRESS_WITH_PREFIX = r"[0-9A-Fa-f:.\[\]]+/[0-9.]+"


def parse(entries: str | Iterable[str]) -> Texts:
    """Return the entries of one or several comma-separated texts, in order, without blanks and empty ones."""
    texts = [entries] if isinstance(entries, str) else entries
    return tuple(entry for text in texts for part in text.split(",") if (entry := part.strip()))


def mistake(entry: str) -> str:
    """Return why no client, or only some, understand ``entry``, and what to write; "" if it is correct."""
    return mistake_of_pattern(entry) or _nonsense(entry)


def mistake_of_pattern(entry: str) -> str:
    """Return why an entry, or a glob for entries, is wrong, and what to write; "" if it is correct.

    apt and wget miss an entry beside a blank; none reads ``;``, ``|`` or a URL (measured). What could be a credential
    is not repeated.
    """
    if may_hold_a_credential(entry):
        return (
            "an entry must not hold user name and password. Write the host alone, "
            'as in "git.example.com" or "git.example.com:443"'
        )
    if re.search(_OTHER_SEPARATORS, entry):
        corrected = ",".join(filter(None, re.split(_OTHER_SEPARATORS, entry)))
        return f'entry "{" ".join(entry.split())}" must not hold blanks, ";" or "|": write "{corrected}"'
    is_network = re.fullmatch(_ADDRESS_WITH_PREFIX, entry) is not None
    url = re.fullmatch(_URL, entry) if "/" in entry and not is_network else None
    if url:
        host = url["host"].strip("[]")
        corrected = f'"{host}"' if host else _A_HOST
        return f"an entry must not be a URL: write {corrected}"
    return ""


def _nonsense(entry: str) -> str:
    """Return why ``entry`` cannot be what its author means: no address, no host, no value of a variable."""
    if is_variable(entry):
        return "an entry must not be the name of a variable: write its entries"
    # There is one at most: what separates entries is a mistake of the pattern.
    token = next(iter(split(entry)), "")
    if classify(bare(token)) is not EntryKind.UNKNOWN:
        return ""
    if resembles_address(token):
        return f'entry "{token}" must be a whole address or CIDR, such as "10.1.2.0/24"'
    return f'entry "{token}" must be {_A_HOST}' if token.endswith(":") or ".." in token else ""
