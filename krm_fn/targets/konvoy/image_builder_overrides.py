"""Overrides of Konvoy Image Builder: the proxy of pre-provisioned machines while Konvoy installs what nodes need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.documents import TextDraft
from krm_fn.carriers.site import Site
from krm_fn.carriers.whole_text import WholeText
from krm_fn.clusters import has_suffix
from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value, values
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.products import konvoy
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, FileForm, NodeUpdate, Reach, Target
from krm_fn.targets.konvoy import image_builder_keys

_KEY = "overrides.yaml"
_MOVE = {"clusterctl.cluster.x-k8s.io/move": ""}


def companions(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the Secret of a pre-provisioned Cluster that gets a proxy; ``sites`` fills it."""
    name = lookup(obj, ("metadata", "name"))
    is_ours = lookup(obj, ("spec", "infrastructureRef", "kind")) == "PreprovisionedCluster"
    if settings.sets_any and is_ours and isinstance(name, str) and name:
        yield created_objects.skeleton(
            "Secret", name + konvoy.USER_OVERRIDES_SUFFIX, obj, labels=_MOVE, type="Opaque"
        )


def _texts(obj: Mapping[str, Any]) -> list[Value | Finding]:
    """Return the texts that hold overrides, and findings.

    A Secret that this program created has its own text.
    """
    name = lookup(obj, ("metadata", "name"))
    if not has_suffix(name, konvoy.USER_OVERRIDES_SUFFIX):
        return []
    found = [
        one for one in values(obj) if len(one.path) == 1 or one.path[-1].endswith((".yaml", ".yml"))
    ]
    return found or ([Value(("stringData", _KEY), "")] if created_objects.was_created(obj) else [])


def _sites_of_file(draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    yield from image_builder_keys.sites(draft)


class _ImageBuilderOverrides(Target):
    id = "imageBuilderOverrides"
    kinds = frozenset({("", "Secret")})
    audience = Audience.NODE
    file = FileForm(audience, _sites_of_file)
    creates = created_objects.beside_clusters(companions)
    reach = Reach.ROLES
    node_update = NodeUpdate(
        is_rolled=False, why="Konvoy reads the overrides once, when it sets a machine up"
    )

    def sites(self, draft: Draft, context: Context) -> Iterator[WholeText]:
        """Yield the overrides in a Secret: those under `overrides.yaml`, and others that name a proxy."""
        is_created = created_objects.was_created(draft.data)
        for value in _texts(draft.data):
            if isinstance(value, Finding):
                draft.findings.append(value)
                continue
            text = TextDraft(draft, value, empty=("{}",))
            documents = text.documents()
            if isinstance(documents, Finding):
                draft.findings.append(documents)
                continue
            first = documents[0].draft.data if documents else None
            if value.path[-1] == _KEY or image_builder_keys.is_there(first):
                yield WholeText(
                    text,
                    documents,
                    image_builder_keys.sites,
                    is_created=is_created,
                    is_ours=is_created,
                )


TARGET = _ImageBuilderOverrides()
