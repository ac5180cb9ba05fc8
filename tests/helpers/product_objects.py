"""Objects of products that hold a proxy, as the rows of `products/distributions.py` say."""

from __future__ import annotations

import copy
from typing import Any, cast
from urllib.parse import urlsplit

from krm_fn.patch import Pointer
from krm_fn.products.distributions import OF_KIND, ROWS, DistributionRow
from krm_fn.settings import ProxySettings
from proposals import FULL, NO, env

URL = "http://svc:se%40cret@proxy.corp.example:3128"
PASSWORD = ProxySettings(URL, URL, NO)
ONE_URL = FULL._replace(https_proxy=FULL.http_proxy)
UNQUOTED = " $\"'`\\"
BREAKS = {
    "distributions.openshift": " ",
    "distributions.aks": "",
    "distributions.eksAnywhere": "%",
    "distributions.canonicalKubernetes": UNQUOTED,
    "distributions.kubeOne": UNQUOTED,
    "distributions.kops": "",
    "distributions.rancher": '$"`\\',
}
"""What each product would break, as its sources say; its other values are quoted, or are no text of a shell."""


def row_of(kind: str, target: str = "") -> DistributionRow:
    return next(row for row in ROWS if row.kind == kind and target in ("", row.target))


def full(row: DistributionRow) -> ProxySettings:
    """Settings that a product takes."""
    return ONE_URL if row.has_one_proxy else FULL


ASKED = {"aks": True, "eksAnywhere": True}


def asked(row: DistributionRow) -> dict[str, Any]:
    return ASKED if row.is_immutable else {}


def members(row: DistributionRow, settings: ProxySettings | None = None) -> Any:
    """What a row holds of settings."""
    settings = settings or full(row)
    variables = settings.variables
    if row.container:
        return env(variables)
    if not row.keys:
        return env({name: value for name, value in variables.items() if name.isupper()})
    no_proxy = settings.no_proxy.split(",") if row.is_list else settings.no_proxy
    if row.has_one_proxy:
        url = urlsplit(settings.http_proxy)
        return {row.keys[0]: {"host": url.hostname, "port": url.port}, row.keys[2]: no_proxy}
    held: dict[str, Any] = {}
    for key, value in zip(row.keys, (settings.http_proxy, settings.https_proxy, no_proxy), strict=True):
        name, _, inner = key.partition(".")
        held[name] = {inner: value} if inner else value
    return held


def holding(row: DistributionRow, held: Any) -> dict[str, Any]:
    """An object of the kind of a row that holds something in all its places; None for nothing on the way to them."""
    version = row.versions[0] if row.versions else "v1"
    metadata = {"name": row.name or "prod", "namespace": "clusters"}
    obj: dict[str, Any] = {"apiVersion": f"{row.group}/{version}", "kind": row.kind, "metadata": metadata}
    for one in OF_KIND[row.group, row.kind]:
        if one.versions == row.versions:
            obj = merged(obj, nested(one, held))
    return obj


def nested(row: DistributionRow, held: Any) -> dict[str, Any]:
    path, inner = row.path, copy.deepcopy(held)
    if held is None and "*" in path:
        path, inner = path[: path.index("*") + 1], {}
    elif held is None:
        path, inner = path[: row.keep], {}
    elif row.container:
        inner = [{"name": row.container, **({"env": inner} if inner else {})}]
        deployment = around(path[3:], inner)
        return around(path[:3], {"selector": {}, **deployment})
    return around(path, inner, row.item)


def around(path: Pointer, inner: Any, item: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """What has something at a path: a ``*`` is the second item of a list."""
    for step in reversed(path):
        inner = [{item[0]: "other"}, {item[0]: item[1], **inner}] if step == "*" else {step: inner}
    return cast("dict[str, Any]", inner)


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, **other, **{key: merged(one[key], other[key]) for key in one.keys() & other.keys()}}
