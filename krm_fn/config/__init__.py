"""The FunctionConfig: what the user asks for, checked as a whole before anything else happens.

It sees one FunctionConfig as plain data and either gives all of it, or says everything that is
wrong with it. Of the objects it refers to it sees what a ``Lookup`` gives; no problem that it reports
holds a credential.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn.config import _build, _schema, _semantic_checks
from krm_fn.config._build import names_of_only
from krm_fn.config._model import (
    Certificates,
    ForeignValue,
    Lookup,
    Mirror,
    Mode,
    Override,
    PolicyChange,
    ProxyConfig,
    coalesce,
)
from krm_fn.config._schema import fields, schema
from krm_fn.config._selector import ClusterMatcher, IgnoredPlace, Matcher, OverrideSubject, Selector
from krm_fn.errors import ConfigError
from krm_fn.formats import sops
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.near_names import nearest
from krm_fn.patch import Pointer, field_path, lookup

__all__ = [
    "API_VERSION",
    "KIND",
    "Certificates",
    "ClusterMatcher",
    "ForeignValue",
    "IgnoredPlace",
    "Lookup",
    "Matcher",
    "Mirror",
    "Mode",
    "Override",
    "OverrideSubject",
    "PolicyChange",
    "ProxyConfig",
    "Selector",
    "coalesce",
    "fields",
    "ineffective_annotation",
    "load",
    "names_of_only",
    "probably_meant",
    "schema",
]

API_VERSION = "fn.inject-proxy.io/v1alpha1"
KIND = "ProxyConfig"
_ENCRYPTED = (
    "sops: the ProxyConfig is encrypted by SOPS: decrypt it for each run, as in "
    "`sops exec-file FILE 'inject-proxy run --config {} PATH'`, or let `spec.from` name a Secret that the build "
    "decrypts"
)
_REFERENCES = (("from",), ("trustedCA", "configMap"), ("registryMirror", "ca", "configMap"))
"""Where a ``spec`` names objects."""
_FUNCTION = ("metadata", "annotations", "config.kubernetes.io/function")


def load(
    function_config: Mapping[str, Any] | None,
    objects: Lookup | None = None,
    *,
    repeated: Iterable[Pointer] = (),
) -> ProxyConfig | None:
    """Return the checked FunctionConfig.

    None without a FunctionConfig, or for a ConfigMap without data.

    Args:
        function_config: plain data, a ``ProxyConfig`` or a ``ConfigMap``; its ``metadata`` is never looked at. A field
            that is null counts as not given.
        objects: reads what it refers to: ``from``, and ConfigMaps of certificates. None: that is left out, so that a
            FunctionConfig can be looked at alone.
        repeated: paths of keys that occur twice in the text that it was read from: which value counts, no two
            readers of YAML agree about.

    Raises:
        ConfigError: with every problem at once, each one line: field path, what is wrong, what is allowed.
    """
    if function_config is None or function_config == {}:
        return None
    twice = [_repeated(path) for path in repeated]
    form = (_read(function_config, "apiVersion"), _read(function_config, "kind"))
    if form == ("v1", "ConfigMap"):
        return _from_config_map(function_config, objects, twice)
    if form == (API_VERSION, KIND):
        if sops.is_encrypted(function_config):
            raise ConfigError([_ENCRYPTED])
        stray = _stray_fields(
            function_config, ("apiVersion", "kind", "metadata", "spec"), root="spec."
        )
        spec = _schema.plain(function_config.get("spec"))
        return _checked({} if spec is None else spec, _Form("spec", {}), [*twice, *stray], objects)
    raise ConfigError([*twice, _other_form(form)])


def ineffective_annotation(function_config: Any) -> Finding | None:
    """Return a warning if the annotation by which kustomize finds the function is no string, else None.

    No other tool reads it, so the run at hand goes on.

    Source: kyaml ``fn/runtime/runtimeutil/functiontypes.go`` (``GetFunctionSpec``).
    """
    if isinstance(lookup(function_config, _FUNCTION, ""), str):
        return None
    message = (
        f"the annotation `{_FUNCTION[-1]}` must be a string, or kustomize does not find the function: put its value "
        "in quotes, or behind `|`"
    )
    return Finding.of("SettingUnused", message, _FUNCTION)


def _repeated(path: Pointer) -> str:
    """Return the line about a key that is there twice.

    One that is no field of a ProxyConfig may be anything, and is hidden.
    """
    known = _schema.known_part(path)
    if known == path:
        return f"{field_path(path)}: must not be given twice in one mapping: keep one of the two"
    return f"{field_path(known) or 'functionConfig'}: must not hold a key twice in one mapping: keep one of the two"


def _read(function_config: Any, key: str) -> Any:
    return function_config.get(key) if isinstance(function_config, Mapping) else None


def _other_form(form: tuple[Any, Any]) -> str:
    given = " ".join(_schema.shown(part) for part in form if isinstance(part, str) and part)
    accepted = f"must be `{API_VERSION} {KIND}`, or `v1 ConfigMap` with the same keys under `data`"
    message = f"functionConfig: {accepted}"
    if given:
        message += f', not "{given}"'
    meant = [f"`{part}`" for part in probably_meant(*form)]
    if meant:
        message += f"; did you mean {' and '.join(meant)}?"
    return message


def probably_meant(api_version: Any, kind: Any) -> tuple[str, ...]:
    """Return the parts of `apiVersion` and `kind` that are misspelt, as they must be written.

    Empty where nothing is, or where the object is probably something else: of another kind, or of another
    group (Istio has a kind of the same name).
    """
    version = api_version if isinstance(api_version, str) else ""
    name = kind if isinstance(kind, str) else ""
    group, slash, _ = version.partition("/")
    is_of_our_group = not slash or _is_near(group, API_VERSION.partition("/")[0])
    if version != API_VERSION and not (is_of_our_group and _is_near(name, KIND)):
        return ()
    written = ((API_VERSION, version), (KIND, name))
    return tuple(wanted for wanted, given in written if wanted != given)


def _is_near(text: str, wanted: str) -> bool:
    return nearest(text, [wanted], alike=0.8) is not None


def _from_config_map(
    function_config: Mapping[str, Any], objects: Lookup | None, twice: list[str]
) -> ProxyConfig | None:
    stray = twice + _stray_fields(
        function_config, ("apiVersion", "kind", "metadata", "data", "immutable"), root="data."
    )
    data = _schema.plain(function_config.get("data"))
    if data is not None and not isinstance(data, dict):
        raise ConfigError([*stray, "data: must be a mapping"])
    if not data and not stray:
        return None
    from krm_fn.config import _configmap  # noqa: PLC0415 -- most runs have a ProxyConfig

    spec, written, problems = _configmap.read(data or {})
    return _checked(spec, _Form("data", written), [*stray, *problems], objects)


def _stray_fields(
    function_config: Mapping[str, Any], known: tuple[str, ...], *, root: str
) -> list[str]:
    names = [str(name) for name in function_config if name not in known]
    return [f"{_schema.shown(name)}: {_schema.unknown(name, known, root=root)}" for name in names]


class _Form(NamedTuple):
    """How places are called: ``root`` is ``spec`` or ``data``, ``written`` the key of ``data`` behind a field."""

    root: str
    written: Mapping[str, str]

    def name(self, path: _schema.Place) -> str:
        """Return the name of the field at ``path``."""
        text = self.root
        for depth, step in enumerate(path):
            name = self.written.get(step, step) if depth == 0 and isinstance(step, str) else step
            text += f"[{name}]" if isinstance(name, int) else f".{_schema.shown(name)}"
        return text


def _checked(spec: Any, form: _Form, problems: list[str], objects: Lookup | None) -> ProxyConfig:
    """Return ``spec`` as a ProxyConfig.

    Raises with all problems, in the words of the form it was written in.
    """
    reported = [f"{form.name(path)}: {text}" for path, text in _problems(spec)]
    if problems or reported:
        raise ConfigError(sorted({*problems, *reported}))
    # A proxy is removed also where the object that named it has gone.
    is_removal = spec.get("mode") == Mode.REMOVE.value
    refers = any(lookup(spec, path) for path in _REFERENCES)
    if objects is None or is_removal or not refers:
        return _build.built(spec, form.name)
    from krm_fn.config._referred import Referred  # noqa: PLC0415 -- most configs refer to no object

    referred = Referred(spec, objects, form.name)
    merged = {name: value for name, value in referred.spec.items() if name != "from"}
    mistakes = list(referred.problems)
    for path, text in _problems(merged):
        if path or not (referred.problems or referred.says_none):
            mistakes.append(referred.problem(path, text))
    if mistakes:
        raise ConfigError(sorted(set(mistakes)))
    return _build.with_references(_build.built(referred.spec, referred.name), referred)


def _problems(spec: Any) -> Iterator[tuple[_schema.Place, str]]:
    """Yield the problems that the schema finds, except where a semantic check describes the same place better."""
    found = list(_semantic_checks.problems(spec)) if isinstance(spec, dict) else []
    places = {path for path, _ in found}
    if isinstance(spec, dict) and _means_removal(spec.get("mode")):
        places.add(())  # no proxy is missing where it is to be removed, although `mode` is misspelt
    yield from found
    yield from ((path, text) for path, text in _schema.problems(spec) if path not in places)


def _means_removal(mode: Any) -> bool:
    """Return whether ``mode`` is `Remove`, or probably was meant to be."""
    return nearest(mode, [one.value for one in Mode]) == Mode.REMOVE.value
