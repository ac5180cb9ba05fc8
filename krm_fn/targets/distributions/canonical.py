"""Canonical Kubernetes: its snap is installed before snapd knows the proxy.

Source: ``canonical/cluster-api-k8s`` ``pkg/cloudinit``: ``configure-proxy.sh`` writes ``/etc/environment``, which snapd
has read when it started; ``install.sh`` runs behind ``preRunCommands``, unless the nodes are ``airGapped``.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.krm.results import Result
from krm_fn.patch import Pointer, list_at, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Data

ID = "distributions.canonicalKubernetes"

_SET = "snap set system proxy"


def before_the_proxy(data: Data, path: Pointer, settings: ProxySettings) -> Iterator[Result]:
    """Yield a warning where no command of the configuration at a path tells snapd the proxy."""
    if not settings.sets_any or lookup(data, (*path, "airGapped")) is True:
        return
    commands = (*path, "preRunCommands")
    if _SET not in str(list_at(data, commands)):
        message = f"`snap install` runs before snapd knows the proxy: begin with `{_SET}.http=… proxy.https=…`"
        yield Result.of("NetworkBeforeProxy", message, commands)
