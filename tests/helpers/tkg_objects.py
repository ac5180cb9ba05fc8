"""Objects of Tanzu Kubernetes Grid, as its ytt templates and its controllers make them."""

from __future__ import annotations

from typing import Any

HEADER = "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\n"


def secret(
    text: Any = None,
    *,
    addon: str = "",
    kind: Any = "tkg.tanzu.vmware.com/addon",
    key: str = "values.yaml",
    **more: Any,
) -> dict[str, Any]:
    """A Secret with data values: ``text``, and what ``more`` says besides; ``addon`` is the name in its label."""
    labels = {"labels": {"tkg.tanzu.vmware.com/addon-name": addon}} if addon else {}
    data = {"stringData": {key: text}} if text is not None else {}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "cluster-addon", "namespace": "default", **labels},
        "type": kind,
        **data,
        **more,
    }


def config(kind: str, group: str, **spec: Any) -> dict[str, Any]:
    """A configuration resource with that ``spec``."""
    return {"apiVersion": f"{group}/v1alpha1", "kind": kind, "metadata": {"name": "cluster"}, "spec": spec}


def text_of(obj: Any, key: str = "values.yaml") -> str:
    """The data values of a Secret."""
    text: str = obj["stringData"][key]
    return text
