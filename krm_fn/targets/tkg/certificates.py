"""Our certificates in a text to which others may add certificates, too.

The certificates between our two lines are ours; all others have another author. Programs that read
PEM ignore text outside ``BEGIN`` and ``END`` (RFC 7468, section 2).
"""

from __future__ import annotations

import re

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.formats.pem import shown, split
from krm_fn.patch import Pointer

_FIRST, _LAST = "# inject-proxy: the certificates of spec.trustedCA", "# inject-proxy: end"
# A block that somebody has cut in two begins at the later of its first lines, so that time is linear.
_OURS = re.compile(
    rf"\n?{re.escape(_FIRST)}\n(?:(?!{re.escape(_FIRST)}\n).*\n)*?{re.escape(_LAST)}\n?"
)


def with_ours(text: str, pem: str) -> str:
    """Return ``text`` with the certificates of ``pem`` that it lacks, in the place of those that we added before."""
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


class CertificateText(SiteWithoutVariables):
    """A text of certificates in a draft, as a site; it holds no proxy variable.

    Args:
        draft: the data of an object, or of a document inside one.
        path: leads to the text.
        pem: the certificates; "" for none.
        kept: so many steps of ``path`` lead to what stays, even if nothing is left in it.
    """

    def __init__(self, draft: Draft, path: Pointer, pem: str, kept: int) -> None:
        self._draft = draft
        self._path = path
        self._pem = pem
        self._kept = kept
        self.label = f"`{path[-1]}`"

    def write(self, variables: Variables) -> None:
        """Make the text hold the certificates, and no others between our lines.

        Raises:
            WrongTypeError: the text is something else, or no mapping is on the way to it.
        """
        self._draft.mapping(self._path[:-1])
        old = self._draft.get(self._path)
        if old is not None and not isinstance(old, str):
            raise WrongTypeError(self._path, old, "a string")
        new = with_ours(old or "", self._pem)
        if new == (old or ""):
            return
        if not new:
            self._draft.remove(self._path, self._kept)
            self._draft.describe(f"removes {self.label}")
            return
        self._draft.set(self._path, new, keep=self._kept)
        if self._pem:
            self._draft.describe(f"sets {shown(self._pem)} in {self.label}")
        else:
            self._draft.describe(f"removes our certificates from {self.label}")
