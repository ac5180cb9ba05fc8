"""Overrides of Konvoy Image Builder: the proxy of pre-provisioned machines while Konvoy installs packages.

Both places that the playbooks read are written: `proxy_env`, the environment of Ansible's own tasks, and the three names
at the top, without which containerd gets no drop-in while provisioning. Source: the Konvoy document;
mesosphere/konvoy-image-builder, ``ansible/roles/containerd/tasks/main.yaml``.
"""  # noqa: E501

from __future__ import annotations

from krm_fn.clusters import name_before
from krm_fn.formats import embedded
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup, text_at
from krm_fn.places.mapping_forms import SNAKE, VariableMembers
from krm_fn.places.place import Place
from krm_fn.places.provided import name_of, namespace_of
from krm_fn.places.text_forms import YamlText, new_text, text_place
from krm_fn.products import konvoy
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import (
    Context,
    Data,
    FileForm,
    NewObjects,
    NodeUpdate,
    Options,
    Places,
    Reach,
    Target,
)

_KEY = "overrides.yaml"
_MOVE = {"clusterctl.cluster.x-k8s.io/move": ""}
# The six names as the document's own file has them.
_ORDER = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy")
_ENVIRONMENT = Place((konvoy.PROXY_ENV,), VariableMembers(_ORDER), f"`{konvoy.PROXY_ENV}`")
_TOP = Place((), SNAKE._replace(in_unit=True), "the override file")


def _places(document: Any) -> Places:
    """Yield both places; only the first where it cannot be written: a machine would get one half."""
    yield _ENVIRONMENT
    if isinstance(document.get(konvoy.PROXY_ENV), (dict, type(None))):
        yield _TOP


def _is_there(value: embedded.Value) -> bool:
    """Return whether the first document of a text sets one of the names already."""
    for document in embedded.mappings(value):
        environment = lookup(document, _ENVIRONMENT.path)
        names = {*document, *(environment if isinstance(environment, dict) else ())}
        return not names.isdisjoint(_ORDER)
    return False


class ImageBuilderOverrides(Target):
    """The override file of a pre-provisioned cluster.

    Example: the text ``overrides.yaml`` of the Secret "c1-user-overrides" becomes::

        proxy_env:
          HTTPS_PROXY: http://proxy:3128
        https_proxy: http://proxy:3128
    """

    audience = Audience.NODE
    file = FileForm(audience, lambda settings, document: _places(document))  # noqa: ARG005
    reach = Reach.ROLES
    node_update = NodeUpdate(
        is_rolled=False, why="Konvoy reads the overrides once, when it sets a machine up"
    )

    def companions(self, data: Data, settings: ProxySettings, options: Options) -> NewObjects:
        """Yield the Secret of a pre-provisioned Cluster that gets a proxy; ``places`` fills it."""
        name = name_of(data)
        kind = text_at(data, ("spec", "infrastructureRef", "kind"))
        if settings.sets_any and kind == "PreprovisionedCluster" and name:
            own = name + konvoy.USER_OVERRIDES_SUFFIX
            yield created_objects.skeleton("Secret", own, namespace_of(data), _MOVE)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the overrides in a Secret: those under `overrides.yaml`, and others that name a proxy."""
        if not name_before(name_of(data), (konvoy.USER_OVERRIDES_SUFFIX,)):
            return
        texts = [text for text in embedded.values(data) if text.is_yaml]
        if not texts and created_objects.was_created(data):
            texts = [new_text(data, _KEY)]
        for text in texts:
            if text.problem or text.path[-1] == _KEY or _is_there(text):
                yield text_place(text, YamlText(_places, (_ENVIRONMENT, _TOP)), "the overrides")
