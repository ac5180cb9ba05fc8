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
from krm_fn.light_typing import Any, GroupKind, NamedTuple
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, text_at
from krm_fn.places.certificates import CertificateText
from krm_fn.places.mapping_forms import CAMEL, SNAKE
from krm_fn.places.place import Place
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.products import tkg
from krm_fn.targets.base import Context, Data, Places, Target

_NO_VALUES = "there is no `values.yaml` in it, so {label} get no proxy: add it with what TKG writes there, or delete the Secret"  # noqa: E501


# The schemas of TKG allow texts only.
_SNAKE = SNAKE._replace(is_strict=True)
_CAMEL = CAMEL._replace(is_strict=True)


class AddOn(NamedTuple):
    """One add-on.

    Attributes:
        target: the ID of its target.
        name: the one in label and annotation of its Secret.
        label: its name in messages.
        mark: a document with this member holds its data values; ``spec`` of its configuration resource has it, too.
        kind: its configuration resource, if it has one.
        inside: the way from the mark to the members of the proxy there.
    """

    target: str
    name: str
    label: str
    mark: str
    kind: GroupKind | None = None
    inside: Pointer = ()

    @property
    def takes_certificates(self) -> bool:
        """Whether certificates to trust can stand beside the proxy."""
        return self.name == tkg.KAPP_CONTROLLER

    def in_configuration(self, data: Data) -> Iterator[Place]:
        """Yield the places in its configuration resource."""
        # Where vSphere itself runs Kubernetes, the add-on reads no proxy.
        if text_at(data, ("spec", self.mark, "mode")).startswith("vsphereParavirtual"):
            return
        names = _SNAKE if self.name == tkg.VSPHERE_CPI else _CAMEL
        keep = 1 if self.takes_certificates else 2
        label = f"the configuration of {self.label}"
        yield from self._places(Place(("spec", self.mark, *self.inside), names, label, keep))

    def in_document(self, document: Any, *, is_own: bool) -> Iterator[Place]:
        """Yield the places in a document of data values.

        ``is_own``: the Secret is that of the add-on, so its mapping goes when nothing is left in it.
        """
        path: Pointer = (self.mark,)
        names = _SNAKE
        if self.name == tkg.PINNIPED:
            # In a workload cluster Pinniped speaks to the supervisor alone.
            if document.get("tkg_cluster_role") == "workload":
                return
            path = ()
        elif self.takes_certificates:
            path = (self.mark, *self.inside)
            names = _CAMEL
        keep = 0 if is_own and len(document) > 1 else 1
        yield from self._places(Place(path, names, f"the data values of {self.label}", keep))

    def _places(self, place: Place) -> Iterator[Place]:
        """Yield the place of the proxy, and that of the certificates in the same mapping."""
        yield place
        if self.takes_certificates:
            path = (*place.path, "caCerts")
            form = CertificateText()
            yield Place(path, form, "`caCerts`", place.kept_steps, is_unconditional=True)


_CLOUD = "tkg.cloudCSI"
ADD_ONS = (
    AddOn(
        "tkg.vsphereCPI",
        tkg.VSPHERE_CPI,
        "vSphere CPI",
        "vsphereCPI",
        tkg.VSPHERE_CPI_CONFIG,
        ("proxy",),
    ),
    AddOn(
        "tkg.vsphereCSI",
        tkg.VSPHERE_CSI,
        "vSphere CSI",
        "vsphereCSI",
        tkg.VSPHERE_CSI_CONFIG,
        ("config",),
    ),
    AddOn(
        "tkg.kappController",
        tkg.KAPP_CONTROLLER,
        "kapp-controller",
        "kappController",
        tkg.KAPP_CONTROLLER_CONFIG,
        ("config",),
    ),
    AddOn("tkg.pinniped", tkg.PINNIPED, "Pinniped", "pinniped"),
    AddOn(_CLOUD, tkg.AWS_EBS_CSI, "the AWS EBS driver", "awsEBSCSIDriver", tkg.AWS_EBS_CSI_CONFIG),
    AddOn(
        _CLOUD,
        tkg.AZURE_DISK_CSI,
        "the Azure Disk driver",
        "azureDiskCSIDriver",
        tkg.AZURE_DISK_CSI_CONFIG,
    ),
    AddOn(
        _CLOUD,
        tkg.AZURE_FILE_CSI,
        "the Azure File driver",
        "azureFileCSIDriver",
        tkg.AZURE_FILE_CSI_CONFIG,
    ),
)


class _AddOns(Target):
    """The proxy in the data values, and in the configuration resources, of the add-ons of one target.

    Example: ``spec`` of a VSphereCPIConfig::

        vsphereCPI: {mode: vsphereCPI}

    becomes::

        vsphereCPI: {mode: vsphereCPI, proxy: {http_proxy: "http://proxy:3128", https_proxy: "http://proxy:3128"}}
    """

    audience = Audience.GO

    def __init__(self, target_id: str) -> None:
        super().__init__(target_id)
        self._add_ons = [add_on for add_on in ADD_ONS if add_on.target == target_id]

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places in data values, or in a configuration resource."""
        for add_on in self._add_ons:
            if group_kind(data) == add_on.kind:
                yield from add_on.in_configuration(data)
        if data.get("kind") == "Secret" and data.get("type") in tkg.ADD_ON_SECRET_TYPES:
            yield from self._in_secret(data, context)

    def _in_secret(self, data: Data, context: Context) -> Places:
        """Yield the texts with data values: those that name an add-on, or else the first one of its own Secret."""
        name = _name_of_add_on(data)
        own = [add_on for add_on in self._add_ons if add_on.name == name]
        called = own or self._add_ons
        label = f"the data values of {' and '.join(add_on.label for add_on in called)}"
        texts = [text for text in embedded.values(data) if text.is_yaml]
        if own and not texts and context.settings.sets_any:
            yield Result.of("ByHand", _NO_VALUES.format(label=label), ())
        concerned = [text for text in texts if self._is_marked(text)]
        unmarked = [] if concerned else own
        if unmarked:
            concerned = [text for text in texts if text.path[-1].startswith("values.")][:1]
        form = YamlText(
            partial(self._in_document, own, unmarked),
            [*self._in_document(own, own, {})],
            empty=f"{called[0].mark}: {{}}",
            is_first_only=bool(unmarked),
        )
        has_trust = called[0].takes_certificates
        for text in texts:
            if text in concerned or (text.problem and (own or not name)):
                yield text_place(text, form, label)._replace(is_unconditional=has_trust)

    def _is_marked(self, text: Value) -> bool:
        """Return whether a text holds data values of one of the add-ons."""
        for document in embedded.mappings(text):
            for add_on in self._add_ons:
                if add_on.mark in document.data:
                    return True
        return False

    def _in_document(
        self, own: list[AddOn], unmarked: list[AddOn], document: Any
    ) -> Iterator[Place]:
        """Yield the places in a document: of the add-ons that it names, or of those that it may be of without."""
        for add_on in unmarked or self._add_ons:
            if unmarked or add_on.mark in document:
                yield from add_on.in_document(document, is_own=add_on in own)


def _name_of_add_on(data: Data) -> str:
    """Return the name of the add-on whose Secret it is, "" for none: its label, or its annotation ``<group>/<name>``."""  # noqa: E501
    label = text_at(data, ("metadata", "labels", tkg.ADD_ON_NAME_LABEL))
    annotation = text_at(data, ("metadata", "annotations", tkg.ADD_ON_TYPE_ANNOTATION))
    return (label or annotation).rpartition("/")[2]


TARGET = _AddOns
