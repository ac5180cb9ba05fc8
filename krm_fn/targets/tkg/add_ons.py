"""The add-ons of Tanzu Kubernetes Grid: the proxy in their data values and in their configuration resources.

Sources: ``vmware-tanzu/tanzu-framework`` release-0.29, ``providers/ytt/02_addons`` (the Secrets), ``providers/yttcb``,
``apis/addonconfigs`` and ``apis/run`` (the configuration resources).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.formats import embedded
from krm_fn.formats.embedded import Value
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, text_at
from krm_fn.places.certificates import write_certificates
from krm_fn.places.mapping_forms import CAMEL, SNAKE
from krm_fn.places.place import Place, WrittenForm
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.products import tkg
from krm_fn.products.tkg import AddOn
from krm_fn.targets.base import Context, Data, Places, Target, Writes

# The schemas of TKG allow texts only.
_SNAKE = SNAKE._replace(is_strict=True)
_CAMEL = CAMEL._replace(is_strict=True)


class AddOns(Target):
    """The proxy in the data values, and in the configuration resources, of the add-ons of one target.

    Example: ``spec`` of a VSphereCPIConfig::

        vsphereCPI: {mode: vsphereCPI}

    becomes::

        vsphereCPI: {mode: vsphereCPI, proxy: {http_proxy: "http://proxy:3128", https_proxy: "http://proxy:3128"}}
    """

    audience = Audience.GO

    def __init__(self, target_id: str) -> None:
        super().__init__(target_id)
        self._add_ons = [add_on for add_on in tkg.ADD_ONS if add_on.target == target_id]
        if any(map(_takes_certificates, self._add_ons)):
            self.writes = Writes.PROXY_AND_TRUST

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places in data values, or in a configuration resource."""
        for add_on in self._add_ons:
            if group_kind(data) == add_on.kind:
                yield from _in_configuration(add_on, data)
        if data.get("kind") == "Secret" and data.get("type") in tkg.ADD_ON_SECRET_TYPES:
            yield from self._in_secret(data, context)

    def _in_secret(self, data: Data, context: Context) -> Places:
        """Yield the texts with data values: those that name an add-on, or else the first one of its own Secret."""
        # The name of the add-on: its label, or its annotation ``<group>/<name>``.
        named = text_at(data, ("metadata", "labels", tkg.ADD_ON_NAME_LABEL))
        annotation = text_at(data, ("metadata", "annotations", tkg.ADD_ON_TYPE_ANNOTATION))
        name = (named or annotation).rpartition("/")[2]
        own = [add_on for add_on in self._add_ons if add_on.name == name]
        called = own or self._add_ons
        label = f"the data values of {' and '.join(add_on.label for add_on in called)}"
        texts = [text for text in embedded.values(data) if text.is_yaml]
        if own and not texts and context.settings.sets_any:
            yield Result(
                "ByHand",
                f"there is no `values.yaml` in it, so {label} get no proxy: add it with what TKG writes there, or "
                "delete the Secret",
                (),
            )
        concerned = [text for text in texts if self._is_marked(text)]
        unmarked = [] if concerned else own
        if unmarked:
            concerned = [text for text in texts if text.path[-1].startswith("values.")]
            del concerned[1:]
        form = YamlText(
            partial(self._in_document, own, unmarked),
            [*self._in_document(own, own, {})],
            empty=f"{called[0].mark}: {{}}",
            is_first_only=bool(unmarked),
        )
        has_trust = _takes_certificates(called[0])
        may_be_own = own or not name
        for text in texts:
            is_reported = text.problem and may_be_own
            if is_reported or text in concerned:
                place = text_place(text, form, label)
                yield place._replace(is_unconditional=has_trust)

    def _is_marked(self, value: Value) -> bool:
        """Return whether a text holds data values of one of the add-ons."""
        for document in embedded.mappings(value):
            for add_on in self._add_ons:
                if add_on.mark in document:
                    return True
        return False

    def _in_document(
        self, own: list[AddOn], unmarked: list[AddOn], document: Any
    ) -> Iterator[Place]:
        """Yield the places in a document: of the add-ons that it names, or of those that it may be of without."""
        for add_on in unmarked or self._add_ons:
            if unmarked or add_on.mark in document:
                yield from _in_values(add_on, document, is_own=add_on in own)


def _takes_certificates(add_on: AddOn) -> bool:
    """Return whether certificates to trust can stand beside the proxy."""
    return add_on.target == "tkg.kappController"


def _in_configuration(add_on: AddOn, data: Data) -> Iterator[Place]:
    """Yield the places in the configuration resource of an add-on."""
    # Where vSphere itself runs Kubernetes, the add-on reads no proxy.
    if text_at(data, ("spec", add_on.mark, "mode")).startswith("vsphereParavirtual"):
        return
    names = _SNAKE if add_on.target == "tkg.vsphereCPI" else _CAMEL
    keep = 1 if _takes_certificates(add_on) else 2
    label = f"the configuration of {add_on.label}"
    path = ("spec", add_on.mark, *add_on.inside)
    yield from _with_certificates(add_on, Place(path, names, label, keep))


def _in_values(add_on: AddOn, document: Any, *, is_own: bool) -> Iterator[Place]:
    """Yield the places in a document of data values.

    ``is_own``: the Secret is that of the add-on, so its mapping goes when nothing is left in it.
    """
    path: Pointer = (add_on.mark,)
    names = _SNAKE
    if add_on.target == "tkg.pinniped":
        # In a workload cluster Pinniped speaks to the supervisor alone.
        if document.get("tkg_cluster_role") == "workload":
            return
        path = ()
    elif _takes_certificates(add_on):
        path = (add_on.mark, *add_on.inside)
        names = _CAMEL
    keep = 0 if is_own and len(document) > 1 else 1
    label = f"the data values of {add_on.label}"
    yield from _with_certificates(add_on, Place(path, names, label, keep))


def _with_certificates(add_on: AddOn, place: Place) -> Iterator[Place]:
    """Yield the place of the proxy, and that of the certificates in the same mapping."""
    yield place
    if _takes_certificates(add_on):
        path = (*place.path, "caCerts")
        form = WrittenForm(write_certificates)
        yield Place(path, form, "`caCerts`", place.kept_steps, is_unconditional=True)
