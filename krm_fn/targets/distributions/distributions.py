"""The targets of all products of ``products/distributions.py``, whose rows say where each takes its proxy."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from krm_fn import placeholders
from krm_fn.carriers.env_list import OVERRIDE, ObjectEnvList
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Site, Variables
from krm_fn.carriers.three_keys import Keys, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer, lookup
from krm_fn.products.distributions import OF_KIND, PRODUCTS, ROWS, DistributionRow, Product
from krm_fn.targets.base import Context, Target
from krm_fn.targets.distributions.host_and_port import HostAndPort, is_one

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

    def read(self) -> Iterator[Reading]:
        """Yield what the place says.

        What a product knows in upper case only counts for both cases: its programs read no other.
        """
        found = list(self._place.read())
        yield from found
        names = {one.variable for one in found}
        for one in found if PRODUCTS[self._row.target].is_upper_case else ():
            twin = one.variable.lower()
            if twin not in names:
                yield one._replace(variable=twin, member=one.variable)

    def write(self, variables: Variables) -> None:
        """Set or remove the variables; report a value that the product does not take, and change nothing then.

        Raises:
            WrongTypeError: something else than a mapping or a list is at the path or on the way to it.
        """
        problem = _refused(variables, self._row.target) if variables else ""
        if problem:
            self._draft.report(Severity.ERROR, problem, self._path, code="ValueNotWritable")
            return
        if PRODUCTS[self._row.target].is_upper_case:
            variables = {name: value for name, value in variables.items() if name.isupper()}
        is_there = any(True for _ in self.read())
        edits = self._draft.edits
        self._place.write(variables)
        if self._row.is_immutable and is_there and self._draft.edits > edits:
            message = (
                f"the API server takes no other {self.label} for an object that exists: create the cluster "
                "again, or leave it out with `spec.selector.exclude`"
            )
            self._draft.report(Severity.WARNING, message, self._path, code="FieldImmutable")


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
        if product.completes_the_list:
            self.audience = Audience.PRODUCT

    def sites(self, draft: Draft, context: Context) -> Iterator[_CheckedSite]:
        """Yield the places that hold the proxy; none where nobody asked for what is written on request only."""
        group, _, version = str(draft.data.get("apiVersion")).partition("/")
        conflict = context.options.get("conflict", OVERRIDE)
        for row in OF_KIND.get((group, str(draft.data.get("kind"))), ()):
            if row.waits and context.options.get("enabled") is not True:
                continue
            if row.versions and version not in row.versions:
                continue
            if row.name and lookup(draft.data, ("metadata", "name")) != row.name:
                continue
            if row.beside and not _is_known_beside(draft, row, context):
                continue
            for path in _paths(draft, row):
                yield _CheckedSite(draft, path, _site(draft, path, row, conflict), row)


def _is_known_beside(draft: Draft, row: DistributionRow, context: Context) -> bool:
    """Return whether what must be there is there; report a version of it that takes no proxy."""
    if not isinstance(draft.get(row.beside), dict):
        return False
    version = draft.get((*row.beside, "version"), "")
    if version not in row.too_old or lookup(draft.data, row.path) is not None:
        return True
    if context.settings.variables():
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
    keys = Keys(*row.keys, is_list=row.is_list, is_fixed=True)
    return ThreeKeys(path, keys, f"`{row.field}`", kept=len(row.beside)).in_draft(draft)


def _paths(draft: Draft, row: DistributionRow) -> Iterator[Pointer]:
    if "*" not in row.path:
        yield row.path
        return
    at = row.path.index("*")
    items = draft.get(row.path[:at])
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if lookup(item, ("kind",)) == row.item_kind:
            yield (*row.path[:at], str(index), *row.path[at + 1 :])


TARGETS = {target_id: _Distribution(target_id, product) for target_id, product in PRODUCTS.items()}
"""ID -> target."""
