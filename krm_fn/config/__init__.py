"""Read the FunctionConfig, which is checked as a whole before anything else happens.

One FunctionConfig, as plain data, becomes a whole ProxyConfig, or all of its problems at once. Objects that it refers
to come from a ``Lookup``; no problem holds a credential.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from krm_fn.config import json_schema, semantic_checks
from krm_fn.config.json_schema import fields, schema
from krm_fn.config.proxy_config import (
    Certificates,
    Declaration,
    ForeignValue,
    Lookup,
    Mirror,
    Mode,
    Override,
    ProxyConfig,
    Selector,
    TargetOptions,
    exports_variables,
    matches,
    matches_any,
    names_of_only,
)
from krm_fn.config.spec import FieldNames, built, shown
from krm_fn.errors import ConfigError, ConfigProblem
from krm_fn.formats import left_alone
from krm_fn.light_typing import Any, Texts
from krm_fn.near_names import nearest
from krm_fn.patch import Data, lookup, stripped

API_VERSION = "fn.inject-proxy.io/v1alpha1"
KIND = "ProxyConfig"
_ENCRYPTED = (
    "the ProxyConfig is encrypted by SOPS: decrypt it for each run, as in "
    "`sops exec-file FILE 'inject-proxy run --config {} PATH'`, or let `spec.from` name a Secret that the build "
    "decrypts"
)
_FIELDS = ("apiVersion", "kind", "metadata", "spec")
# The fields of ``spec`` that name objects.
_REFERENCES = (("from",), ("trustedCA", "configMap"), ("registryMirror", "ca", "configMap"))
_FIELDS_OF_CONFIG_MAP = ("apiVersion", "kind", "metadata", "data", "immutable")


def load(function_config: Data | None, objects: Lookup | None = None) -> ProxyConfig | None:
    """Return the checked FunctionConfig.

    None without a FunctionConfig, or for a ConfigMap without data.

    Args:
        function_config: plain data, a ``ProxyConfig`` or a ``ConfigMap``; its ``metadata`` is never looked at. A field
            that is null counts as not given.
        objects: reads the objects of ``from``, and ConfigMaps of certificates. None: these are left out, so that a
            FunctionConfig can be looked at alone.

    Raises:
        ConfigError: with every problem at once: its field, and in one line the fault and the values that are allowed.
    """
    if function_config is None or function_config == {}:
        return None
    config = _loaded(function_config, objects)
    if config is None or objects is None:
        return config
    files = objects.differing
    if not files:
        return config

    @cache
    def read(file: str) -> ProxyConfig:
        nearby = _loaded(function_config, objects.seen_from(file))
        return config if nearby is None else nearby

    return config._replace(read=read, views=tuple(map(read, files)))


def _loaded(function_config: Data, objects: Lookup | None) -> ProxyConfig | None:
    """Return the checked FunctionConfig with the values that objects give it for one file."""
    form = (lookup(function_config, "apiVersion"), lookup(function_config, "kind"))
    if form == ("v1", "ConfigMap"):
        return _from_config_map(function_config, objects)
    if form != (API_VERSION, KIND):
        raise ConfigError(_other_form(form))
    if left_alone.is_encrypted(function_config):
        raise ConfigError(problems=[ConfigProblem(("sops",), _ENCRYPTED)])
    problems = [*_unknown_fields(function_config, _FIELDS, root="spec.")]
    spec = json_schema.plain(function_config.get("spec"))
    if spec is None:
        spec = {}
    return _checked(spec, FieldNames("spec"), problems, objects)


def _other_form(form: tuple[Any, Any]) -> str:
    message = f"functionConfig: must be `{API_VERSION} {KIND}`, or `v1 ConfigMap` with the same keys under `data`"
    given = [shown(part) for part in form if isinstance(part, str) and part]
    if given:
        message += f', not "{" ".join(given)}"'
    meant = [f"`{part}`" for part in probably_meant(*form)]
    if meant:
        message += f"; did you mean {' and '.join(meant)}?"
    return message


def probably_meant(api_version: Any, kind: Any) -> Texts:
    """Return the parts of `apiVersion` and `kind` that are misspelt, as they must be written.

    Empty where nothing is, or where the object is probably something else: of another kind, or of another
    group (Istio has a kind of the same name).
    """
    version = stripped(api_version)
    if version != API_VERSION:
        group, slash, _ = version.partition("/")
        our_group, _, _ = API_VERSION.partition("/")
        is_other_group = slash and nearest(group, [our_group], alike=0.8) is None
        if is_other_group or nearest(kind, [KIND], alike=0.8) is None:
            return ()
    written = ((API_VERSION, version), (KIND, kind))
    return tuple(wanted for wanted, given in written if wanted != given)


def _from_config_map(config_map: Data, objects: Lookup | None) -> ProxyConfig | None:
    problems = [*_unknown_fields(config_map, _FIELDS_OF_CONFIG_MAP, root="data.")]
    data = json_schema.plain(config_map.get("data"))
    if data is not None and not isinstance(data, dict):
        raise ConfigError(problems=[*problems, ConfigProblem(("data",), "must be a mapping")])
    if not data and not problems:
        return None
    from krm_fn.config import configmap  # noqa: PLC0415 -- most runs have a ProxyConfig

    names = FieldNames("data")
    spec, wrong = configmap.read(data or {}, names)
    return _checked(spec, names, [*problems, *wrong], objects)


def _unknown_fields(function_config: Data, known: Texts, *, root: str) -> Iterator[ConfigProblem]:
    for name in function_config:
        if name not in known:
            advice = json_schema.unknown(str(name), known, root=root)
            yield ConfigProblem((shown(name),), advice)


def _checked(
    spec: Any, names: FieldNames, problems: list[ConfigProblem], objects: Lookup | None
) -> ProxyConfig:
    """Return ``spec`` as a ProxyConfig, with the values of the objects that it names; raises ConfigError."""
    _verify([*problems, *_problems(spec, names)])
    if objects is None or not any(lookup(spec, path) for path in _REFERENCES):
        return built(spec, names)
    from krm_fn.config import references  # noqa: PLC0415 -- most configs refer to no object

    merged = references.MergedSpec(spec, names, objects)
    problems = [*merged.problems, *_problems(merged.spec, names)]
    # A proxy is removed also where the object that named it has gone.
    if problems and spec.get("mode") == Mode.REMOVE.value:
        return built(spec, names)
    _verify(problems)
    return merged.completed(built(merged.spec, names))


def _verify(problems: list[ConfigProblem]) -> None:
    if problems:
        raise ConfigError(problems=sorted({*problems}))


def _problems(spec: Any, names: FieldNames) -> Iterator[ConfigProblem]:
    """Yield each problem; of a place that a semantic check describes, the schema's is left out."""
    places = set()
    for place, text in semantic_checks.problems(spec):
        places.add(place)
        yield names.problem(place, text)
    for place, text in json_schema.problems(spec):
        if place not in places:
            yield names.problem(place, text)
