"""The URLs of proxies that plain data sets, in an object of any kind or in a file that is no manifest.

A name says what is a proxy: a variable in a list or a mapping, a member such as ``httpProxy``, ``NAME=value``. Where no
name does, a row of ``clusters.systems`` leads to it. Texts are read where they are values of a chart or a patch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from krm_fn.clusters import APPLICATION, System, charts_in, field_of, system_of
from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy.entries import is_template
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.proxy_url import split_url
from krm_fn.yamledit import read

_VARIABLES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")

_MEMBER = r"(?i)(?:tkg_)?https?[_-]?proxy"
_URL = r"[A-Za-z][A-Za-z0-9+.-]*://[^\s]+"
_ASSIGNED = r"(?i)(https?_proxy)=(\S+)"
_IN_TEXT = r"(?i)\b(https?_proxy)[\"']?[ \t]?[=:][ \t]?[\"']?([^\s\"']{1,2000})"
_QUOTED = r'(?i)"(https?_proxy)=([^"\s\\]+)"'
_PATCHES = ("patches", "patchesJson6902", "patchesStrategicMerge")
_VALUES_OF_CHARTS = (("helm", "values"),)
_VALUES_OF_RANCHER = (("spec", "valuesContent"),)
_TEXTS = {
    APPLICATION: _VALUES_OF_CHARTS,
    ("argoproj.io", "ApplicationSet"): _VALUES_OF_CHARTS,
    ("helm.cattle.io", "HelmChart"): _VALUES_OF_RANCHER,
    ("helm.cattle.io", "HelmChartConfig"): _VALUES_OF_RANCHER,
    ("awx.ansible.com", "AWX"): (
        ("spec", "ee_extra_env"),
        ("spec", "task_extra_env"),
        ("spec", "web_extra_env"),
        ("spec", "rsyslog_extra_env"),
    ),
}
"""Kind -> the last steps of the paths of its texts that are YAML: values of a chart, lists of variables."""

_FILE_MEMBERS = (("proxy", "http"), ("proxy", "https"))
"""Where the values of Giant Swarm's config repositories keep a proxy."""


class SetProxy(NamedTuple):
    """A proxy that something sets: ``path`` leads to it, or to the text that holds it.

    ``has_credentials`` is False where no user and password can stand. ``is_elsewhere`` is True where another object
    holds the value (``valueFrom``).
    """

    path: Pointer
    name: str
    value: str
    has_credentials: bool = True
    is_elsewhere: bool = False

    def is_one_of(self, urls: Iterable[str]) -> bool:
        """Return whether it is one of some URLs, as far as this place can say it."""
        known = {url for url in urls if url}
        if not self.has_credentials:
            known |= {split_url(url).without_credentials for url in known}
        return self.value in known


def in_object(obj: Object) -> Iterator[SetProxy]:
    """Yield the proxies that an object sets; empty ones and those that a later step fills in, too."""
    rows = [(row, ()) for row in (system_of(*obj.group_kind), field_of(*obj.group_kind)) if row]
    known: set[Pointer] = set()
    for row, root in [*rows, *charts_in(obj)]:
        for one in _of_row(obj.data, row, root):
            known.add(one.path)
            yield one
    is_node = system_of(*obj.group_kind) is not None
    has_credentials = all(row.has_credentials for row, _ in rows)
    for one in _named(_plain(obj), is_node=is_node):
        if one.path not in known:
            yield one._replace(has_credentials=has_credentials)
    yield from _quoted(obj)
    for path, text in _texts(obj):
        for one in in_text(text):
            yield one._replace(path=path)


def _quoted(obj: Object) -> Iterator[SetProxy]:
    """Yield the variables in configurations in TOML, as GitLab's runner has them: ``environment = ["NAME=value"]``."""
    is_toml = obj.group_kind == ("", "ConfigMap")
    root = ("data",) if is_toml else ("spec",)
    if not is_toml and not any(True for _ in charts_in(obj)):
        return
    for path, node in nodes(lookup(obj.data, root)):
        if isinstance(node, str) and path and (not is_toml or path[-1].endswith(".toml")):
            for match in re.finditer(_QUOTED, node):
                yield SetProxy((*root, *path), match[1], match[2])


def in_text(text: str) -> Iterator[SetProxy]:
    """Yield the proxies that the documents of a text set; nothing where it cannot be read."""
    from krm_fn.yamledit.stream import documents  # noqa: PLC0415 -- few lists hold such texts

    for start, end in documents(text):
        try:
            data = read(text[start:end])
        except InputError:
            return
        if _is_proxy_config(data):
            continue
        yield from _named(data)
        for path, patch in _patches(data):
            yield from (one._replace(path=path) for one in in_text(patch))
        for path in _FILE_MEMBERS:
            value = text_at(data, path)
            if re.fullmatch(_URL, value):
                yield SetProxy(path, ".".join(path), value)


def _is_proxy_config(data: Any) -> bool:
    """Return whether data is a ProxyConfig, or a patch of one: it says which proxy is right."""
    version = data.get("apiVersion") if isinstance(data, dict) else ""
    return isinstance(version, str) and version.startswith("fn.inject-proxy.io/")


def is_set(one: SetProxy) -> bool:
    """Return whether a value is a proxy that stands there now."""
    return bool(one.value) and not is_template(one.value)


def _of_row(data: Any, row: System, root: Pointer) -> Iterator[SetProxy]:
    roots = [root] if root[-1:] != ("helm",) else [(*root, "valuesObject")]
    for path in ((*one, *inner) for one in roots for inner in row.urls):
        value = lookup(data, path)
        if isinstance(value, str):
            yield SetProxy(path, path[-1], value, row.has_credentials)


def _plain(obj: Object) -> Any:
    """Return the data of an object, with the texts of a Secret as they are meant."""
    if obj.group_kind != ("", "Secret"):
        return obj.data
    from krm_fn.formats.embedded import Value, values  # noqa: PLC0415 -- for Secrets only

    found: dict[str, dict[str, str]] = {}
    for one in values(obj.data):
        if isinstance(one, Value):
            found.setdefault(one.path[0], {})[one.path[1]] = one.text
    return found


def _named(data: Any, *, is_node: bool = False) -> Iterator[SetProxy]:
    """Yield what names in plain data say; with ``is_node`` also assignments in files and commands."""
    for path, node in nodes(data, with_values=is_node):
        if isinstance(node, dict):
            yield from _of_mapping(path, node)
        elif isinstance(node, str) and is_node:
            for match in re.finditer(_IN_TEXT, node):
                yield SetProxy(path, match[1], match[2].replace("%%", "%"))
        elif isinstance(node, list) and not is_node:
            yield from _of_list(path, node)


def _of_list(path: Pointer, node: list[Any]) -> Iterator[SetProxy]:
    for at, item in enumerate(node):
        match = re.fullmatch(_ASSIGNED, item) if isinstance(item, str) else None
        if match:
            yield SetProxy((*path, str(at)), match[1], match[2])


def _of_mapping(path: Pointer, node: dict[Any, Any]) -> Iterator[SetProxy]:
    name, value = node.get("name"), node.get("value")
    if isinstance(name, str) and isinstance(value, str):
        last = name.rpartition(".")[2]
        if last in _VARIABLES:
            yield SetProxy((*path, "value"), name, value.replace("$$", "$"))
        elif re.fullmatch(_MEMBER, last) and _may_be_url(value):
            yield SetProxy((*path, "value"), name, value)
    elif isinstance(name, str) and name in _VARIABLES and "valueFrom" in node:
        yield SetProxy((*path, "valueFrom"), name, "", is_elsewhere=True)
    for key, member in node.items():
        if not isinstance(member, str) or not isinstance(key, str) or "roxy" not in key.lower():
            continue  # most members, and this costs less than the pattern
        last = key.rpartition(".")[2]  # as in `set` of a HelmChart
        if re.fullmatch(_MEMBER, last) and (last in _VARIABLES or _may_be_url(member)):
            yield SetProxy((*path, key), key, member)


def _may_be_url(value: str) -> bool:
    """Return whether a value is a URL, or a later step fills it in."""
    return re.fullmatch(_URL, value) is not None or is_template(value)


def _texts(obj: Object) -> Iterator[tuple[Pointer, str]]:
    """Yield the texts of an object that are values of a chart, lists of variables, or patches."""
    group, kind = obj.group_kind
    if kind == "FluxInstance" or (kind == "Kustomization" and group.startswith("kustomize.")):
        yield from _patches(obj.data)
    ends = _TEXTS.get(obj.group_kind, ())
    of_nodes = NODE_KINDS.get(obj.group_kind)
    patches = of_nodes.system.patches if of_nodes else ""
    for path, node in nodes(obj.data) if ends or patches else ():
        if (path[-2:] in ends or patches in path[-2:-1]) and isinstance(node, str):
            yield path, node


def _patches(data: Any) -> Iterator[tuple[Pointer, str]]:
    """Yield the patches that a kustomization holds as texts."""
    for path, node in nodes(data):
        is_patch = any(name in path for name in _PATCHES)
        if is_patch and isinstance(node, str) and "\n" in node:
            yield path, node


def nodes(data: Any, *, with_values: bool = True) -> Iterator[tuple[Pointer, Any]]:
    """Yield ``data`` and each mapping, list and value in it, with its path, in order.

    Without ``with_values`` the values in it are left out, which are most of an object.
    """
    left: list[tuple[Pointer, Any]] = [((), data)]
    while left:
        path, node = left.pop()
        yield path, node
        if isinstance(node, dict):
            members = [*node.items()]
        elif isinstance(node, list):
            members = [*enumerate(node)]
        else:
            continue
        for key, member in reversed(members):
            if with_values or isinstance(member, (dict, list)):
                left.append(((*path, str(key)), member))
