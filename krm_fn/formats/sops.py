"""Recognize values that SOPS has encrypted: none is edited, because its checksum would not hold any more, or read.

It knows the marks of SOPS alone.

Source: ``getsops/sops``: an encrypted value is ``ENC[AES256_GCM,…]``, a comment ``#ENC[AES256_GCM,…]``; a document with
one, or with a checksum of the plain ones, has a mapping ``sops`` at its top, each member on a line of its own.
"""

from __future__ import annotations

import re

from krm_fn.krm.results import Result
from krm_fn.patch import Data, Pointer

ENCRYPTED = "is encrypted by SOPS: decrypt it first"

_MEMBER = "sops"
_MARKS = frozenset({"mac", "lastmodified", "version"})
_VALUE = r"(?m)^(?![ \t]*#[ \t]).*ENC\[AES256_GCM,"
"""Not in a comment of a person."""
_CHECKSUM = r"""(?mx)
    ^ (?P<at> [ \t]{1,8} (?=") | ) "?sops"? : .* \n    # `sops:`, or `  "sops": {` in JSON
    (?: (?: (?P=at) [ \t\#] .* | \r? ) \n )*?           # `    kms: []`: lines below it, comments, empty lines
    (?P=at) [ \t]+ "?mac"? :                            # `    mac: ENC[AES256_GCM,...]`
"""


def is_encrypted(obj: Data) -> bool:
    """Return whether SOPS has encrypted an object of the list."""
    held = obj.get(_MEMBER)
    return isinstance(held, dict) and not _MARKS.isdisjoint(held)


def hides(text: str) -> bool:
    """Return whether a text is a value or a document that SOPS has encrypted."""
    return re.search(_VALUE, text) is not None or re.search(_CHECKSUM, text) is not None


def refusal(path: Pointer = (_MEMBER,)) -> Result:
    """Return the finding about an encrypted object, or about the encrypted text at ``path``."""
    return Result.of(
        "TextUnreadable", f"{ENCRYPTED}, or leave it out with `spec.selector.exclude`", path
    )
