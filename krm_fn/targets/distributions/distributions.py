"""The targets of all products of ``products/distributions.py``, whose rows say where each takes its proxy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from urllib.parse import urlsplit

from krm_fn import placeholders
from krm_fn.carriers import credential_secret
from krm_fn.carriers.certificate_text import (
    CertificateText,
    each_marked,
    each_marked_in_base64,
)
from krm_fn.carriers.data_uses import DataUses
from krm_fn.carriers.env_list import OVERRIDE, ObjectEnvList, correct
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables, correct_sites
from krm_fn.carriers.three_keys import Keys, ThreeKeys
from krm_fn.config import Certificates
from krm_fn.engine import Draft
from krm_fn.krm.proxy_values import shown_url
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.printable import HIDDEN
from krm_fn.products import proxy_keys
from krm_fn.products.distributions import (
    CA_CONFIG_MAP,
    FILES,
    OF_KIND,
    PRODUCTS,
    ROWS,
    DistributionRow,
    ListItem,
    Product,
    has_config_map,
)
from krm_fn.products.proxy_keys import CREDENTIAL_SECRET
from krm_fn.proxy_url import split_url
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, Creation, Data, FileForm, Options, Target, Writes
from krm_fn.targets.distributions.host_and_port import HostAndPort, is_one
from krm_fn.targets.trusted_config_map import KEY, TrustedConfigMap

_CONFIG_MAP = ("", "ConfigMap")
_NAME = ("trustedCA", "name")
_NAMES = {" ": "a blank", "\t": "a blank", "`": "a back-quote"}
"""What messages call a character that cannot stand between back-quotes."""


class _CheckedSite:
    """One place of an object, as a site that writes nothing which its product would not take.

    Args:
        draft: the data of the object.
        path: leads to the mapping, or to the list.
        place: the same as a site that writes anything.
        row: what the table says of it.
    """

    def __init__(self, draft: Draft, path: Pointer, place: Site, row: DistributionRow) -> None:
        self._draft = draft
        self._path = path
        self._place = place
        self._row = row
        self.label = place.label

    @property
    def can_change(self) -> bool:
        """Whether what is there can be changed."""
        return not self._row.is_immutable

    @property
    def is_env(self) -> bool:
        """Whether it is a list of variables."""
        return self._row.is_env

    def read(self) -> Iterator[Reading]:
        """Yield what the place says, without what a Secret adds to it; beside one a text that is no URL is not known.

        What a product knows in upper case only counts for both cases: its programs read no other.
        """
        found = list(self._place.read())
        for one in found:
            is_hidden = self._secret_of(one.path) is not None and shown_url(one.raw) == HIDDEN
            yield credential_secret.completed(one) if is_hidden else one
        names = {one.variable for one in found}
        for one in found if PRODUCTS[self._row.target].is_upper_case else ():
            twin = one.variable.lower()
            if twin not in names:
                yield one._replace(variable=twin, member=one.variable)

    def read_with_secrets(self) -> Iterator[Reading]:
        """Yield what the place says to its reader: a URL whose user and password are in a Secret is not known."""
        for one in self.read():
            yield one if self._secret_of(one.path) is None else credential_secret.completed(one)

    def write(self, variables: Variables) -> None:
        """Set or remove the variables; report a value that the product does not take, and change nothing then.

        Raises:
            WrongTypeError: something else than a mapping or a list is at the path or on the way to it.
        """
        if self._row.has_secret:
            variables = self._without_credentials(variables)
            self._report_secrets_left(variables)
        problem = _refused(variables, self._row.target) if variables else ""
        if problem:
            self._draft.report(Severity.ERROR, problem, self._path, code="ValueNotWritable")
            return
        if PRODUCTS[self._row.target].is_upper_case:
            variables = {name: value for name, value in variables.items() if name.isupper()}
        is_there = any(True for _ in self.read())
        edits = self._draft.edits
        item = self._row.item
        if variables and item is not None and item.is_made:
            self._make_item(item)
        self._place.write(variables)
        if not variables and item is not None and item.is_made and self._draft.edits > edits:
            self._remove_empty_item(item)
        if self._row.is_immutable and is_there and self._draft.edits > edits:
            _report_immutable(self._draft, self._path, self.label)

    def _make_item(self, item: ListItem) -> None:
        """Make the item of a list in which the variables are, with what must be beside the list."""
        path = self._path[:-1]
        if self._draft.get(path) is not None:
            return
        if item.required and self._draft.get(item.required) is None:
            self._draft.set(item.required, {}, keep=0)
        self._draft.append(path[:-1], {item.name: item.value})

    def _remove_empty_item(self, item: ListItem) -> None:
        """Remove an item of which nothing is left but what tells it apart, and what was made beside it."""
        path, required = self._path[:-1], item.required
        if self._draft.get(path) != {item.name: item.value}:
            return
        self._draft.remove(path)
        if required and self._draft.get(required[:-1]) == {required[-1]: {}}:
            self._draft.remove(required)

    def _secret_of(self, path: Pointer) -> str | None:
        """Return the Secret with user and password of the URL at a path; None where the URL is all there is."""
        if not self._row.has_secret or path[-1] == self._row.keys[2]:
            return None
        name = self._draft.get((*path[:-1], CREDENTIAL_SECRET))
        return name if isinstance(name, str) and name else None

    def _without_credentials(self, variables: Variables) -> Variables:
        """Return the variables with URLs that hold no user and password; report where these come from nowhere else."""
        found = dict(variables)
        for variable, key in zip(proxy_keys.UPPER[:2], self._row.keys[:2], strict=True):
            url = variables.get(variable, "")
            found[variable] = split_url(url).without_credentials
            path = (*self._path, *key.split("."))
            if variable not in variables:
                del found[variable]
            elif found[variable] != url and self._secret_of(path) is None:
                reader = f"{PRODUCTS[self._row.target].name} take"
                credential_secret.report_left_out(self._draft, path, reader, ".".join(path))
        return found

    def _report_secrets_left(self, variables: Variables) -> None:
        """Report a Secret with user and password that nothing needs beside a URL that is removed."""
        for variable, key in zip(proxy_keys.UPPER[:2], self._row.keys[:2], strict=True):
            path = (*self._path, *key.split("."))
            if variable in variables or self._secret_of(path) is None or not self._draft.get(path):
                continue
            secret = (*path[:-1], CREDENTIAL_SECRET)
            message = (
                f"`{'.'.join(secret)}` stays without its URL, which is removed: remove it, too"
            )
            self._draft.report(Severity.WARNING, message, secret, code="ReferenceToRemoved")


class _BundleOfRow(CertificateText):
    """The certificates beside the proxy of a row, as a site.

    Args:
        draft: the data of the object.
        path: leads to the text.
        pem: the certificates; "" for none.
        row: what the table says of the object.
    """

    def __init__(self, draft: Draft, path: Pointer, pem: str, row: DistributionRow) -> None:
        merge = each_marked if row.bundle.text else each_marked_in_base64
        super().__init__(draft, path, pem, 0, merge)
        self._is_immutable = row.is_immutable

    def write(self, variables: Variables) -> None:
        """Make the text hold the certificates; report a change that the API server refuses.

        Raises:
            WrongTypeError: the text is something else, or no mapping is on the way to it.
        """
        is_there = self.draft.get(self.path) is not None
        edits = self.draft.edits
        super().write(variables)
        if self._is_immutable and is_there and self.draft.edits > edits:
            _report_immutable(self.draft, self.path, self.label)


class _NameOfBundle(SiteWithoutVariables):
    """The name of the ConfigMap with certificates beside the proxy of a row, as a site.

    Args:
        draft: the data of the object.
        path: leads to the mapping with the proxy.
        trusted: the certificates.
        row: what the table says of the object.
    """

    label = "`trustedCA`"

    def __init__(
        self, draft: Draft, path: Pointer, trusted: Certificates, row: DistributionRow
    ) -> None:
        self._draft = draft
        self._path = (*path, *_NAME)
        self._trusted = trusted
        self._row = row

    def write(self, variables: Variables) -> None:
        """Name the ConfigMap that is created, or remove that name; report another name, which stays.

        Raises:
            WrongTypeError: no mapping is on the way to the name.
        """
        self._draft.mapping(self._path[:-1])
        old = self._draft.get(self._path)
        if not self._trusted.pem:
            if old == CA_CONFIG_MAP:
                self._remove()
        elif old in (None, "", CA_CONFIG_MAP):
            if old != CA_CONFIG_MAP:
                self._draft.set(self._path, CA_CONFIG_MAP, keep=0)
                self._draft.describe(f'names the ConfigMap "{CA_CONFIG_MAP}" in {self.label}')
        elif self._trusted.config_map != (_namespace(self._draft.data, self._row), old, KEY):
            message = (
                "names another ConfigMap, which stays: put the certificates of `spec.trustedCA` there, under "
                f"`{KEY}`, or remove the name"
            )
            self._draft.report(Severity.WARNING, message, self._path, code="NotWrittenHere")

    def _remove(self) -> None:
        if self._row.bundle.has_empty_name:
            self._draft.set(self._path, "")
        else:
            self._draft.remove(self._path, 0)
        self._draft.describe(f"removes the name in {self.label}")


def _report_immutable(draft: Draft, path: Pointer, label: str) -> None:
    message = (
        f"the API server takes no other {label} for an object that exists: create the cluster again, or leave "
        "it out with `spec.selector.exclude`"
    )
    draft.report(Severity.WARNING, message, path, code="FieldImmutable")


def _refused(variables: Variables, target: str) -> str:
    """Return why a product does not take the variables, and what to do; "" where it takes them."""
    product = PRODUCTS[target]
    override = (
        f"an entry of `spec.overrides` with `match: {{targets: [{target}]}}`, or leave these objects without "
        f"a proxy with `spec.targets.{target}.enabled: false`"
    )
    http, https = variables.get("HTTP_PROXY", ""), variables.get("HTTPS_PROXY", "")
    urls = [url for url in (http, https) if url]
    if product.needs_both and len(urls) < 2:
        return (
            f"{product.name} takes no proxy for one scheme only: declare `httpProxy` and `httpsProxy`, "
            f"both or none in {override}"
        )
    for url in map(placeholders.without, urls):
        if not product.takes_password and "@" in url:
            return (
                f"{product.name} takes no user and password in the URL of a proxy: declare one without "
                f"them in {override}"
            )
        if product.needs_port and url and urlsplit(url).port is None:
            return f"{product.name} takes no URL of a proxy without a port: declare its port"
    if product.needs_http and http.startswith("https://"):
        return (
            f"{product.name} takes no `https://` as the proxy for HTTP: declare an `httpProxy` with "
            f"`http://` in {override}"
        )
    if product.has_one and not is_one(http, https):
        return (
            f"{product.name} has one proxy for HTTP and HTTPS, of which it keeps host and port: declare "
            f"`httpProxy` and `httpsProxy` as one URL with `http://` and without placeholders in {override}"
        )
    number = len(parse(variables.get("NO_PROXY", "")))
    if 0 < product.most_entries < number:
        return (
            f"{product.name} takes no list with more than {product.most_entries} entries, and this one has "
            f"{number}: shorten it with `noProxyPolicy` in {override}"
        )
    for text in map(placeholders.without, variables.values()):
        found = next((character for character in product.refused if character in text), "")
        if found:
            return (
                f"{product.name} writes the value as it is, and {_NAMES.get(found, f'`{found}`')} would break "
                f"it there: declare a URL and a list without it in {override}"
            )
    return ""


class _Distribution(Target):
    """The proxy of one product.

    Args:
        target_id: its key under ``spec.targets``.
        product: what reads the proxy there.
    """

    def __init__(self, target_id: str, product: Product) -> None:
        self.id = target_id
        self.kinds = frozenset((row.group, row.kind) for row in ROWS if row.target == target_id)
        self.audience = Audience.NODE if product.has_nodes else Audience.POD
        if product.completes_the_list or not product.has_list:
            self.audience = Audience.PRODUCT
        if any(row.bundle.text or row.bundle.base64 for row in ROWS if row.target == target_id):
            self.writes = Writes.PROXY_AND_TRUST
        if has_config_map(target_id):
            beside = {(row.group, row.kind) for row in ROWS if row.bundle.namespace}
            self.creates = Creation(self.kinds & beside, _companions)
            self.kinds |= {_CONFIG_MAP}
        if target_id in FILES:
            self.file = FileForm(self.audience, partial(_sites_of_file, FILES[target_id]))

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the places that hold the proxy or certificates; none where nobody asked for what waits to be asked."""
        conflict = context.options.get("conflict", OVERRIDE)
        is_declared, trusted = context.settings.is_declared, context.settings.trusted_ca
        if group_kind(draft.data) == _CONFIG_MAP:
            if lookup(draft.data, ("metadata", "name")) == CA_CONFIG_MAP:
                yield TrustedConfigMap(draft, trusted.pem, "`trustedCA` of other objects names it")
            return
        for row in _rows(draft.data):
            if row.waits and context.options.get("enabled") is not True:
                continue
            if row.beside and not _is_known_beside(draft, row, context):
                continue
            for path in _paths(draft, row):
                site = _CheckedSite(draft, path, _site(draft, path, row, conflict), row)
                if is_declared and (not row.is_filled or any(True for _ in site.read())):
                    yield site
                if is_declared or trusted.pem:
                    yield from _certificates(draft, path, trusted, row)

    def read(self, data: Data, options: Options, uses: DataUses | None = None) -> Iterator[Reading]:
        """Yield what an object sets in the places of the target, whoever wrote it, as its reader sees it."""
        for site in self.sites(Draft(data), Context(options, uses=uses or DataUses())):
            if isinstance(site, _CheckedSite):
                yield from site.read_with_secrets()

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give the members, or the variables of a list, other values, where the API server takes a change of them."""
        checked = self.sites(draft, Context(options))
        sites = [one for one in checked if isinstance(one, _CheckedSite) and one.can_change]
        if any(one.is_env and one.label == next(iter(place.values())).place for one in sites):
            correct(draft, place, values)
        else:
            correct_sites(sites, place, values)


def _sites_of_file(row: DistributionRow, draft: Draft, settings: ProxySettings) -> Iterator[Site]:
    """Yield the places of a plain file."""
    yield _CheckedSite(draft, row.path, _site(draft, row.path, row, OVERRIDE), row)
    yield from _certificates(draft, row.path, settings.trusted_ca, row)


def _rows(obj: Data) -> Iterator[DistributionRow]:
    """Yield the rows that say where an object keeps its proxy."""
    group, _, version = str(obj.get("apiVersion")).partition("/")
    for row in OF_KIND.get((group, str(obj.get("kind"))), ()):
        is_of_version = not row.versions or version in row.versions
        if is_of_version and row.name in ("", lookup(obj, ("metadata", "name"))):
            yield row


def _certificates(
    draft: Draft, path: Pointer, trusted: Certificates, row: DistributionRow
) -> Iterator[Site]:
    """Yield the certificates that belong to the mapping at a path."""
    at = row.certificates(path)
    if at:
        yield _BundleOfRow(draft, at, trusted.pem, row)
    if row.bundle.namespace:
        yield _NameOfBundle(draft, path, trusted, row)


def _namespace(obj: Data, row: DistributionRow) -> str:
    """Return the namespace of the ConfigMap that an object names."""
    return (
        text_at(obj, ("metadata", "namespace"))
        if row.bundle.namespace == "*"
        else row.bundle.namespace
    )


def _companions(obj: Data, settings: ProxySettings, options: Options) -> Iterator[dict[str, Any]]:
    """Yield the ConfigMap with the certificates, where an object is to name the one of inject-proxy."""
    for row in _rows(obj):
        is_ours = lookup(obj, (*row.path, *_NAME)) in (None, "", CA_CONFIG_MAP)
        if row.bundle.namespace and is_ours and settings.trusted_ca.pem:
            namespace = {"metadata": {"namespace": _namespace(obj, row)}}
            yield created_objects.skeleton("ConfigMap", CA_CONFIG_MAP, namespace)


def _is_known_beside(draft: Draft, row: DistributionRow, context: Context) -> bool:
    """Return whether what must be there is there; report a version of it that takes no proxy."""
    if not isinstance(draft.get(row.beside), dict):
        return False
    version = draft.get((*row.beside, "version"), "")
    if version not in row.too_old or lookup(draft.data, row.path) is not None:
        return True
    if context.settings.sets_any:
        shown = f"version {version}" if version else "the default version"
        message = (
            f"{PRODUCTS[row.target].name} takes no proxy in {shown}: set `version` in `{'.'.join(row.beside)}` "
            "to a newer one, or set the proxy in the image of the nodes"
        )
        draft.report(Severity.WARNING, message, (*row.beside, "version"), code="ProxyFieldEmpty")
    return False


def _site(draft: Draft, path: Pointer, row: DistributionRow, conflict: str) -> Site:
    """Return the mapping, or the list of variables, at a path of a row as a site."""
    if row.is_env:
        return ObjectEnvList(draft, path, conflict)
    if PRODUCTS[row.target].has_one:
        return HostAndPort(draft, path, row.keys)
    keys = Keys(*row.keys, is_list=row.is_list, is_fixed=True, is_nested=True)
    label = row.field if row.keys[0] else ".".join((*row.path, row.keys[1]))
    last = _NAME[0] if row.bundle.namespace else row.bundle.base64
    return ThreeKeys(path, keys, f"`{label}`", kept=len(row.beside), last=last).in_draft(draft)


def _paths(draft: Draft, row: DistributionRow) -> list[Pointer]:
    """Return where in an object the mappings or lists of a row are, or are to be made."""
    found: list[Pointer] = [()]
    for step in row.path:
        if step == "*":
            found = [inner for path in found for inner in _inside(draft, path, row)]
        else:
            found = [(*path, step) for path in found]
    return found


def _inside(draft: Draft, path: Pointer, row: DistributionRow) -> Iterator[Pointer]:
    """Yield what a ``*`` stands for at a path."""
    value = draft.get(path)
    if isinstance(value, dict):
        for name in value:
            yield (*path, str(name))
        return
    items = value if isinstance(value, list) else []
    fitting = [str(at) for at, item in enumerate(items) if _fits(item, row)]
    is_made = row.item is not None and row.item.is_made
    if not fitting and is_made and (value is None or isinstance(value, list)):
        fitting = [str(len(items))]
    for index in fitting:
        yield (*path, index)


def _fits(item: Any, row: DistributionRow) -> bool:
    if row.item is None:
        return isinstance(item, dict)
    return bool(lookup(item, (row.item.name,)) == row.item.value)


TARGETS = {target_id: _Distribution(target_id, product) for target_id, product in PRODUCTS.items()}
"""ID -> target."""
