"""The context in which a target edits an object, and the words for its content and its reach.

A plan needs them for a list in which no target applies, too; the code that edits is in ``base``.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType

from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Data
from krm_fn.places.provided import NO_USES, DataUses
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext

Options = Data
"""What ``spec.targets`` gives for the system of a target, right by the schema; defaults are not filled in."""
NO_OPTIONS: Options = MappingProxyType({})
"""Those of a system that is not named there."""


class Context(NamedTuple):
    """The knowledge of a target besides the object.

    Attributes:
        options: those of the system of the target.
        settings: the proxy that the object is to get, with its Cluster, certificates and mirror;
            empty where the object is only read, and where the proxy is removed.
        class_context: the ClusterClass of the object, or of its Cluster; None if nothing is known of the list.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy.
        is_whole: the object is known to be no patch.
    """

    options: Options = NO_OPTIONS
    settings: ProxySettings = ProxySettings()
    class_context: ClassContext | None = None
    uses: DataUses = NO_USES
    is_whole: bool = False


class Writes(Enum):
    """The kind of content that a target writes.

    VALUES: the values of the variables that the author of the object chose.
    PROXY: the proxy. PROXY_AND_TRUST: the proxy, and certificates or a mirror where nothing declares a proxy, too.
    """

    VALUES = "values"
    PROXY = "proxy"
    PROXY_AND_TRUST = "proxy and trust"


class Reach(Enum):
    """Which nodes of a Cluster get the one proxy that a place holds.

    OBJECT: those of the object, if it has any. CLUSTER: all of them. ROLES: all of them; where the Cluster declares no
    proxy, it is that of a role. GROUPS: all of them, and beside it is a place for each group of workers.
    """

    OBJECT = "object"
    CLUSTER = "cluster"
    ROLES = "roles"
    GROUPS = "groups"
