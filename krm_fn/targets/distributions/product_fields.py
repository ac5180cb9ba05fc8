"""The targets of all products of ``products/distributions.py``, whose rows say where each takes its proxy.

Two products have a rule of their own. The snap of Canonical Kubernetes is installed before snapd knows the proxy
(``canonical/cluster-api-k8s`` ``pkg/cloudinit``): ``configure-proxy.sh`` writes ``/etc/environment``, which snapd
has read when it started; ``install.sh`` runs behind ``preRunCommands``, unless the nodes are ``airGapped``. Crossplane
wants a selector beside the containers of a DeploymentRuntimeConfig.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer, items_at, list_at, lookup, text_at
from krm_fn.places.certificates import write_certificates
from krm_fn.places.containers import EnvEntries
from krm_fn.places.mapping_forms import HostAndPort, Members, NamedItem, one_member
from krm_fn.places.place import Form, Place, WrittenForm
from krm_fn.places.provided import DataUses, name_of
from krm_fn.products import proxy_keys
from krm_fn.products.distributions import (
    CA_CONFIG_MAP,
    OF_KIND,
    PRODUCTS,
    DistributionRow,
    target_rows,
)
from krm_fn.settings import ProxySettings
from krm_fn.target_table import part_of
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, Data, NewObjects, Options, Places, Target, Writes
from krm_fn.targets.distributions.limits import find_refusal


class Distribution(Target):
    """The proxy in the fields of one product.

    Example: ``spec`` of OpenShift's Proxy "cluster"::

        {noProxy: ""}

    becomes::

        {httpProxy: "http://proxy:3128", httpsProxy: "http://proxy:3128", noProxy: "10.0.0.0/8"}
    """

    def __init__(self, target_id: str) -> None:
        super().__init__(target_id)
        product = PRODUCTS[target_id]
        self._product = product
        self.audience = Audience.NODE
        if product.completes_the_list:
            self.audience = Audience.PRODUCT
        elif not product.has_nodes:
            self.audience = Audience.POD
        for row in target_rows(target_id):
            if row.bundle or row.encoded_bundle:
                self.writes = Writes.PROXY_AND_TRUST

    def readers(self, data: Data, options: Options, uses: DataUses) -> Readers:
        """Return who reads the list in an object."""
        for row in OF_KIND.get(group_kind(data), ()):
            if row.needs_whole_list:
                return Readers(Audience.NODE)
        return Readers(self.audience, self._product.names)

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places of the rows, or an error for each if the product does not take the settings."""
        settings = context.settings
        if group_kind(data) == ("", "ConfigMap"):
            if name_of(data) == CA_CONFIG_MAP:
                yield created_objects.trusted_config_map()
            return
        problem = find_refusal(self.id, settings)
        for row in _fitting(data):
            # The API server refuses a change once the object exists, so it is written on request only.
            if row.is_immutable and context.options.get(part_of(self.id)) is not True:
                continue
            for path in _paths(data, row):
                if problem:
                    yield Result("CannotWrite", problem, path)
                    continue
                # The selector stays where the Deployment holds more than variables of one container.
                if row.container and (settings.sets_any or _is_only_ours(data)):
                    yield Place((*_DEPLOYMENT, "selector"), one_member(_selector), "`selector`")
                place = Place(path, _form(row), f"`{row.field}`", row.keep)
                yield place
                if self.id == "distributions.canonicalKubernetes":
                    yield from _check_snap(data, path, settings)
                yield from _certificates(data, path, row, settings)
                if row.is_immutable and _is_changed(data, place, settings):
                    yield Result(
                        "ProviderRefuses",
                        "the API server takes no other proxy for an object that exists: create the cluster again, "
                        "or leave it out with `spec.selector.exclude`",
                        path,
                    )

    def companions(self, data: Data, settings: ProxySettings, options: Options) -> NewObjects:
        """Yield the ConfigMap with the certificates, where an object is to name the one of inject-proxy."""
        for row in _fitting(data):
            if not row.trusted_ca or not settings.trusted_ca.pem:
                continue
            if text_at(data, (*row.path, "trustedCA", "name")) in ("", CA_CONFIG_MAP):
                yield created_objects.skeleton("ConfigMap", CA_CONFIG_MAP, _namespace(data, row))


def _fitting(data: Data) -> Iterator[DistributionRow]:
    """Yield the rows that say where an object keeps its proxy."""
    name = name_of(data)
    _, _, version = text_at(data, "apiVersion").partition("/")
    for row in OF_KIND.get(group_kind(data), ()):
        if row.versions and version not in row.versions:
            continue
        if row.name in ("", name):
            yield row


def _paths(data: Data, row: DistributionRow) -> list[Pointer]:
    """Return where in an object the place of a row is."""
    if "*" not in row.path:
        return [row.path]
    at = row.path.index("*")
    (member, value) = row.item
    return [
        (*path, *row.path[at + 1 :])
        for path, item in items_at(data, row.path[:at])
        if lookup(item, member) == value
    ]


def _form(row: DistributionRow) -> Form:
    """Return the form of a place."""
    if row.container:
        return NamedItem(row.container, ("env",), EnvEntries())
    if not row.keys:
        return EnvEntries(proxy_keys.UPPER)
    if row.has_one_proxy:
        return HostAndPort(row.keys[0], row.keys[2])
    keys = zip(proxy_keys.UPPER, row.keys, strict=True)
    steps = {variable: tuple(key.split(".")) for variable, key in keys}
    last = "trustedCA" if row.trusted_ca else row.encoded_bundle
    return Members(steps, row.is_list, is_strict=True, last=last, secret=row.secret)


def _certificates(
    data: Data, path: Pointer, row: DistributionRow, settings: ProxySettings
) -> Places:
    """Yield the place of the certificates that belong to the mapping at a path."""
    member = row.bundle or row.encoded_bundle
    if member:
        above = path[:-1] if row.bundle else path
        form = WrittenForm(partial(write_certificates, is_base64=not row.bundle))
        yield Place((*above, member), form, f"`{member}`", is_unconditional=True)
    if row.trusted_ca:
        named = (*path, "trustedCA", "name")
        yield Place(named, one_member(_name_of_bundle), "`trustedCA`", is_unconditional=True)
        other = text_at(data, named)
        if not settings.trusted_ca.pem or other in ("", CA_CONFIG_MAP):
            return
        source = settings.trusted_ca.config_map or ("", "")
        if source[:2] != (_namespace(data, row), other):
            yield Result(
                "ByHand",
                "names another ConfigMap, which stays: put the certificates of `spec.trustedCA` there",
                named,
            )


def _name_of_bundle(settings: ProxySettings, old: Any) -> Any:
    """Return the name of the ConfigMap with certificates: ours, unless somebody named another one."""
    if old not in (None, "", CA_CONFIG_MAP):
        return old
    if settings.trusted_ca.pem:
        return CA_CONFIG_MAP
    return None if old == CA_CONFIG_MAP else old


def _namespace(data: Data, row: DistributionRow) -> str:
    """Return the namespace of the ConfigMap that an object names."""
    if row.trusted_ca == "*":
        return text_at(data, ("metadata", "namespace"))
    return row.trusted_ca


def _is_changed(data: Data, place: Place, settings: ProxySettings) -> bool:
    """Return whether a proxy that is there gives way to another, or to none."""
    if not settings.is_declared:
        return False
    there = {reading.variable: reading.value for reading in place.form.read(data, place)}
    return bool(there) and there != settings.variables


_SET = "snap set system proxy"


def _check_snap(data: Data, path: Pointer, settings: ProxySettings) -> Results:
    """Yield a warning where no command of the configuration at a path tells snapd the proxy."""
    if not settings.sets_any or lookup(data, (*path, "airGapped")) is True:
        return
    commands = (*path, "preRunCommands")
    if _SET not in str(list_at(data, commands)):
        yield Result(
            "NetworkBeforeProxy",
            f"`snap install` runs before snapd knows the proxy: begin with `{_SET}.http=… proxy.https=…`",
            commands,
        )


_DEPLOYMENT = ("spec", "deploymentTemplate", "spec")


def _is_only_ours(data: Data) -> bool:
    """Return whether a Deployment holds nothing but variables of one container."""
    containers = list_at(data, (*_DEPLOYMENT, "template", "spec", "containers"))
    members = [list(container) for container in containers if isinstance(container, dict)]
    return members == [["name", "env"]]


def _selector(settings: ProxySettings, old: Any) -> Any:
    """Return an empty selector where there is none; it goes with the containers."""
    if settings.sets_any:
        return {} if old is None else old
    return old or None
