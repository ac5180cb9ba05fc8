"""The lossless writer: YAML text + new data -> YAML text.

The same data, the same bytes; all that the new data leaves alone stays byte for byte. It knows nothing of Kubernetes,
proxies or files, and could be published alone.

    tree     a text, its lines -> nodes         edit     tree + new data -> changes -> text, proven
    data     a document: nodes <-> plain data   pairs    which items of two lists are the same
    stream   a text of several documents        layout   where the parts of a collection are, the style
    cut      a long list into its items         scalars  a text with another value in its style
    was      a value that was empty, in a       render   new data -> text in a style
             comment

The functions that read are here. Those that write, and ``stream``, are imported from their modules: most runs change
little or nothing.
"""

from __future__ import annotations

from krm_fn.light_typing import Any
from krm_fn.yamledit.cut import Cut, cut
from krm_fn.yamledit.data import has_complex_key, same
from krm_fn.yamledit.document import CODE_OF_YTT, Document
from krm_fn.yamledit.tree import Lines, Position, is_yaml, with_line_feeds


def read(text: str) -> Any:
    """Return the plain data of one YAML document; raises InputError if it is not one."""
    return Document(text).data()
