"""The lossless writer: YAML text + RFC 6902 operations -> YAML text.

No operation, the same bytes; what no operation is about stays byte for byte. It knows nothing of
Kubernetes, proxies or files, and could be published alone.

    tree      text -> nodes with positions          shadow   operations -> what stays, is removed, is new
    view      nodes -> plain data                   layout   columns and lines, the author's style
    render    plain data -> text in a style         splice   shadow -> edits -> text
    document  what one document says              cut      a long list into its items, by text alone
    edit      all of it, proven against jsonpatch   comments each place of a text with the comments there
    stream    a text of several documents
    breaks    the line breaks of YAML             repeated keys that occur twice
    expansion what aliases add, before they do    restyle  a scalar in its author's style
    surrogates JSON's pairs of escapes

Here is what reads. What writes, and ``stream``, is imported from its module: most runs change little or nothing.
"""

from __future__ import annotations

from krm_fn.light_typing import Any
from krm_fn.yamledit.breaks import Lines, with_line_feeds
from krm_fn.yamledit.cut import Cut, cut
from krm_fn.yamledit.document import (
    CODE_OF_YTT,
    Document,
    Outline,
    has_complex_keys,
)
from krm_fn.yamledit.expansion import Budget
from krm_fn.yamledit.repeated import repeated_keys, repeated_keys_of_text
from krm_fn.yamledit.view import same

__all__ = [
    "CODE_OF_YTT",
    "Budget",
    "Cut",
    "Document",
    "Lines",
    "Outline",
    "cut",
    "has_complex_keys",
    "read",
    "repeated_keys",
    "repeated_keys_of_text",
    "same",
    "with_line_feeds",
]


def read(text: str) -> Any:
    """Return the plain data of one YAML document; raises InputError if it is not one."""
    return Document(text).data()
