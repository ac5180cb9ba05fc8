"""The Secret ``<cluster>-systemd-proxy``: it holds the drop-ins of containerd and the kubelet, as Giant Swarm has it.

What it sets: ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``, ``https_proxy``, ``NO_PROXY``, ``no_proxy``, each where
the settings give it a value, as ``Environment="NAME=value"`` in the section ``[Service]`` of the text under the key
``containerdProxy``, and under ``kubeletProxy`` where that is there or ``kubeletDropIn`` has ``content: Secret``. The
list is the one composed for the Cluster. The values are escaped for systemd and for nothing else.

Where: Secrets whose name ends in ``-systemd-proxy``, in ``stringData`` or, as base64, in ``data``. A missing
``containerdProxy`` is added to ``stringData``. With ``generate`` the Secret is made beside each Cluster
(``cluster.x-k8s.io``) that has none, in its namespace, with both keys and the label ``giantswarm.io/cluster``.

What it leaves alone: other keys, and in these two every line that assigns no proxy variable. A key goes when nothing
but an empty ``[Service]`` is left of it, and a Secret that was made here (``app.kubernetes.io/managed-by:
inject-proxy``) when it holds nothing any more. There is one Secret for all nodes of a Cluster, so overrides for a role
or a worker group do not count here: an object that refers to the Secret and is to have another proxy is an error.

Before and after:

```diff
 kind: Secret
 metadata:
   name: mycluster-systemd-proxy
   namespace: org-giantswarm
+stringData:
+  containerdProxy: |
+    [Service]
+    Environment="HTTP_PROXY=http://proxy.corp.example:3128"
+    Environment="http_proxy=http://proxy.corp.example:3128"
```

Options:

* ``generate`` (default ``false``): make the Secret for each Cluster of the list that has none.

Why: Kubeadm objects take their drop-ins from this Secret (Giant Swarm's proxy document; see ``content: Secret`` of the
targets ``containerdDropIn`` and ``kubeletDropIn``); with ``exports: false`` of ``kubeadmCommands`` no password stands
in them. ``cluster-apps-operator`` writes the installation's list there, without the Cluster's networks, and escapes it
for HTML, which spoils passwords with ``&``, ``+``, ``'``, ``<`` or ``"``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn import patch
from krm_fn.carriers import systemd_secret, unit_text, unit_variables
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import quoted
from krm_fn.formats.embedded import Value, values
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import _made, kubelet_drop_in
from krm_fn.targets._unit_warnings import difference, shown
from krm_fn.targets.base import Creation, Target

is_one = systemd_secret.is_one
base_of = systemd_secret.base_of
SUFFIX = systemd_secret.SUFFIX
_UNITS = {key: unit for unit, key in systemd_secret.KEYS.items()}


def companions(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the Secret of the Cluster ``obj`` if ``options`` have ``generate``; ``propose`` fills it."""
    cluster = lookup(obj, ("metadata", "name"))
    if options.get("generate") and isinstance(cluster, str) and cluster:
        labels = {"giantswarm.io/cluster": cluster}
        yield _made.skeleton(
            "Secret", systemd_secret.name_for(cluster), obj, labels=labels, type="Opaque"
        )


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what has to change in the texts of the Secret ``obj``; ``options`` may have the list ``units``."""
    if not systemd_secret.is_one(lookup(obj, ("metadata", "name"))):
        return
    try:
        yield from _edited(obj, settings.variables(), options)
    except ValueError as error:
        yield Finding(Severity.ERROR, f"{error}; change the proxy settings", ("stringData",))


def _edited(
    obj: Mapping[str, Any], variables: Mapping[str, str], options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    found = values(obj)
    problems = [
        one
        for one in found
        if isinstance(one, Finding) and (len(one.path) == 1 or one.path[-1] in _UNITS)
    ]
    yield from problems
    if any(len(one.path) == 1 for one in problems):
        return
    texts = [one for one in found if isinstance(one, Value) and one.path[-1] in _UNITS]
    if variables:
        there = {one.path[-1] for one in found}
        yield from _rewritten(texts, variables)
        yield from _added(
            obj, [key for key in _wanted(obj, options) if key not in there], variables
        )
        return
    gone = [one for one in texts if one.text and not unit_text.edit(one.text, {})]
    if gone and _made.is_made(obj) and len(gone) == len(found):
        yield Change(
            patch.remove(), "removed: inject-proxy created this Secret and nothing else is in it"
        )
        return
    yield from _rewritten([one for one in texts if one not in gone], {})
    for field in ("stringData", "data"):
        yield from _emptied(obj, field, [one for one in gone if one.path[0] == field])


def _wanted(obj: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The keys that are written where they are missing."""
    always = _UNITS.values() if _made.is_made(obj) else ("containerd", *options.get("units", ()))
    return [key for key, unit in _UNITS.items() if unit in always]


def _rewritten(texts: list[Value], variables: Mapping[str, str]) -> Iterator[Change]:
    for value in texts:
        new = unit_text.edit(value.text, variables)
        if new != value.text:
            reported = difference(value.text, new, _UNITS[value.path[-1]])
            operation = patch.replace(*value.path, value=value.written(new))
            yield Change(operation, reported, current=shown(value.text), proposed=shown(new))


def _added(
    obj: Mapping[str, Any], missing: list[str], variables: Mapping[str, str]
) -> Iterator[Change]:
    new = unit_text.fresh(variables)
    has_field = isinstance(obj.get("stringData"), Mapping)
    for number, key in enumerate(missing):
        is_in = has_field or number > 0
        operation = (
            patch.add("stringData", key, value=new)
            if is_in
            else patch.add("stringData", value={key: new})
        )
        yield Change(
            operation,
            f"sets {quoted(variables)} for {_UNITS[key]} in a new drop-in",
            proposed=shown(new),
        )


def _emptied(obj: Mapping[str, Any], field: str, gone: list[Value]) -> Iterator[Change]:
    """Without the keys of which nothing is left; without ``field`` where it held nothing else."""
    units = " and ".join(_UNITS[value.path[-1]] for value in gone)
    message = f"removes the drop-in of {units}, which held nothing but proxy variables"
    current = "\n".join(shown(value.text) for value in gone)
    operations = [patch.remove(*value.path) for value in gone]
    if gone and len(gone) == len(obj[field]):
        operations = [patch.remove(field)]
    yield from (Change(operation, message, current=current) for operation in operations)


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what each of the two texts sets; no option is read here."""
    if not systemd_secret.is_one(lookup(obj, ("metadata", "name"))):
        return
    for value in values(obj):
        key = value.path[-1]
        if isinstance(value, Value) and key in _UNITS:
            place = f"the drop-in of {_UNITS[key]} under `{key}`"
            for one in unit_variables.settings_of(value.text):
                is_lost = one.value is None
                yield Reading(
                    one.name,
                    one.value,
                    value.path,
                    one.raw,
                    place,
                    why_unknown=one.why,
                    is_lost=is_lost,
                )


def options_from(given: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the options, and ``units``: which drop-ins the nodes take from the Secret besides."""
    own = given.get("giantswarmSystemdProxy", {})
    kubelet = given.get(kubelet_drop_in.TARGET.id, {})
    if kubelet.get("enabled", True) and kubelet.get("content") == "Secret":
        return {**own, "units": ("kubelet",)}
    return own


TARGET = Target(
    id="giantswarmSystemdProxy",
    kinds=frozenset({("", "Secret")}),
    audience=Audience.NODE,
    text_hints=("-systemd-proxy",),
    propose=propose,
    observe=observe,
    creates=Creation(beside=frozenset({("cluster.x-k8s.io", "Cluster")}), companions=companions),
    options_from=options_from,
)
