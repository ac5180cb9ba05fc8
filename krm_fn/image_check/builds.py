"""What the variables of an image builder say about a proxy: it is used while the image is built.

Variables are not what is left in an image; what is made of them is for the tasks.

Sources: mesosphere/konvoy-image-builder ``images/``, ``overrides/``; kubernetes-sigs/image-builder ``packer/config``;
templates of Packer.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.image_check import shell
from krm_fn.image_check._model import ScanResult, together
from krm_fn.image_check._words import Word, entries
from krm_fn.light_typing import Any

OVERRIDES, VARIABLES, PACKER = (
    "overrides of Konvoy Image Builder",
    "variables of a build",
    "template of Packer",
)

_KONVOY = frozenset(
    {"proxy_env", "packer", "packer_builder_type", "build_name", "image_registries_with_auth"}
)
_TOP = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_ENVIRONMENT = "proxy_env"


def kind_of(data: Any) -> str:
    """Return the kind of a document by its members; "" if it is unknown."""
    if not isinstance(data, dict) or "apiVersion" in data:
        return ""
    if "provisioners" in data or "builders" in data:
        return PACKER
    if not _KONVOY.isdisjoint(data):
        return OVERRIDES
    return "" if data.keys().isdisjoint(_TOP) else VARIABLES


def look(data: dict[Any, Any]) -> ScanResult:
    """Return the proxy variables that such a document sets, and what its commands leave."""
    commands = (
        _commands(one) for one in entries(data.get("provisioners")) if isinstance(one, dict)
    )
    return together(
        kind_of(data),
        [ScanResult(defined=dict(_defined(data))), *(part for some in commands for part in some)],
    )


def _defined(data: dict[Any, Any]) -> Iterator[tuple[str, int]]:
    environment = data.get(_ENVIRONMENT)
    if isinstance(environment, dict) and any(environment.values()):
        key = next(key for key in data if key == _ENVIRONMENT)
        yield _ENVIRONMENT, key.line
    for name in _TOP:
        if isinstance(data.get(name), Word) and data[name]:
            yield name, data[name].line


def _commands(provisioner: dict[Any, Any]) -> Iterator[ScanResult]:
    for command in entries(provisioner.get("inline")):
        if isinstance(command, Word):
            yield shell.look(command, first=command.line)
