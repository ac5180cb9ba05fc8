"""The text of one entry of ``files``, in any encoding that Cluster API knows.

Decoding and encoding are each other's inverse in meaning, and the same text always gives the
same bytes (the time stamp inside gzip is zero).

Source: ``Encoding`` in Cluster API ``kubeadmconfig_types.go``: ``base64``, ``gzip`` and ``gzip+base64``.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any

_PLAIN = (None, "")
LARGEST = 1024 * 1024
"""The longest ``content`` that is read, in characters, and the longest text that is unpacked from one, in bytes."""


def decode(entry: Mapping[str, Any]) -> str | None:
    """Return the text of ``entry`` (an entry of ``files`` with inline content).

    None if it cannot be read as text.

    A content that Cluster API renders (``contentFormat: Template``) is not read. More than 1 MiB is not read: Cluster
    API takes 10 KiB, and systemd no line longer than that. Plain ``gzip`` holds raw bytes, which YAML text cannot
    carry, so it is never read.
    """
    content, encoding = entry.get("content"), entry.get("encoding")
    if entry.get("contentFormat") == "Template":  # Cluster API renders it
        return None
    if content is None:
        content = ""
    if (
        not isinstance(content, str)
        or encoding not in (*_PLAIN, "base64", "gzip+base64")
        or len(content) > LARGEST
    ):
        return None
    if encoding in _PLAIN:
        return content
    try:
        raw = base64.b64decode("".join(content.split()), validate=True)
        return (_gunzip(raw) if encoding == "gzip+base64" and raw else raw).decode()
    except (binascii.Error, zlib.error, ValueError):
        return None


def encode(text: str, encoding: str | None) -> str:
    """Return ``text`` as the ``content`` of an entry with an ``encoding`` that ``decode`` reads."""
    if encoding in _PLAIN:
        return text
    raw = text.encode()
    if encoding == "gzip+base64":
        import gzip  # noqa: PLC0415 -- few files are compressed

        raw = gzip.compress(raw, mtime=0)
    return base64.b64encode(raw).decode()


def _gunzip(raw: bytes) -> bytes:
    """Return the content of a gzip file, up to a size that no drop-in has.

    A small file can hold a huge one.
    """
    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    content = reader.decompress(raw, LARGEST)
    if not reader.eof or reader.unused_data:
        raise ValueError("not one whole gzip file of a reasonable size")
    return content
