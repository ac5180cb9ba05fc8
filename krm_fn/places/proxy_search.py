"""Search an object for values that look like a proxy, wherever they are and whoever wrote them.

A name tells a proxy: a variable in a list or a mapping, a member such as ``httpProxy``, ``NAME=value`` in a text.
Where no name does, the caller gives the fields that hold a URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from krm_fn.formats import embedded
from krm_fn.krm.masking import texts_in_base64
from krm_fn.krm.resourcelist import Object
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup, text_at, walk
from krm_fn.placeholders import is_template
from krm_fn.places.containers import pod_spec, read_all_containers
from krm_fn.places.place import Reading, Readings
from krm_fn.products.node_kinds import SYSTEMS
from krm_fn.products.proxy_keys import PROGRAM_SETTINGS
from krm_fn.proxy_url import split_url

# The name of a variable or a member: `HTTP_PROXY`, `httpsProxy`, `no-proxy`, `TKG_HTTP_PROXY`.
_NAME = r"(?i)(?:tkg_)?(https?|no)[_-]?proxy"
# One that tells a proxy where its value is nothing but the address of a server.
_OTHER_NAME = r"proxy|proxyUrl|proxyURL|DD_PROXY_HTTPS?"
_URL = r"[A-Za-z][A-Za-z0-9+.-]*://[^\s]+"
_ADDRESS = r"(?:https?|socks5h?)://[^\s/]+/?"
_BEFORE = "|".join(("tkg", *dict.fromkeys(name for row in SYSTEMS for name in row.processes)))
_SETTINGS = "|".join(PROGRAM_SETTINGS)
# A comment, or a variable or a setting and its URL.
_IN_TEXT = rf"""(?imx)
    ^[ \t]*;[^\n]* | \#[^\n]*               # a comment; `;` begins one of systemd and apt
    | (?: \b((?:(?:{_BEFORE})_)?https?[_-]?proxy)["']?  # `HTTPS_PROXY`, `CONTAINERD_HTTP_PROXY`, `"httpProxy"`
          (?: [ \t]?(?=[=:])                # and `=URL`, or `: URL`
            | [\s,]+value(?=:) )            # of `name: NAME`, and `value: URL` behind it
        | ({_SETTINGS}) )                   # of one program: `Acquire::http::Proxy "URL"`, `proxy=URL`
    [ \t]*(?:=|(:))?[ \t]* ["'\\]*
    (?: ([a-z][a-z0-9+.-]*://               # the URL, which may hold a template: `http://{{{{ host }}}}:1`
          (?:\{{\{{[^{{}}\n]*\}}\}}|[^\s"',\\])+)
      | (?(3)(?!)                           # behind a colon nothing else: `proxy: service:80`
        | ([\w.-]+)                         # a host and its port: `proxy = host:3128`, and those of RHSM
          (?: : | \s(?:[^\[]{{0,200}}?[.\s])?proxy_port[ \t]*=[ \t]* )
          (\d{{1,5}})\b ) )
    """
_DATA_URL = r"""data:[^\s"',]{0,99},([^\s"']+)"""
# Where Gatekeeper assigns a value: `spec.containers[name:*].env[name:HTTP_PROXY].value`.
_LOCATION = r"""\[name:[ ]*["']?(\w+)["']?\]\.value"""
# What ends a word of a shell.
_SHELL = ";&|)`"


def proxies_in(obj: Object, fields: Iterable[Pointer]) -> Readings:
    """Yield the variables of a proxy that an object sets; those of containers as a container gets them.

    Args:
        obj: an object of any kind.
        fields: paths of fields that hold the URL of a proxy under another name.
    """
    for path in fields:
        value = lookup(obj.data, path)
        if isinstance(value, str):
            yield _reading(path[-1], value, path)
    done = set()
    if pod_spec(obj.data):
        for reading in read_all_containers(obj.data):
            done.add(reading.path)
            yield reading
    nodes: Iterable[tuple[Pointer, Any]] = walk(obj.data)
    is_secret = obj.group_kind == ("", "Secret")
    if is_secret:
        texts = embedded.values(obj.data)
        nodes = [(value.path, value.text or lookup(obj.data, value.path)) for value in texts]
    for path, node in nodes:
        if isinstance(node, dict):
            yield from _in_pair(path, node, done)
        elif path and path not in done:
            yield from _in_member(path, node)


def urls_in_text(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the URL of each proxy that a text sets, but for those that a shell fills in.

    The texts that a node decodes count, too: in URLs with data (RFC 2397), base64 and gzip.
    """
    texts = [text, *texts_in_base64(text)]
    if "data:" in text:
        from urllib.parse import unquote  # noqa: PLC0415 -- few texts hold one

        texts += map(unquote, re.findall(_DATA_URL, text))
    for plain in texts:
        if not re.search("roxy|ROXY|curl", plain):
            continue
        for match in re.finditer(_IN_TEXT, plain):
            name = match[1] or match[2]
            if name is None:  # a comment
                continue
            url = match[4] or f"http://{match[5]}:{match[6]}"
            url = url.rstrip(_SHELL).replace("%%", "%")
            if "$" not in split_url(url).host:
                yield name.split()[-1], url


def _in_pair(path: Pointer, pair: Any, done: set[Pointer]) -> Readings:
    """Yield the variable of ``{name: HTTP_PROXY, value: URL}``."""
    name = pair.get("name")
    value = pair.get("value")
    path = (*path, "value")
    if isinstance(name, str) and isinstance(value, str) and path not in done:
        text = value.replace("$$", "$")
        if _is_proxy(name, text) or _is_address((name,), text):
            yield _reading(name, text, path, above=path[:-2])
    if "location" not in pair:
        return
    location = re.search(_LOCATION, text_at(pair, "location"))
    if location:
        path = (*path[:-1], "parameters", "assign", "value")
        text = text_at(pair, path[-3:])
        if _is_proxy(location[1], text):
            yield _reading(location[1], text, path)


def _in_member(path: Pointer, node: Any) -> Readings:
    """Yield the variable that a member such as ``httpProxy`` is, or those in a text."""
    member = path[-1]
    if isinstance(node, list) and "roxy" in member:
        is_list_of_texts = all(isinstance(part, str) for part in node)
        if is_list_of_texts:
            node = ",".join(node)
    if not isinstance(node, str):
        return
    if _is_proxy(member, node) or ("://" in node and _is_address(path, node)):
        yield _reading(member, node, path)
    elif member != "description":
        for name, url in urls_in_text(node):
            yield _reading(name, url, path, above=path)


def _is_proxy(name: str, value: str) -> bool:
    """Return whether a member, or a value of `set` in a HelmChart (`proxy.httpProxy`), is a proxy or its list."""
    if "roxy" not in name.lower():
        return False
    match = re.fullmatch(_NAME, name.rpartition(".")[2])
    if match is None:
        return False
    if match[1].lower() == "no" or is_template(value):
        return True
    return re.fullmatch(_URL, value) is not None


def _is_address(path: Pointer, value: str) -> bool:
    """Return whether a member holds the address of a proxy: `proxyUrl`, or `http` of `proxies`."""
    name = path[-1]
    is_named = re.fullmatch(_OTHER_NAME, name) is not None
    if len(path) > 1 and name in ("http", "https") and path[-2] == "proxies":
        is_named = True
    return is_named and re.fullmatch(_ADDRESS, value) is not None


def _reading(name: str, value: str, path: Pointer, above: Pointer = ()) -> Reading:
    """Return the reading of a value; those with the same field above belong together."""
    variable = "HTTPS_PROXY"
    scheme = re.search(r"(?i)(?<![a-z])(https?|no)(?![a-z])|(https?|no)[_-]?proxy\Z", name)
    if scheme:
        word = scheme[1] or scheme[2]
        variable = f"{word.upper()}_PROXY"
    place = ".".join(above or path[:-1])
    return Reading(variable, value, path, value, place, member=name)
