"""Placeholders that clusterctl and Flux fill in after this program ran: ``${POD_CIDR}``, ``${POD_CIDR:=10.0.0.0/16}``.

Both replace the text of a manifest before the API server reads it, so a placeholder that is copied into a drop-in or a
command is filled in there, too. Both know ``$${`` as the way to write ``${`` itself, and neither looks into base64.

Only ``is_template`` knows ``$(NAME)``, which kustomize replaces in fields that it knows and Kubernetes in containers,
and ``{{ name }}``, which cloud-init renders on a node.

Sources: ``github.com/drone/envsubst`` (clusterctl), ``github.com/fluxcd/pkg/envsubst``: a name, then a default behind
``:=``, ``=``, ``:-`` or ``-``, or a function such as ``^^``, ``:0:3`` and ``/a/b``.
"""

from __future__ import annotations

import re

_PLACEHOLDER = r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<rest>[^{}\s\\`%]*)\}"
_DEFAULT = r":?[=-](?P<value>.*)"
_QUOTES = "[\"']"
_HIDDEN = str.maketrans("${},", "\ue000\ue001\ue002\ue003")
_SHOWN = str.maketrans("\ue000\ue001\ue002\ue003", "${},")
_TEMPLATES = {"{{": "}}", "${": "}", "$(": ")"}


def is_in(text: str) -> bool:
    """Return whether ``text`` contains a placeholder."""
    if "${" not in text:
        return False
    return re.search(_PLACEHOLDER, text) is not None


def is_template(text: str) -> bool:
    """Return whether another tool still fills in a part of ``text``."""
    if "{" not in text and "$" not in text:
        return False
    for opening, closing in _TEMPLATES.items():
        start = text.find(opening)
        if start >= 0 and text.find(closing, start + len(opening)) >= 0:
            return True
    return False


def is_alone(text: str) -> bool:
    """Return whether one placeholder makes up ``text``."""
    if not text.startswith("${"):
        return False
    return re.fullmatch(_PLACEHOLDER, text) is not None


def normal(text: str) -> str:
    """Return ``text`` with each placeholder as it is to be written, without quotes around its default.

    They are there for YAML, which sees them once the default has been put in, and would become a part of the value in a
    drop-in.
    """
    return re.sub(_PLACEHOLDER, lambda match: re.sub(_QUOTES, "", match[0]), text)


def with_defaults(text: str) -> str:
    """Return ``text`` with each placeholder replaced by its default, "" if it has none."""
    return re.sub(_PLACEHOLDER, _default, normal(text))


def without(text: str) -> str:
    """Return ``text`` without its placeholders."""
    return re.sub(_PLACEHOLDER, "", text)


def hidden(text: str) -> str:
    """Return ``text``, as long as it is, so that nobody takes the characters of its placeholders for his own."""
    return re.sub(_PLACEHOLDER, lambda match: match[0].translate(_HIDDEN), text)


def shown(text: str) -> str:
    """Return the text that ``hidden`` got."""
    return text.translate(_SHOWN)


def split(text: str) -> list[str]:
    """Return the parts of ``text`` between its commas, without blanks.

    Commas inside placeholders do not count.
    """
    return [shown(part).strip() for part in hidden(text).split(",")]


def _default(match: re.Match[str]) -> str:
    default = re.fullmatch(_DEFAULT, match["rest"])
    if default is None:
        return ""
    return default["value"]
