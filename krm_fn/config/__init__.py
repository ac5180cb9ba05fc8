"""The FunctionConfig: what the user asks for, checked as a whole before anything else happens.

The law of this room: it sees one FunctionConfig as plain data and either gives all of it, or says everything that is
wrong with it. Of the objects it refers to it sees what a ``Lookup`` gives, and no problem it tells holds a credential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from krm_fn.config import _build, _configmap, _finer, _referred, _schema
from krm_fn.config._model import (
    Certificates,
    Given,
    Lookup,
    Mirror,
    Mode,
    Override,
    PolicyChange,
    ProxyConfig,
    said,
)
from krm_fn.config._selector import ClusterMatcher, Matcher, Place, Selector
from krm_fn.errors import ConfigError

__all__ = [
    "API_VERSION",
    "KIND",
    "Certificates",
    "ClusterMatcher",
    "Given",
    "Lookup",
    "Matcher",
    "Mirror",
    "Mode",
    "Override",
    "Place",
    "PolicyChange",
    "ProxyConfig",
    "Selector",
    "load",
    "said",
]

API_VERSION = "fn.inject-proxy.io/v1alpha1"
KIND = "ProxyConfig"


def load(function_config: Mapping[str, Any] | None, objects: Lookup | None = None) -> ProxyConfig | None:
    """The FunctionConfig, checked; None where nothing is asked: no FunctionConfig, or a ConfigMap without data.

    Args:
        function_config: plain data, a ``ProxyConfig`` or a ``ConfigMap``; its ``metadata`` is never looked at. A field
            that is null counts as not given.
        objects: reads what it refers to: ``from``, and ConfigMaps of certificates. None: that is left out, so that a
            FunctionConfig can be looked at alone.

    Raises:
        ConfigError: with every problem at once, each one line: field path, what is wrong, what is allowed.
    """
    if function_config is None or function_config == {}:
        return None
    form = (_read(function_config, "apiVersion"), _read(function_config, "kind"))
    if form == ("v1", "ConfigMap"):
        return _from_config_map(function_config, objects)
    if form == (API_VERSION, KIND):
        stray = _stray_fields(function_config, ("apiVersion", "kind", "metadata", "spec"), root="spec.")
        spec = _schema.plain(function_config.get("spec"))
        return _checked({} if spec is None else spec, _Form("spec", {}), stray, objects)
    raise ConfigError([_other_form(form)])


def _read(function_config: Any, key: str) -> Any:
    return function_config.get(key) if isinstance(function_config, Mapping) else None


def _other_form(form: tuple[Any, Any]) -> str:
    given = " ".join(_schema.shown(part) for part in form if isinstance(part, str) and part)
    accepted = f"must be `{API_VERSION} {KIND}`, or `v1 ConfigMap` with the same keys under `data`"
    return f"functionConfig: {accepted}" + (f', not "{given}"' if given else "")


def _from_config_map(function_config: Mapping[str, Any], objects: Lookup | None) -> ProxyConfig | None:
    stray = _stray_fields(function_config, ("apiVersion", "kind", "metadata", "data", "immutable"), root="data.")
    data = _schema.plain(function_config.get("data"))
    if data is not None and not isinstance(data, dict):
        raise ConfigError([*stray, "data: must be a mapping"])
    if not data and not stray:
        return None
    spec, written, problems = _configmap.read(data or {})
    return _checked(spec, _Form("data", written), [*stray, *problems], objects)


def _stray_fields(function_config: Mapping[str, Any], known: tuple[str, ...], *, root: str) -> list[str]:
    names = [str(name) for name in function_config if name not in known]
    return [f"{_schema.shown(name)}: {_schema.unknown(name, known, root=root)}" for name in names]


@dataclass(frozen=True)
class _Form:
    """How places are called: ``root`` is ``spec`` or ``data``, ``written`` the key of ``data`` behind a field."""

    root: str
    written: Mapping[str, str]

    def name(self, path: _schema.Place) -> str:
        """The place that ``path`` leads to."""
        text = self.root
        for depth, step in enumerate(path):
            name = self.written.get(step, step) if depth == 0 and isinstance(step, str) else step
            text += f"[{name}]" if isinstance(name, int) else f".{_schema.shown(name)}"
        return text


def _checked(spec: Any, form: _Form, problems: list[str], objects: Lookup | None) -> ProxyConfig:
    """``spec`` as a ProxyConfig, or everything that is wrong with it in the words of the form it was written in."""
    told = [f"{form.name(path)}: {text}" for path, text in _problems(spec)]
    if problems or told:
        raise ConfigError(sorted({*problems, *told}))
    made = _build.built(spec, form.name)
    if objects is None or made.mode is Mode.REMOVE:  # a proxy goes, also where the object that named it has gone
        return made
    return _referred.followed(made, spec, _referred.Reader(objects, form.name, _problems))


def _problems(spec: Any) -> Iterator[tuple[_schema.Place, str]]:
    """What the schema says, except where there are finer words for the same place."""
    finer = list(_finer.problems(spec)) if isinstance(spec, dict) else []
    places = {path for path, _ in finer}
    yield from finer
    yield from ((path, text) for path, text in _schema.problems(spec) if path not in places)
