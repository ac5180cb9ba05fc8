"""Files that hold no objects and set another proxy than the ProxyConfig: patches, values, settings of other systems.

A run writes none of them: a patch that is applied later brings the old proxy back, and ``inject-proxy export`` fills a
``cluster-config.yaml`` or a ``secret-values.yaml.patch``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from krm_fn.config import Mode, ProxyConfig
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.lint import proxy_urls

_LARGEST = 200_000
"""Bytes of a file that a person writes; reading YAML takes a second for each million."""
_HINT = r"(?i)https?[_-]?proxy|\bproxy[\"']?:"
_STALE = (
    "sets `{name}` to another proxy than this ProxyConfig says, and this file holds no objects that a run writes: "
    "change it yourself or with `inject-proxy export`, or leave it out with `--exclude`"
)
_LEFT = "sets `{name}`, and this file holds no objects that a run writes: remove it yourself"


def stale_files(files: Mapping[str, bytes], wanted: ProxyConfig) -> Iterator[Result]:
    """Yield a warning for each file that sets another proxy than any of the ProxyConfig.

    Args:
        files: name -> content; what is no YAML in UTF-8 is passed by.
        wanted: the checked FunctionConfig.
    """
    right = _urls(wanted)
    is_removal = wanted.mode is Mode.REMOVE
    for name, content in files.items() if right or is_removal else ():
        text = _text(name, content)
        for one in proxy_urls.in_text(text):
            if proxy_urls.is_set(one) and (is_removal or not one.is_one_of(right)):
                message = (_LEFT if is_removal else _STALE).format(name=one.name)
                ref = ObjectRef(file_path=name)
                yield Result(Severity.WARNING, message, ref, one.path, code="StaleProxy")
                break


def _text(name: str, content: bytes) -> str:
    """Return the text of a file that people write in YAML and that may hold a proxy; "" for any other."""
    if len(content) > _LARGEST or name.endswith(".json"):
        return ""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return ""
    return text if re.search(_HINT, text) else ""


def _urls(wanted: ProxyConfig) -> list[str]:
    """Return every proxy of a ProxyConfig: to which Cluster such a file belongs is not known."""
    found = [wanted.http_proxy, wanted.https_proxy]
    for one in wanted.overrides:
        found += [one.http_proxy or "", one.https_proxy or ""]
    return [url for url in found if url]
