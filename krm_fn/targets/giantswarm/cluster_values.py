"""Values of a Giant Swarm cluster: the proxy that its apps get from the Secret ``<cluster>-cluster-values``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from krm_fn.carriers.documents import TextDraft
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables
from krm_fn.carriers.three_keys import SHORT, SNAKE, ThreeKeys
from krm_fn.carriers.whole_text import WholeText
from krm_fn.clusters import has_suffix
from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value, values
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Target
from krm_fn.targets.created_objects import beside_clusters, skeleton, was_created
from krm_fn.targets.giantswarm.values_env import ValuesEnv, has_variables

_KEY = "values"
_ENV = ("env",)
_PROXY = ThreeKeys(giantswarm.CLUSTER_PROXY, SHORT, "`cluster.proxy`", kept=0)
_ROOT = ThreeKeys((), SNAKE, "the values")
_PRIVATE = ("cluster", "private")


def _sites(draft: Draft, *, is_secret: bool, is_created: bool) -> Iterator[Site]:
    """Yield the three places of a Secret, and of a ConfigMap those that are there."""
    if is_secret or _PROXY.is_in(draft.data):
        yield _PROXY.in_draft(draft)
    if is_secret or has_variables(draft.data, _ENV):
        yield ValuesEnv(draft, _ENV)
    if is_secret or _ROOT.is_in(draft.data):
        yield _ROOT.in_draft(draft)
    if is_created and not is_secret:
        yield _Private(draft)


class _Private(SiteWithoutVariables):
    """What a ConfigMap that was created says, as a site: that the cluster is behind a proxy."""

    label = "`cluster`"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, variables: Variables) -> None:
        """Set `private`, unless its author did, or remove it."""
        old = self._draft.get(_PRIVATE)
        cluster = self._draft.get(_PRIVATE[:1], {})
        if variables and old is None and isinstance(cluster, dict):
            self._draft.set(_PRIVATE, value=True)
            self._draft.describe("sets `private` of `cluster`")
        elif not variables and old is True:
            self._draft.remove(_PRIVATE)
            self._draft.describe("removes `private` of `cluster`")


def companions(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the Secret and the ConfigMap of a Cluster with a proxy; ``sites`` fills them."""
    name = lookup(obj, ("metadata", "name"))
    if settings.sets_any and isinstance(name, str) and name:
        labels = {giantswarm.CLUSTER_LABEL: name}
        yield skeleton(
            "Secret", name + giantswarm.CLUSTER_VALUES_SUFFIX, obj, labels=labels, type="Opaque"
        )
        yield skeleton("ConfigMap", name + giantswarm.CLUSTER_VALUES_SUFFIX, obj, labels=labels)


def _is_ours(obj: Mapping[str, Any]) -> bool:
    name = lookup(obj, ("metadata", "name"))
    return has_suffix(name, giantswarm.CLUSTER_VALUES_SUFFIX)


def _text(obj: Mapping[str, Any]) -> Value | Finding:
    """Return the text of the values, or a finding; a missing text is empty."""
    for one in values(obj):
        if one.path[1:] in ((), (_KEY,)):
            return one
    is_encoded = obj.get("kind") == "Secret" and "data" in obj and "stringData" not in obj
    field = "data" if is_encoded or obj.get("kind") == "ConfigMap" else "stringData"
    return Value((field, _KEY), "", is_base64=is_encoded)


class _GiantswarmClusterValues(Target):
    id = "giantswarmClusterValues"
    kinds = frozenset({("", "Secret"), ("", "ConfigMap")})
    audience = Audience.POD
    creates = beside_clusters(companions)

    def sites(self, draft: Draft, context: Context) -> Iterator[WholeText]:
        """Yield the values of a cluster in its Secret or ConfigMap."""
        obj = draft.data
        if not _is_ours(obj):
            return
        value = _text(obj)
        if isinstance(value, Finding):
            draft.findings.append(value)
            return
        text = TextDraft(draft, value, empty=("{}",))
        documents = text.documents()
        if isinstance(documents, Finding):
            draft.findings.append(documents)
            return
        is_secret, is_created = obj.get("kind") == "Secret", was_created(obj)
        yield WholeText(
            text,
            documents,
            partial(_sites, is_secret=is_secret, is_created=is_created),
            is_created=is_created,
            is_ours=is_secret or is_created,
        )


TARGET = _GiantswarmClusterValues()
