"""ConfigMaps and Secrets from which others read their proxy: they are filled, and the references stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from krm_fn.carriers import chosen_containers
from krm_fn.carriers.data_references import DataUsesReader
from krm_fn.carriers.data_uses import NO_USES, DataUses
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value, places, values
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.base import Context, Options, Target, Writes

_AWS = "proxy-environment-variables"
_ARGO_LABEL = "argocd.argoproj.io/secret-type"
_ARGO_TYPES = frozenset({"repository", "repo-creds", "repository-write", "repo-write-creds"})
_CREDENTIALS = ("username", "password")
_REFERENCES = ("{{", "$(", "$$")


class _DataTexts:
    """The keys of a ConfigMap or Secret, as far as they hold text.

    Args:
        draft: the data of the object.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def get(self, key: str) -> Value | None:
        """Return the text under a key; None where there is none."""
        for one in values(self._draft.data):
            if isinstance(one, Value) and one.path[-1] == key:
                return one
        return None

    def is_unreadable(self, key: str) -> bool:
        """Return whether something is under a key that is no text, which is reported."""
        for one in values(self._draft.data):
            if isinstance(one, Finding) and one.path[-1:] == (key,):
                self._draft.findings.append(one)
                return True
        return False

    def set(self, key: str, text: str) -> None:
        """Set the text under a key, in the form that it has there."""
        existing = self.get(key)
        if existing is not None:
            self._draft.set(existing.path, existing.written(text))
        elif not self.is_unreadable(key):
            self._draft.set(self._new(key), text)

    def remove(self, key: str) -> None:
        """Remove a key."""
        existing = self.get(key)
        if existing is not None:
            for path in places(self._draft.data, existing):
                self._draft.remove(path)

    def _new(self, key: str) -> Pointer:
        """Return where a new text goes: text needs no base64 in a Secret."""
        is_secret = self._draft.data.get("kind") == "Secret"
        return ("stringData" if is_secret else "data", key)


class _DataKeys:
    """Keys that hold the variables of one program, as a site.

    Args:
        draft: the data of the object.
        variables: key -> the variable that it holds, in upper case.
        label: what messages call them.
        is_environment: containers read the keys as variables, and an empty one says that there is no proxy; else they
            are of a program that knows no case, and a key without a proxy is removed.
    """

    def __init__(
        self, draft: Draft, variables: Mapping[str, str], label: str, *, is_environment: bool
    ) -> None:
        self.label = label
        self._keys = _DataTexts(draft)
        self._variables = variables
        self._is_environment = is_environment

    def read(self) -> Iterator[Reading]:
        """Yield what the keys hold."""
        has_list = not self._is_environment or "NO_PROXY" in self._variables.values()
        elsewhere = frozenset[str]() if has_list else frozenset({"NO_PROXY"})
        for key, variable in self._variables.items():
            found = self._keys.get(key)
            if found is None or not found.text:
                continue
            for one in _in_both_cases(variable, found, self.label):
                if one.variable == variable or not self._is_environment:
                    yield one._replace(beside=elsewhere)

    def write(self, variables: Variables) -> None:
        """Set the keys; without a proxy, empty or remove those that are there, the list of a program among them.

        Raises:
            WrongTypeError: ``data`` or ``stringData`` is no mapping.
        """
        has_proxy = any(
            variables.get(name) for name in self._variables.values() if name != "NO_PROXY"
        )
        if not has_proxy and not self._is_environment:
            variables = {}
        for key, variable in self._variables.items():
            value = variables.get(variable, "")
            existing = self._keys.get(key)
            if not value and not self._is_environment:
                self._keys.remove(key)
            elif value != ("" if existing is None else existing.text):
                self._keys.set(key, value)


class _FluxSecret:
    """The proxy of an object of Flux, as a site.

    Args:
        draft: the data of the Secret.
    """

    label = "the proxy of Flux"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._keys = _DataTexts(draft)

    def read(self) -> Iterator[Reading]:
        """Yield the address; Flux knows no exceptions."""
        found = self._keys.get("address")
        if found is not None and found.text:
            yield from _in_both_cases("HTTPS_PROXY", found, self.label)

    def write(self, variables: Variables) -> None:
        """Set the address and its credentials, or remove all three.

        Raises:
            WrongTypeError: ``data`` or ``stringData`` is no mapping.
        """
        url = variables.get("HTTPS_PROXY") or variables.get("HTTP_PROXY", "")
        if not url and self._keys.get("address") is not None:
            message = (
                "holds no proxy any more, and Flux reports an error about a Secret without `address`: "
                "remove `spec.proxySecretRef` from what refers to it"
            )
            self._draft.report(Severity.WARNING, message, code="ReferenceToRemoved")
        parts = split_url(url)
        wanted = {
            "address": parts.without_credentials,
            "username": unquote(parts.user),
            "password": unquote(parts.password),
        }
        for key, value in wanted.items():
            existing = self._keys.get(key)
            if value == ("" if existing is None else existing.text):
                continue
            if value:
                self._keys.set(key, value)
            else:
                self._keys.remove(key)
            if key in _CREDENTIALS:
                self._draft.describe(f"{'sets' if value else 'removes'} `{key}` of the proxy")


def _variables_of_argo(keys: _DataTexts) -> dict[str, str]:
    """Return the keys of a repository of Argo CD -> the variable that each one holds."""
    url = keys.get("url")
    is_plain = url is not None and url.text.startswith("http://")
    return {"proxy": "HTTP_PROXY" if is_plain else "HTTPS_PROXY", "noProxy": "NO_PROXY"}


def _in_both_cases(variable: str, found: Value, label: str) -> Iterator[Reading]:
    """Yield what a program reads that knows no case: Flux and Argo CD hand it on in both."""
    for name in (variable, variable.lower()):
        yield Reading(name, found.text, found.path, found.text, label, member=found.path[-1])


def _is_plain(draft: Draft, key: str, names: Iterable[str], context: Context) -> bool:
    """Return whether one value can be put under a key that rules of Kyverno read; report why not."""
    values_of_key = {context.settings.variables().get(name, "") for name in names}
    problem = ""
    if len(values_of_key) > 1:
        problem = "they differ: use one key each"
    elif any(sign in value for value in values_of_key for sign in _REFERENCES):
        problem = "Kyverno or Kubernetes would replace a part of the declared value"
    if problem:
        message = f"a Kyverno policy reads {quoted(names)} from `{key}`, which is not set, because {problem}"
        found = Finding(
            Severity.WARNING, message, ("data", key), is_stale=True, code="PolicyNotFilled"
        )
        draft.findings.append(found)
    return not problem


def _mapping(obj: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = obj.get(name)
    return value if isinstance(value, Mapping) else {}


def _is_of_argo(obj: Mapping[str, Any]) -> bool:
    named = text_at(obj, ("metadata", "labels", _ARGO_LABEL))
    return obj.get("kind") == "Secret" and named in _ARGO_TYPES


class _ProxyData(Target):
    id = "proxyData"
    kinds = frozenset({("", "ConfigMap"), ("", "Secret")})
    audience = Audience.POD
    writes = Writes.VALUES

    def sites(self, draft: Draft, context: Context) -> Iterator[_DataKeys | _FluxSecret]:
        """Yield the places of a ConfigMap or Secret that others read as a proxy."""
        obj = draft.data
        if self.refuses(obj, context.options):
            return
        texts = _DataTexts(draft)
        use = context.uses.use(obj)
        keys = dict(use.keys)
        if use.is_environment or (obj.get("kind"), lookup(obj, ("metadata", "name"))) == (
            "ConfigMap",
            _AWS,
        ):
            keys |= {name: name.upper() for name in PROXY_VARIABLES if texts.get(name) is not None}
        for key, names in use.of_policies.items():
            if _is_plain(draft, key, names, context):
                keys.setdefault(key, next(iter(names)))
        if keys:
            yield _DataKeys(draft, keys, "the data", is_environment=True)
        if use.is_proxy_of_flux and obj.get("kind") == "Secret":
            yield _FluxSecret(draft)
        if _is_of_argo(obj) and texts.get("proxy") is not None:
            variables = _variables_of_argo(texts)
            yield _DataKeys(draft, variables, "the repository", is_environment=False)

    def refuses(self, data: Mapping[str, Any], options: Options) -> bool:
        """Return whether the annotation of an object says that its proxy stays as it is."""
        return chosen_containers.is_refused(data, ("spec",))

    def readers(
        self, obj: Mapping[str, Any], options: Mapping[str, Any], uses: DataUses = NO_USES
    ) -> Readers:
        """Return who reads the list in an object: Argo CD is written in Go, and Flux reads none at all."""
        if _is_of_argo(obj):
            return Readers(Audience.GO)
        # No key at all: a Secret that waits for its address.
        keys = {str(key) for name in ("data", "stringData") for key in _mapping(obj, name)}
        is_of_flux = obj.get("kind") == "Secret" and (not keys or "address" in keys)
        return Readers(Audience.PRODUCT if is_of_flux else Audience.POD)

    def note_references(
        self, uses: DataUsesReader, obj: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        """Note the Secret that an object of Flux refers to."""
        uses.note_flux(obj)


TARGET = _ProxyData()
