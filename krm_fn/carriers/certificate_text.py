"""Our certificates in a text to which others may add certificates, too.

Those between our two lines, or below our line, are ours; all others have another author. Most programs that read PEM
ignore text outside ``BEGIN`` and ``END`` (RFC 7468, section 2). Some refuse what is behind the last certificate
(``CABundle`` of ``openshift/installer``), so each of ours has its line above itself there.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.formats.pem import shown, split
from krm_fn.krm.results import Severity
from krm_fn.patch import Pointer

_FIRST, _LAST = "# inject-proxy: the certificates of spec.trustedCA", "# inject-proxy: end"
# A block that somebody has cut in two begins at the later of its first lines, so that time is linear.
_OURS = re.compile(
    rf"\n?{re.escape(_FIRST)}\n(?:(?!{re.escape(_FIRST)}\n).*\n)*?{re.escape(_LAST)}\n?"
)
_MARK = "# inject-proxy: a certificate of spec.trustedCA"
_MARKED = re.compile(
    rf"\n?{re.escape(_MARK)}\n-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]*-----END CERTIFICATE-----\n?"
)

Merge = Callable[[str, str], str]
"""Return a text with the certificates of a PEM text that it lacks, in the place of those that we added before."""


def in_block(text: str, pem: str) -> str:
    """Return ``text`` with the certificates of ``pem`` that it lacks between our two lines."""
    others = _OURS.sub("", text)
    missing = "".join(_missing(others, pem))
    if not missing:
        return others
    block = f"{_FIRST}\n{missing}{_LAST}\n"
    if _OURS.search(text) is None:
        return f"{others}\n{block}" if others else block
    return _OURS.sub(
        lambda found: f"\n{block}" if found[0].startswith("\n") else block, text, count=1
    )


def each_marked(text: str, pem: str) -> str:
    """Return ``text`` with the certificates of ``pem`` that it lacks at its end, each below our line."""
    others = _MARKED.sub("", text)
    missing = "".join(f"{_MARK}\n{one}" for one in _missing(others, pem))
    return f"{others}\n{missing}" if others and missing else others + missing


def each_marked_in_base64(text: str, pem: str) -> str:
    """Return the same of a text in base64.

    Raises:
        ValueError: ``text`` is no text in base64.
    """
    decoded = base64.b64decode("".join(text.split()), validate=True).decode()
    new = each_marked(decoded, pem)
    return text if new == decoded else base64.b64encode(new.encode()).decode()


def _missing(others: str, pem: str) -> list[str]:
    there = split(others)
    return [one for one in split(pem) if one not in there]


class CertificateText(SiteWithoutVariables):
    """A text of certificates in a draft, as a site; it holds no proxy variable.

    Args:
        draft: the data of an object, or of a document inside one.
        path: leads to the text.
        pem: the certificates; "" for none.
        kept: so many steps of ``path`` lead to what stays, even if nothing is left in it.
        merge: how ours are told from others.
    """

    def __init__(
        self, draft: Draft, path: Pointer, pem: str, kept: int, merge: Merge = in_block
    ) -> None:
        self.draft = draft
        self.path = path
        self._pem = pem
        self._kept = kept
        self._merge = merge
        self.label = f"`{path[-1]}`"

    def write(self, variables: Variables) -> None:
        """Make the text hold the certificates, and no others of ours; report a text that cannot be read.

        Raises:
            WrongTypeError: the text is something else, or no mapping is on the way to it.
        """
        self.draft.mapping(self.path[:-1])
        old = self.draft.get(self.path)
        if old is not None and not isinstance(old, str):
            raise WrongTypeError(self.path, old, "a string")
        try:
            new = self._merge(old or "", self._pem)
        except ValueError:
            message = "is no text in base64, so it stays as it is: correct it, or remove it"
            self.draft.report(Severity.WARNING, message, self.path, code="TextUnreadable")
            return
        if new == (old or ""):
            return
        if not new:
            self.draft.remove(self.path, self._kept)
            self.draft.describe(f"removes {self.label}")
            return
        self.draft.set(self.path, new, keep=self._kept)
        if self._pem:
            self.draft.describe(f"sets {shown(self._pem)} in {self.label}")
        else:
            self.draft.describe(f"removes our certificates from {self.label}")
