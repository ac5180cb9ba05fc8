"""Values of a Giant Swarm cluster: the proxy that its apps get from the Secret ``<cluster>-cluster-values``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.clusters import name_before
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.places.mapping_forms import SHORT, SNAKE, one_member
from krm_fn.places.place import Place
from krm_fn.places.provided import name_of, namespace_of
from krm_fn.places.text_forms import YamlText, text_of, text_place
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, NewObjects, Options, Places, Target
from krm_fn.targets.created_objects import skeleton, was_created
from krm_fn.targets.giantswarm.helm_values import ENV, is_present

_PLACES = (
    Place(giantswarm.CLUSTER_PROXY, SHORT, "`cluster.proxy`"),
    Place(("env",), ENV, "`env`"),
    Place((), SNAKE, "the values"),
)


def _in_config_map(document: Any, *, is_created: bool) -> Iterator[Place]:
    """Yield the places that are there, and in a ConfigMap of ours that the cluster is behind a proxy."""
    for place in _PLACES:
        if is_present(document, place):
            yield place
    if is_created:
        yield Place(("cluster", "private"), one_member(_private), "`private` of `cluster`")


def _private(settings: ProxySettings, old: Any) -> Any:
    """Return whether the cluster is private, unless its author says so."""
    if settings.sets_any:
        return True if old is None else old
    return None if old is True else old


class ClusterValues(Target):
    """The Secret and the ConfigMap with the values of a cluster for its apps.

    Example: the text ``values`` of the Secret "gs1-cluster-values" becomes::

        cluster:
          proxy: {http: "http://proxy:3128", https: "http://proxy:3128", noProxy: "10.0.0.0/8"}
    """

    audience = Audience.POD

    def companions(self, data: Data, settings: ProxySettings, options: Options) -> NewObjects:
        """Yield the Secret and the ConfigMap of a Cluster with a proxy; ``places`` fills them."""
        name = name_of(data)
        if settings.sets_any and name:
            labels = {giantswarm.CLUSTER_LABEL: name}
            own = name + giantswarm.CLUSTER_VALUES_SUFFIX
            for kind in ("Secret", "ConfigMap"):
                yield skeleton(kind, own, namespace_of(data), labels)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the text with the values of a cluster."""
        if not name_before(name_of(data), (giantswarm.CLUSTER_VALUES_SUFFIX,)):
            return
        value = text_of(data, "values")
        if data.get("kind") == "Secret":
            yield text_place(value, YamlText(lambda document: _PLACES, _PLACES), "the values")  # noqa: ARG005
        else:
            places = partial(_in_config_map, is_created=was_created(data))
            yield text_place(value, YamlText(places, list(places({}))), "the values")
