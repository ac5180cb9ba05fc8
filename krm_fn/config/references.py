"""Read the values that a FunctionConfig takes from objects of the list: those of other systems, and certificates.

They are put into the ``spec`` where it sets none itself, and judged there like the user's own. Each place is named
by the entry that refers to it and by the object; no content of the object is ever repeated.
"""

from __future__ import annotations

from krm_fn import noproxy
from krm_fn.config import json_schema
from krm_fn.config.proxy_config import Lookup, ProxyConfig
from krm_fn.config.spec import FieldName, FieldNames, shown, texts_at
from krm_fn.errors import ConfigError, ConfigProblem
from krm_fn.light_typing import Any, Texts
from krm_fn.patch import Data, Pointer, copied, lookup, put_at
from krm_fn.proxy_url import split_url

_URLS = (("httpProxy",), ("httpsProxy",))
_NO_PROXY = ("noProxy",)
_TRUSTED_CA = ("trustedCA",)
_MIRROR_CA = ("registryMirror", "ca")


class MergedSpec:
    """A ``spec`` with the values of the objects that it names.

    Attributes:
        spec: the merged one.
        names: names its places.
        problems: the problems of references.
        config_map: namespace, name and key of the ConfigMap that ``trustedCA`` was taken from.
        secret_urls: the URLs with a password that come from a Secret.
    """

    def __init__(self, spec: Data, names: FieldNames, objects: Lookup) -> None:
        self.spec = copied(spec)
        self.names = names
        self.problems: list[ConfigProblem] = []
        self.config_map: Texts | None = None
        self.secret_urls: set[str] = set()
        self._objects = objects
        for index, source in enumerate(spec.get("from", ())):
            self._take_values(("from", str(index)), source)
        self._take_certificates(_TRUSTED_CA)
        self._take_certificates(_MIRROR_CA)
        if not (self.problems or self.says_none or self._is_enough()):
            text = "must name a proxy, or `spec` itself must: there is none in it"
            self.problems.append(names.problem(("from",), text))

    @property
    def says_none(self) -> bool:
        """Whether an object says explicitly that there is no proxy, and nothing else names one."""
        return all(lookup(self.spec, path) == "" for path in _URLS)

    def completed(self, config: ProxyConfig) -> ProxyConfig:
        """Return the ProxyConfig of the merged ``spec``, with the certificates of objects."""
        is_declared = config.declaration.is_declared or self.says_none
        return config._replace(
            declaration=config.declaration._replace(is_declared=is_declared),
            trusted_ca=config.trusted_ca._replace(config_map=self.config_map),
            secret_urls=frozenset(self.secret_urls),
            reads_objects=bool(self.names.foreign),
        )

    def _is_enough(self) -> bool:
        """Return whether the spec names something to write."""
        if "trustedCA" in self.spec or "registryMirror" in self.spec:
            return True
        proxies = [self.spec, *self.spec.get("overrides", ())]
        return any(lookup(proxy, path) for proxy in proxies for path in _URLS)

    def _take_values(self, reference: Pointer, source: Data) -> None:
        """Take the values of an entry of ``from`` that neither the user nor a later entry sets."""
        try:
            values = self._objects.values(source)
        except ConfigError as error:
            self._report(reference, error)
            return
        for path, given in values.items():
            name = FieldName(self.names.name(reference).path, given.place)
            value = given.value
            if path in _URLS and given.in_secret:
                parts = split_url(str(value))
                if parts.password:
                    self.secret_urls.add(value)
            if path == _NO_PROXY and isinstance(value, str):
                self._take_list(value, name)
                continue
            is_given = lookup(self.spec, path) is not None
            if not is_given or path in self.names.foreign:
                self._put(path, value, name)

    def _take_list(self, given: str, name: FieldName) -> None:
        """Put the entries of another list in front of those that are there."""
        names = dict.fromkeys(noproxy.parse(given), name)
        for place, text in texts_at(self.spec, _NO_PROXY):
            own_name = self.names.name(place)
            for entry in noproxy.parse(text):
                names.setdefault(entry, own_name)
        self.spec["noProxy"] = list(names)
        for index, entry in enumerate(names):
            self.names.foreign["noProxy", str(index)] = names[entry]

    def _take_certificates(self, path: Pointer) -> None:
        reference = (*path, "configMap")
        written = lookup(self.spec, reference)
        if written is None:
            return
        default_key = json_schema.fields()["trustedCA.configMap.key"]["default"]
        config_map = {"key": default_key, **written}
        try:
            certificates = self._objects.certificates(config_map)
        except ConfigError as error:
            self._report(reference, error)
            return
        key = shown(config_map["key"])
        name = FieldName(self.names.name(reference).path, f'its key "{key}"')
        self._put(path, {"pem": certificates.pem}, name)
        if path == _TRUSTED_CA:
            self.config_map = certificates.config_map

    def _put(self, path: Pointer, value: Any, name: FieldName) -> None:
        put_at(self.spec, path, value)
        self.names.foreign[path] = name

    def _report(self, reference: Pointer, error: ConfigError) -> None:
        for problem in error.problems:
            self.problems.append(self.names.problem(reference, problem.text))
