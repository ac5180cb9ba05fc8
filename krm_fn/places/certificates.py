"""Write certificates into places. Others may add theirs; ours have a line of ours, or a name."""

from __future__ import annotations

import re

from krm_fn.engine import Draft, WrongTypeError
from krm_fn.formats import pem
from krm_fn.formats.escaping import base64_of, text_of_base64
from krm_fn.patch import Data, lookup
from krm_fn.places.containers import variable_of
from krm_fn.places.place import Place
from krm_fn.settings import ProxySettings

_MARK = "# inject-proxy: a certificate of spec.trustedCA"
# Programs that read PEM ignore what is in front of a certificate (RFC 7468, section 2); some refuse what is behind.
_MARKED = rf"\n?{re.escape(_MARK)}\n-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]*-----END CERTIFICATE-----\n?"


def with_certificates(text: str, certificates: str) -> str:
    """Return a text of certificates with those that it lacks at its end, each below our line, and no others of ours."""
    others = re.sub(_MARKED, "", text)
    there = pem.split(others)
    missing = ""
    for certificate in pem.split(certificates):
        if certificate not in there:
            missing += f"{_MARK}\n{certificate}"
    if others and missing:
        others += "\n"
    return others + missing


def write_certificates(
    draft: Draft, place: Place, settings: ProxySettings, *, is_base64: bool = False
) -> None:
    """Make a text, in PEM form or in base64, hold the certificates; report one that cannot be read.

    Raises:
        WrongTypeError: something else than a text is there, or no mapping on the way.
    """
    draft.mapping(place.path[:-1])
    text = draft.get(place.path)
    if text is None:
        text = ""
    if not isinstance(text, str):
        raise WrongTypeError(place.path, text, "a string")
    try:
        if is_base64:
            text = text_of_base64(text)
    except ValueError:
        draft.report(
            "TextUnreadable",
            "is no text in base64, so it stays as it is: correct it, or remove it",
            place.path,
        )
        return
    new = with_certificates(text, settings.trusted_ca.pem)
    if new == text:
        return
    if settings.trusted_ca.pem:
        shown = pem.shown(settings.trusted_ca.pem)
        draft.describe(f"sets {shown} in {place.label}")
    else:
        draft.describe(f"removes our certificates from {place.label}")
    if is_base64:
        new = base64_of(new)
    place.put(draft, new or None)


def write_entry(
    name: str, new: Data | None, draft: Draft, place: Place, _settings: ProxySettings
) -> None:
    """Set the one entry of ours in a list, found by its name, or remove it where ``new`` is None.

    It stays where it is; a new one is in front of a proxy at the end of the list.
    """
    existing = draft.get(place.path)
    if new is None and not isinstance(existing, list):
        return
    before = draft.items(place.path)
    entries = []
    ours = None
    for entry in before:
        if lookup(entry, "name") != name:
            entries.append(entry)
        elif ours is None:
            ours = entry
            position = len(entries)
    if ours is None:
        position = len(entries)
        # Variables of a proxy at the end of a list stay together, whoever writes first.
        while position and variable_of(entries[position - 1]):
            position -= 1
    if new is not None:
        entries.insert(position, {**(ours or {}), **new})
    place.put(draft, entries)


def in_base64(settings: ProxySettings) -> str:
    """Return the certificates to trust in base64, on one line; "" for none."""
    return base64_of(settings.trusted_ca.pem)
