"""Certificates of ours in a text of certificates that others may write into, too.

What stands between our two lines is ours, and everything else is somebody's. Programs that read
PEM pass by what stands outside of ``BEGIN`` and ``END`` (RFC 7468, section 2).
"""

from __future__ import annotations

import re
from typing import Any

from krm_fn.engine import Draft, WrongTypeError
from krm_fn.engine.member_edits import MemberEdits
from krm_fn.formats.pem import shown, split
from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import Pointer

_FIRST, _LAST = "# inject-proxy: the certificates of spec.trustedCA", "# inject-proxy: end"
# A block that somebody has cut in two begins at the later of its first lines, so that time is linear.
_OURS = re.compile(
    rf"\n?{re.escape(_FIRST)}\n(?:(?!{re.escape(_FIRST)}\n).*\n)*?{re.escape(_LAST)}\n?"
)


def with_ours(text: str, pem: str) -> str:
    """``text`` with those certificates of ``pem`` that it lacks, in the place of those that were ours before."""
    others = _OURS.sub("", text)
    missing = "".join(one for one in split(pem) if one not in split(others))
    if not missing:
        return others
    block = f"{_FIRST}\n{missing}{_LAST}\n"
    if _OURS.search(text) is None:
        return f"{others}\n{block}" if others else block
    return _OURS.sub(
        lambda found: f"\n{block}" if found[0].startswith("\n") else block, text, count=1
    )


def edit(data: Any, path: Pointer, pem: str, kept: int) -> MemberEdits | Finding:
    """Return what gives a text of certificates ours, or removes them.

    Args:
        data: an object, or a document inside one, as plain data.
        path: leads to the text.
        pem: the certificates; "" for none.
        kept: so many steps of ``path`` lead to what stays, even if nothing is left in it.
    """
    draft, name = Draft(data), path[-1]
    try:
        draft.mapping(path[:-1])
    except WrongTypeError as error:
        return wrong_type(error.path, error.value, error.wanted)
    there = draft.get(path)
    if there is not None and not isinstance(there, str):
        return wrong_type(path, there, "a string")
    wanted = with_ours(there or "", pem)
    if wanted == (there or ""):
        return MemberEdits(())
    if not wanted:
        draft.remove(path, kept)
        return MemberEdits(tuple(draft.operations()), f"removes `{name}`")
    draft.set(path, wanted, keep=kept)
    if pem:
        message = f"sets {shown(pem)} in `{name}`"
    else:
        message = f"removes certificates of ours from `{name}`"
    return MemberEdits(tuple(draft.operations()), message)
