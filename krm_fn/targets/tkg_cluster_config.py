"""The configuration of a TKG cluster: the Secret in which TKG keeps what the cluster was made from.

What it sets: ``TKG_HTTP_PROXY``, ``TKG_HTTPS_PROXY`` and ``TKG_NO_PROXY``, the last with the list that TKG itself keeps
there: that of ``spec.noProxy``, completed in the style ``TKG`` whatever style is chosen, but for ``Verbatim`` and where
``spec.from`` reads objects, because this Secret may be what it reads. Networks that are not known are missing in it,
and TKG adds them when it renders the cluster. ``TKG_HTTP_PROXY_ENABLED`` where it is there, as the boolean or the text
that it is. With ``spec.trustedCA``, ``TKG_PROXY_CA_CERT``: the PEM in base64.

Where: the first YAML mapping under the key ``value``, in ``stringData`` or in ``data`` (base64), of Secrets of the type
``addons.cluster.x-k8s.io/resource-set`` whose name ends with ``-config-values``.

What it leaves alone: every other line, comment and annotation of ytt in the text, and all other keys. Missing members
are added at the end. A text in which code or an annotation of ytt decides about one of the members stays as it is, and
so does one that holds no mapping; both are told. Without a proxy the three and ``TKG_PROXY_CA_CERT`` go, and
``TKG_HTTP_PROXY_ENABLED`` becomes false; while there is a proxy and no ``spec.trustedCA``, ``TKG_PROXY_CA_CERT`` stays.
Where ``spec.trustedCA`` stands alone, only that is set. A declaration with only one of the two URLs is a warning, and
what is there stays.

Before and after:

```diff
 kind: Secret
 metadata:
   name: cluster-config-values
 stringData:
   value: |
     CLUSTER_NAME: cluster
     CLUSTER_PLAN: dev
+    TKG_HTTP_PROXY: http://proxy.corp.example:3128
+    TKG_HTTPS_PROXY: http://proxy.corp.example:3128
+    TKG_NO_PROXY: .corp.example,.svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11
 type: addons.cluster.x-k8s.io/resource-set
```

Options: none but ``enabled``.

Why: TKG renders the cluster anew from this Secret when it is scaled or upgraded, so a proxy that is missing here gets
lost (the TKG document, last section; ``vmware-tanzu/tanzu-framework`` release-0.29, ``providers/ytt``:
``09_miscellaneous/08_store_data_values.yaml``). TKG's command completes ``TKG_NO_PROXY`` before it renders and stores
the values (tanzu-framework: ``ConfigureAndValidateHTTPProxyConfiguration`` sets what ``getFullTKGNoProxy`` returns), so
that from two URLs and no list the document shows a full one. Its ``get_no_proxy`` (``providers/ytt``) fails on vSphere
where the list lacks ``VSPHERE_SERVER`` and ``VSPHERE_INSECURE`` is not true; that is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from krm_fn import patch
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.three_keys import Keys, ThreeKeys
from krm_fn.engine.member_edits import MemberEdits, together
from krm_fn.formats import embedded
from krm_fn.formats.embedded import Embedded, Value
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Operation, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import ytt
from krm_fn.targets.base import Target
from krm_fn.targets.embedded_edits import in_document
from krm_fn.targets.tkg_rules import certificate, half, whole

_KEYS = Keys("TKG_HTTP_PROXY", "TKG_HTTPS_PROXY", "TKG_NO_PROXY", is_fixed=True)
_SLOT = ThreeKeys((), _KEYS, "the configuration of the cluster", kept=0)
_ENABLED = "TKG_HTTP_PROXY_ENABLED"
_CERTIFICATE = "TKG_PROXY_CA_CERT"
MEMBERS = (*_SLOT.members, (_ENABLED,), (_CERTIFICATE,))

_VCENTER = (
    "the list lacks the host of `VSPHERE_SERVER`, and TKG renders no cluster from it: add the host to `spec.noProxy`, "
    "or set `VSPHERE_INSECURE` if its certificate need not be checked"
)
_NOTHING = (
    "it must hold a YAML mapping to get a proxy: write the configuration of the cluster "
    "there, or delete the Secret"
)


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what the configuration lacks or has too much; see the module's text."""
    for value in _values(obj):
        found = embedded.read(value) if isinstance(value, Value) else value
        if isinstance(found, Finding):
            yield found
            continue
        if not _first(found) and whole(settings).variables():
            yield Finding(Severity.WARNING, _NOTHING, value.path, code="NoValues")
        for document in _first(found):
            problem = half(settings)
            if problem:
                yield replace(problem, path=document.value.path)
            if _lacks_vcenter(document.data, whole(settings)):
                yield Finding(
                    Severity.WARNING, _VCENTER, document.value.path, code="VCenterNotInList"
                )
            yield from in_document(
                document, ytt.checked(document, edit_document(document.data, settings), MEMBERS)
            )


def _lacks_vcenter(data: Mapping[str, Any], settings: ProxySettings) -> bool:
    """Return whether TKG will refuse the list: it must hold the vCenter, unless its certificate is not checked."""
    server = data.get("VSPHERE_SERVER")
    if not isinstance(server, str) or not server or not settings.no_proxy:
        return False
    is_insecure = str(data.get("VSPHERE_INSECURE")).lower() == "true"
    return not is_insecure and server not in parse(settings.no_proxy)


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the configuration says, whoever wrote it."""
    for value in _values(obj):
        for document in _first(list(embedded.mappings(value))) if isinstance(value, Value) else ():
            yield from _SLOT.read(document.data, value.path)


def edit_document(data: Mapping[str, Any], settings: ProxySettings) -> MemberEdits | Finding:
    """What the configuration of a cluster lacks or has too much, also where it is a file of its own."""
    settings = whole(settings)
    proxy = [partial(_SLOT.edit, settings=settings)] if settings.is_declared else []
    made, problems = together(data, [*proxy, partial(_companions, settings=settings)])
    return problems[0] if problems else made


def _values(obj: Mapping[str, Any]) -> Iterator[Value | Finding]:
    """The text under ``value``, if the Secret is one of TKG, or what is wrong with it."""
    name = lookup(obj, ("metadata", "name"))
    if (
        obj.get("type") in TARGET.text_hints
        and isinstance(name, str)
        and name.endswith("-config-values")
    ):
        yield from (value for value in embedded.values(obj) if value.path[-1] in ("sops", "value"))


def _first(documents: list[Embedded]) -> list[Embedded]:
    return [document for document in documents if isinstance(document.data, dict)][:1]


def _companions(data: Mapping[str, Any], settings: ProxySettings) -> MemberEdits:
    """What goes with the three members; None is the value of one that is to go."""
    wanted: dict[str, Any] = {}
    is_on = bool(settings.variables())
    if _ENABLED in data and settings.is_declared:
        wanted[_ENABLED] = is_on if isinstance(data[_ENABLED], bool) else str(is_on).lower()
    if certificate(settings) or (settings.is_declared and not is_on):
        wanted[_CERTIFICATE] = certificate(settings) or None
    differ = {
        name: value
        for name, value in wanted.items()
        if (name in data, data.get(name)) != (value is not None, value)
    }
    return MemberEdits(
        tuple(_operation(data, name, value) for name, value in differ.items()),
        ", ".join(
            f"{'removes' if value is None else 'sets'} `{name}`" for name, value in differ.items()
        ),
    )


def _operation(data: Mapping[str, Any], name: str, value: Any) -> Operation:
    if value is None:
        return patch.remove(name)
    return (patch.replace if name in data else patch.add)(name, value=value)


TARGET = Target(
    id="tkgClusterConfig",
    kinds=frozenset({("", "Secret")}),
    audience=Audience.TKG,
    text_hints=("addons.cluster.x-k8s.io/resource-set",),
    propose=propose,
    observe=observe,
    one_proxy_for_all_nodes=True,
    is_concerned_without_proxy=True,
)
