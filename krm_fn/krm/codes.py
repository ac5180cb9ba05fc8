"""List the codes of results, each with its severity.

A code stands for results that people silence or act on in one way (`spec.lint.rules`); the reason is in the text. It
never changes its meaning, which ``messages.md`` beside this module explains to users.
"""

from __future__ import annotations

import re
from enum import Enum

from krm_fn.light_typing import NamedTuple
from krm_fn.package_files import text_of


class Severity(Enum):
    """How much a finding matters; the members are in the order of the report."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    __hash__ = (
        object.__hash__
    )  # an enumeration hashes its names, in Python, and each result is looked up by it


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

# Findings of `inject-proxy lint` in values, whoever wrote them; in a run they are at most warnings.
OF_VALUES = {
    # the value of NO_PROXY
    "ListEmpty": _E,
    "PasswordInList": _E,
    "ClusterNotListed": _E,
    "AddressNotListed": _W,
    "EntryUnread": _E,
    "EntryForm": _W,
    "DomainForm": _W,
    "ProxyNeverUsed": _E,
    "EntryTooBroad": _W,
    "EntryNeedless": _I,
    "ListTooLong": _W,
    # the URL of a proxy
    "UrlInvalid": _E,
    "UrlWithoutPort": _W,
    "UrlHttps": _W,
    "UrlLoopback": _W,
    "HttpsProxyMissing": _W,
    "PasswordInClearText": _I,
    # a place that holds variables
    "ValueLost": _E,
    "CasesDiffer": _E,
    "CaseMissing": _W,
    "FilePermissions": _W,
    "PlacesDiffer": _W,
}

# Other findings of a run; `spec.lint.rules` silences them or makes them louder.
OF_RUN = {
    # the ProxyConfig
    "SettingUnused": _W,
    "OverrideNotReached": _W,
    "ConfigIgnored": _W,
    # Clusters
    "FactsUnknown": _W,
    "ClusterAmbiguous": _W,
    "OtherNamespace": _W,
    "SharedObject": _I,
    # what does not get its proxy
    "NodesWithoutProxy": _W,
    "TextUnreadable": _W,
    "ProviderRefuses": _W,
    "ByHand": _W,
    "OtherProxy": _W,
    "ValueKept": _I,
    "ProxyReduced": _W,
    "ProxySwitchedOff": _W,
    "NodesKept": _W,
    # what a person should look at
    "ProxyReplaced": _W,
    "ListReplaced": _W,
    "LeftBehind": _W,
    "SecretMissing": _W,
    "PasswordExposed": _W,
    "NetworkBeforeProxy": _W,
    "CertificatesNotSet": _W,
    "MirrorNotRead": _W,
    "ClassPatched": _I,
    "ClassPatchErases": _W,
    "PatchErases": _W,
    # Kyverno
    "PolicyDeprecated": _W,
    "PolicyBroken": _W,
    "PolicyKeepsValueFrom": _I,
}

# Codes that no entry of `spec.lint.rules` changes.
FIXED = {
    "ConfigInvalid": _E,
    "InputInvalid": _E,
    "CannotWrite": _E,
    "ProxyMissing": _E,
    "PasswordLeft": _E,
    "WrongUsage": _E,
    "OutputNotWritten": _E,
    "InternalError": _E,
}

SILENCEABLE = {**OF_VALUES, **OF_RUN}
CODES = {**SILENCEABLE, **FIXED}


class CodeText(NamedTuple):
    """The meaning of a code, and its remedy: complete sentences in Markdown."""

    meaning: str
    remedy: str


def explanations() -> dict[str, CodeText]:
    """Return code -> its explanation, in the order of ``messages.md``, which an ordinary run does not read."""
    found = {}
    for section in re.split(r"^## ", text_of("krm/messages.md"), flags=re.MULTILINE)[1:]:
        parts = section.strip().split("\n\n")
        code, meaning, remedy = (" ".join(part.split()) for part in parts)
        found[code] = CodeText(meaning, remedy.removeprefix("Remedy: "))
    return found
