"""The Secret ``<cluster>-systemd-proxy`` with the drop-ins of nodes."""

from __future__ import annotations

from krm_fn.config import TargetOptions
from krm_fn.formats import embedded
from krm_fn.noproxy import Audience
from krm_fn.patch import text_at
from krm_fn.places import cluster_secret
from krm_fn.places.drop_ins import UnitText
from krm_fn.places.provided import name_of, namespace_of
from krm_fn.places.text_forms import new_text, text_place
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, Data, NewObjects, Options, Places, Target


class SystemdProxy(Target):
    """The drop-ins of nodes in the Secret of a Cluster.

    Example: ``stringData`` of the Secret "gs1-systemd-proxy" gets under ``containerdProxy``::

        [Service]
        Environment="HTTP_PROXY=http://proxy:3128"
    """

    audience = Audience.NODE

    def companions(self, data: Data, settings: ProxySettings, options: Options) -> NewObjects:
        """Yield the Secret of a Cluster; ``places`` fills it."""
        cluster = name_of(data)
        if cluster:
            name = cluster_secret.name_for(cluster)
            label = giantswarm.CLUSTER_LABEL
            labels = {label: cluster} if text_at(data, ("metadata", "labels", label)) else {}
            yield created_objects.skeleton("Secret", name, namespace_of(data), labels)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the drop-ins that are there, and those that the nodes take from the Secret."""
        if not cluster_secret.is_name(name_of(data)):
            return
        texts = {text.path[-1]: text for text in embedded.values(data)}
        unread = [text for text in texts.values() if len(text.path) == 1]
        if unread:
            yield text_place(unread[0], UnitText(), "the drop-ins of the nodes")
            return
        is_created = created_objects.was_created(data)
        for unit, key in cluster_secret.KEYS.items():
            text = texts.get(key)
            is_read = is_created or unit == "containerd" or context.options.get("kubelet")
            if text is None and context.settings.sets_any and is_read:
                text = new_text({"kind": "Secret"}, key)
            if text is not None:
                yield text_place(text, UnitText(), f"the drop-in of {unit} under `{key}`")

    def options(self, all_options: TargetOptions) -> Options:
        """Return the options, and ``kubelet``: whether the nodes take its drop-in from the Secret, too."""
        kubelet = all_options.given_for("nodes.kubelet")
        is_used = all_options.is_on("nodes.kubelet") and text_at(kubelet, "content") == "Secret"
        return {**super().options(all_options), "kubelet": is_used}
