"""Certificates in PEM form: split, and shown in one line.

It reads where a certificate begins and ends and never what it says; a result shows fingerprints,
which ``openssl x509 -fingerprint -sha256`` prints, and not the text.
"""

from __future__ import annotations

import base64
import binascii
import re

from krm_fn.krm.results import count

_BLOCK = r"""(?x)
    -----BEGIN[ ]CERTIFICATE-----
    ([A-Za-z0-9+/=\s]+)             # `MIIBszCC...`: base64 in lines
    -----END[ ]CERTIFICATE-----
"""
_BYTES_SHOWN = 8
_MOST_SHOWN = 3


def split(pem: str) -> list[str]:
    """Return each certificate of a bundle as a text of its own, without the text between them; equal ones once."""
    certificates = []
    for block in re.finditer(_BLOCK, pem):
        body = "\n".join(block[1].split())
        certificates.append(f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n")
    return list(dict.fromkeys(certificates))


def shown(pem: str) -> str:
    """Return the number of certificates and the first fingerprints: ``2 certificates, SHA-256 5F:3A:…, 77:B1:…``."""
    certificates = split(pem)
    text = count(len(certificates), "certificate")
    if certificates:
        fingerprints = map(_fingerprint, certificates[:_MOST_SHOWN])
        text += f", SHA-256 {', '.join(fingerprints)}"
    more = len(certificates) - _MOST_SHOWN
    if more > 0:
        text += f", and {more} more"
    return text


def _fingerprint(certificate: str) -> str:
    import hashlib  # noqa: PLC0415 -- loads OpenSSL: only where there is a certificate

    try:
        der = base64.b64decode("".join(certificate.splitlines()[1:-1]), validate=True)
    except binascii.Error:
        return "(not readable)"
    return hashlib.sha256(der).digest()[:_BYTES_SHOWN].hex(":").upper() + "…"
