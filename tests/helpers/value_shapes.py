"""Helm values of any shape, right and wrong, with the names that charts have for a proxy."""

from __future__ import annotations

from hypothesis import strategies as st

from proposals import HTTP

_KEYS = (
    *("cluster", "global", "connectivity", "cert-manager", "proxy", "env", "enabled", "other"),
    *("http", "noProxy", "httpProxy", "http_proxy", "no_proxy"),
)
_NAMES = st.sampled_from(_KEYS)
_SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from(["", "old", HTTP])
_ENTRIES = st.fixed_dictionaries({"name": st.sampled_from(["HTTP_PROXY", "no_proxy", "LOG"]), "value": _SCALARS})

VALUES = st.dictionaries(
    _NAMES,
    st.recursive(
        _SCALARS | st.lists(_ENTRIES, max_size=3),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)
