"""Values of a Giant Swarm cluster: the proxy that its apps get from the Secret ``<cluster>-cluster-values``.

What it sets: in the YAML text under the key ``values``, each where the settings give it a value: ``cluster.proxy`` with
``http``, ``https``, ``noProxy``; ``env`` with ``NO_PROXY``, ``HTTP_PROXY``, ``HTTPS_PROXY``; and ``http_proxy``,
``https_proxy``, ``no_proxy`` at the root. ``noProxy`` is the composed list of that cluster: with ``noProxyPolicy.style:
GiantSwarm`` it is the one that cluster-apps-operator makes.

Where: the Secret ``<cluster>-cluster-values`` (``stringData``, or ``data`` in base64). In the ConfigMap of that name
only what is there already: cluster-apps-operator writes no proxy into it.

What it leaves alone: all other values, comments and order; a text with nothing but a proxy is written anew where it
differs. An entry of ``env`` is found by its name: one that differs is replaced whole, repeated ones become one, at the
first place. Without a proxy all of these go, and so does ``cluster`` if nothing else is in it, and a text of which
nothing is left, not even a comment.

Before and after:

```diff
 kind: Secret
 metadata:
   name: mycluster-cluster-values
 stringData:
   values: |
+    cluster:
+      proxy:
+        http: http://proxy.corp.example:3128
+        https: http://proxy.corp.example:3128
+        noProxy: cluster.local,100.64.0.0/13,100.96.0.0/11,svc,127.0.0.1,localhost
     global: {}
```

Options: ``generate`` (default false): a Cluster that has no such Secret in the list gets one, in its namespace, and the
ConfigMap of the same name with ``cluster.private: true``, because an ``App`` that refers to both needs both. Do not ask
for it where cluster-apps-operator runs: that makes them itself and writes over what is there. Both carry the label
``app.kubernetes.io/managed-by: inject-proxy`` and go with the proxy if nothing else was added to them.

Why: apps of a workload cluster get their proxy from this Secret (Giant Swarm's proxy document,
"cluster-apps-operator"). The three shapes are those of its ``clustersecret/desired.go``: charts read ``cluster.proxy``,
older releases of cert-manager-app the root, external-dns-app ``env``. ``cluster.private`` is what its ConfigMap says of
a cluster behind a proxy.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from krm_fn import patch
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.three_keys import SHORT, SNAKE, ThreeKeys
from krm_fn.engine.member_edits import MemberEdits, together
from krm_fn.formats.embedded import Embedded, Value, mappings, read, values
from krm_fn.krm.results import Change, Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import _env_list
from krm_fn.targets._made import is_made, skeleton
from krm_fn.targets._whole_text import begun, edited, is_blank
from krm_fn.targets.base import Creation, Target
from krm_fn.targets.embedded_edits import in_document

_SUFFIX = "-cluster-values"
_KEY = "values"
_ENV = ("env",)
_SLOTS = (
    ThreeKeys(("cluster", "proxy"), SHORT, "`cluster.proxy`", kept=0),
    ThreeKeys((), SNAKE, "the values"),
)

_Part = Callable[[Any], MemberEdits | Finding]


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what the values of a cluster lack or have too much; see the module's text."""
    if not _is_ours(obj):
        return
    value = _text(obj)
    found = value if isinstance(value, Finding) else read(value)
    if isinstance(found, Finding):
        yield found
    elif isinstance(value, Value) and is_blank(value, found):
        yield from _fresh(obj, value, settings)
    elif isinstance(found[0].data, dict):
        yield from _edited(obj, found[0], settings)
    else:
        yield from in_document(found[0], wrong_type((), found[0].data, "a mapping"))


def companions(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The Secret and the ConfigMap of a Cluster, where the option ``generate`` asks for them."""
    name = lookup(obj, ("metadata", "name"))
    if options.get("generate") and settings.variables() and isinstance(name, str) and name:
        labels = {"giantswarm.io/cluster": name}
        yield skeleton("Secret", name + _SUFFIX, obj, labels=labels, type="Opaque")
        yield skeleton("ConfigMap", name + _SUFFIX, obj, labels=labels)


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the values of a cluster set, whoever wrote them."""
    value = _text(obj) if _is_ours(obj) else None
    for found in [*mappings(value)][:1] if isinstance(value, Value) else ():
        for slot in _SLOTS:
            yield from slot.read(found.data, found.value.path)
        yield from _env_list.seen(found.data, _ENV, "`env`", found.value.path)


def _is_ours(obj: Mapping[str, Any]) -> bool:
    name = lookup(obj, ("metadata", "name"))
    return isinstance(name, str) and name.endswith(_SUFFIX) and name != _SUFFIX


def _text(obj: Mapping[str, Any]) -> Value | Finding:
    """The text that holds the values, or what is wrong in its place; one that is not there is empty."""
    for one in values(obj):
        if one.path[1:] in ((), (_KEY,)):
            return one
    is_encoded = obj.get("kind") == "Secret" and "data" in obj and "stringData" not in obj
    field = "data" if is_encoded or obj.get("kind") == "ConfigMap" else "stringData"
    return Value((field, _KEY), "", is_base64=is_encoded)


def _fresh(
    obj: Mapping[str, Any], value: Value, settings: ProxySettings
) -> Iterator[Change | Finding]:
    """The text where there is none, or none that says anything; comments stay."""
    made, _ = together({}, _parts(obj, {}, settings))
    yield from begun(obj, value, made)


def _edited(
    obj: Mapping[str, Any], found: Embedded, settings: ProxySettings
) -> Iterator[Change | Finding]:
    value = found.value
    made, problems = together(found.data, _parts(obj, found.data, settings))
    if made.operations and settings.variables() and _is_ours_alone(obj, found):
        yield from _fresh(obj, replace(value, text=""), settings)
        return
    for one in problems:
        yield from in_document(found, one)
    yield from edited(obj, found, made)


def _is_ours_alone(obj: Mapping[str, Any], found: Embedded) -> bool:
    """Whether nothing but a proxy stands in a text that is all ours to write, and no comment."""
    if "#" in found.value.text or (obj.get("kind") != "Secret" and not is_made(obj)):
        return False
    made, problems = together(found.data, _parts(obj, found.data, ProxySettings()))
    return not problems and not patch.apply(copy.deepcopy(found.data), made.operations)


def _parts(obj: Mapping[str, Any], data: Any, settings: ProxySettings) -> list[_Part]:
    """The edits of the text: all of a Secret's, and of a ConfigMap's those of what is there."""
    is_secret = obj.get("kind") == "Secret"
    slots = [slot for slot in _SLOTS if is_secret or slot.is_in(data)]
    parts: list[_Part] = [partial(slot.edit, settings=settings) for slot in slots]
    if is_secret or _env_list.is_there(data, _ENV):
        parts.insert(1, partial(_env_list.edit, path=_ENV, settings=settings))
    return (
        parts if is_secret or not is_made(obj) else [*parts, partial(_private, settings=settings)]
    )


def _private(data: Any, settings: ProxySettings) -> MemberEdits:
    """That the cluster lies behind a proxy: what a ConfigMap that was made here says."""
    path = ("cluster", "private")
    there, is_private = lookup(data, path), bool(settings.variables())
    held = lookup(data, ("cluster",), {})
    if is_private and there is None and isinstance(held, Mapping):
        operation = patch.add("cluster", value={**held, "private": True})
        return MemberEdits((operation,), "sets `private` of `cluster`", proposed="private=true")
    if not is_private and there is True:
        gone = path if len(held) > 1 else path[:1]
        return MemberEdits(
            (patch.remove(*gone),), "removes `private` of `cluster`", current="private=true"
        )
    return MemberEdits(())


TARGET = Target(
    id="giantswarmClusterValues",
    kinds=frozenset({("", "Secret"), ("", "ConfigMap")}),
    audience=Audience.POD,
    text_hints=("-cluster-values",),
    propose=propose,
    observe=observe,
    creates=Creation(beside=frozenset({("cluster.x-k8s.io", "Cluster")}), companions=companions),
)
