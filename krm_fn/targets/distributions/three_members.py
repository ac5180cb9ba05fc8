"""The targets of all products that take their proxy in three members; ``products/three_members.py`` has their rows."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from krm_fn import placeholders
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables
from krm_fn.carriers.three_keys import Keys, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.products.three_members import OF_KIND, PRODUCTS, MembersRow, Product
from krm_fn.targets.base import Context, Target

_NAMES = {" ": "a blank", "\t": "a blank", "`": "a back-quote"}
"""What messages call a character that cannot stand between back-quotes."""


class _MembersSite:
    """The three members of one mapping, as a site that writes nothing which its product would not take.

    Args:
        draft: the data of the object.
        place: the mapping.
        row: what the table says of it.
    """

    def __init__(self, draft: Draft, place: ThreeKeys, row: MembersRow) -> None:
        self._draft = draft
        self._place = place
        self._row = row
        self.label = place.label

    def read(self) -> Iterator[Reading]:
        """Yield what the mapping says."""
        return self._place.read(self._draft.data)

    def write(self, variables: Variables) -> None:
        """Set or remove the members; report a value that the product does not take, and change nothing then.

        Raises:
            WrongTypeError: something else than a mapping is at the path or on the way to it.
        """
        path = self._place.path
        problem = _refused(variables, self._row.target) if variables else ""
        if problem:
            self._draft.report(Severity.ERROR, problem, path, code="ValueNotWritable")
            return
        is_there = any(True for _ in self.read())
        edits = self._draft.edits
        self._place.in_draft(self._draft).write(variables)
        if self._row.is_immutable and is_there and self._draft.edits > edits:
            message = (
                f"the API server takes no other {self.label} for an object that exists: make the cluster "
                "again, or leave it out with `spec.selector.exclude`"
            )
            self._draft.report(Severity.WARNING, message, path, code="FieldImmutable")


def _refused(variables: Variables, target: str) -> str:
    """Return why a product does not take the variables, and what to do; "" where it takes them."""
    product = PRODUCTS[target]
    override = f"an entry of `spec.overrides` with `match: {{targets: [{target}]}}`"
    urls = [variables[name] for name in ("HTTP_PROXY", "HTTPS_PROXY") if name in variables]
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
    for text in map(placeholders.without, variables.values()):
        found = next((character for character in product.refused if character in text), "")
        if found:
            return (
                f"{product.name} writes the value as it is, and {_NAMES.get(found, f'`{found}`')} would break "
                f"it there: declare a URL and a list without it in {override}"
            )
    return ""


class _ThreeMembers(Target):
    """The proxy of one product.

    Args:
        target_id: its key under ``spec.targets``.
        product: what reads the proxy there.
    """

    def __init__(self, target_id: str, product: Product) -> None:
        self.id = target_id
        self.kinds = frozenset(kind for kind, row in OF_KIND.items() if row.target == target_id)
        self.audience = Audience.PRODUCT if product.completes_the_list else Audience.NODE

    def sites(self, draft: Draft, context: Context) -> Iterator[_MembersSite]:
        """Yield the mappings with the three members; none where nobody asked for what cannot be changed later."""
        api_version, kind = draft.data.get("apiVersion"), draft.data.get("kind")
        row = OF_KIND.get((str(api_version).partition("/")[0], str(kind)))
        if row is None:
            return
        if row.is_immutable and context.options.get("enabled") is not True:
            return
        if row.name and lookup(draft.data, ("metadata", "name")) != row.name:
            return
        for place in _places(draft, row):
            yield _MembersSite(draft, place, row)


def _places(draft: Draft, row: MembersRow) -> Iterator[ThreeKeys]:
    """Yield the mappings to which the path of a row leads."""
    keys = Keys(*row.keys, is_list=row.is_list, is_fixed=True)
    for path in _paths(draft, row):
        yield ThreeKeys(path, keys, f"`{row.field}`", kept=0)


def _paths(draft: Draft, row: MembersRow) -> Iterator[Pointer]:
    if "*" not in row.path:
        yield row.path
        return
    at = row.path.index("*")
    items = draft.get(row.path[:at])
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if lookup(item, ("kind",)) == row.item_kind:
            yield (*row.path[:at], str(index), *row.path[at + 1 :])


TARGETS = {target_id: _ThreeMembers(target_id, product) for target_id, product in PRODUCTS.items()}
"""ID -> target."""
