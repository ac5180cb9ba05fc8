"""A member that names a Secret with user and password beside a URL that takes none (``credentialSecretRef``)."""

from __future__ import annotations

from krm_fn.carriers.reading import Reading
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.patch import Pointer
from krm_fn.products.proxy_keys import CREDENTIAL_SECRET


def completed(one: Reading) -> Reading:
    """Return the reading of a URL to which a Secret adds user and password: its value is not known."""
    why = f"its user and password are in the Secret that `{CREDENTIAL_SECRET}` names"
    return one._replace(value=None, why_unknown=why)


def report_left_out(draft: Draft, path: Pointer, reader: str, url: str) -> None:
    """Report that a URL goes without user and password, which no Secret adds.

    Args:
        draft: the object.
        path: what the report is about.
        reader: what reads the URL, with its verb: "GitHub's runners take".
        url: the field of the URL.
    """
    secret = f"{url.rpartition('.')[0]}.{CREDENTIAL_SECRET}"
    message = (
        f"{reader} no user and password in a URL, so `{url}` goes without them: name a Secret with `username` and "
        f"`password` in `{secret}`"
    )
    draft.report(Severity.WARNING, message, path, code="CredentialsLeftOut")
