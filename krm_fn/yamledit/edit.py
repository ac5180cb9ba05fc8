"""Operations change the text of one YAML document, and the new text is proven.

Read again, it says what ``jsonpatch`` makes of the old data, or there is no new text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from krm_fn import patch
from krm_fn.errors import EditError, ExpansionError, InputError, InternalError
from krm_fn.light_typing import Any
from krm_fn.patch import Operation
from krm_fn.yamledit import layout, shadow
from krm_fn.yamledit.breaks import BREAKS, newline_of, with_line_feeds
from krm_fn.yamledit.document import FOR_YTT, PLAIN, Document
from krm_fn.yamledit.origin import give_back, origins, plain_data
from krm_fn.yamledit.render import Layout
from krm_fn.yamledit.shadow import Spot
from krm_fn.yamledit.splice import Origins, edits, splice
from krm_fn.yamledit.tree import Alias, Node, compose, walk
from krm_fn.yamledit.view import same, view

_Way = Callable[[Spot, Sequence[Operation]], None]


def edited(document: Document, operations: Sequence[Operation]) -> tuple[str, Any]:
    """Return the text of a document with operations applied, and what it says; raises as ``Document.edit`` does."""
    lines = with_line_feeds(document.text)
    former = origins(lines, document.root)
    if former:
        operations = give_back(document.root, operations, former)
    wanted = patch.apply(document.data(), operations)
    if same(wanted, document.data()):
        return document.text, wanted
    before = Origins(former, document.envelope, FOR_YTT if document.for_ytt else PLAIN)
    style = layout.style_of(lines, document.root)._replace(
        newline=newline_of(document.text),
        literals="\u2028" not in document.text and "\u2029" not in document.text,
    )
    # A comment that stays below a literal block may be indented as deep, and be words of it then.
    styles = (style, style._replace(literals=False))
    refusal: EditError | None = None
    for chosen, way in product(styles, (_in_place, _containers_anew, _all_anew)):
        try:
            text = _attempt(document, operations, before, chosen, way)
        except EditError as error:
            refusal = error
            continue
        if _says(text, wanted):
            return text, wanted
        # A literal block needs a line break at its end.
        closed = text + newline_of(document.text)
        if not text.endswith(tuple(BREAKS)) and _says(closed, wanted):
            return closed, wanted
    if refusal is not None:
        raise refusal
    raise InternalError("an edit would not have said what was asked for: nothing was written")


def _attempt(
    document: Document, operations: Sequence[Operation], before: Origins, style: Layout, way: _Way
) -> str:
    """Return the new text in one of the ways: ``_in_place``, ``_containers_anew`` or ``_all_anew``.

    It is not proven yet.

    Raises:
        EditError: the layout does not allow it.
    """
    root = Spot(document.root)
    way(root, operations)
    if "*" in document.text:
        _expand_stale_aliases(root, document.root)
    return splice(document.text, edits(with_line_feeds(document.text), root, style, before))


def _says(text: str, wanted: Any) -> bool:
    try:
        return same(view(compose(text)), wanted)
    except ExpansionError:
        raise
    except InputError:
        return False


def _in_place(root: Spot, operations: Sequence[Operation]) -> None:
    """Change what the operations are about, and nothing else."""
    shadow.apply(root, operations)


def _containers_anew(root: Spot, operations: Sequence[Operation]) -> None:
    """Rewrite each collection that an operation concerns, for layouts that no surgical edit supports."""
    for operation in operations:
        shadow.apply(root, [operation])
        shadow.container(root, operation).rewrite()


def _all_anew(root: Spot, operations: Sequence[Operation]) -> None:
    """Rewrite the whole document."""
    shadow.apply(root, operations)
    root.rewrite()


def _expand_stale_aliases(root: Spot, tree: Node) -> None:
    """Write out each alias whose anchored text changes or is removed: no operation is about the alias itself.

    An anchor is above its aliases, so one look in the order of the text is enough.
    """
    for alias in walk(tree):
        if isinstance(alias, Alias) and _is_stale(root, alias.target):
            _expand(root, alias)


def _is_stale(root: Spot, target: Node) -> bool:
    """Return whether a node will not be there, or not say the same."""
    spot = _spot_around(root, target)
    if spot is None or not spot.kept:
        return True
    return spot.children is not None and not same(plain_data(spot.plain()), view(target))


def _expand(root: Spot, alias: Alias) -> None:
    """Rewrite the spot of an alias, if that is still in the shadow."""
    spot = _spot_around(root, alias)
    while spot is not None and spot.node is not alias:
        spot.open()
        spot = _spot_around(spot, alias)
    if spot is not None:
        spot.rewrite()


def _spot_around(spot: Spot, node: Node) -> Spot | None:
    """Return the spot of a node, or the one around it that nothing has looked into.

    None where the text around the node is given up.
    """
    while spot.node is not node:
        if not spot.kept:
            return None
        if spot.children is None:
            return spot
        inner = [child.spot for child in spot.children if _holds(child.spot.node, node)]
        if not inner:
            return None
        spot = inner[0]
    return spot


def _holds(outer: Node | None, inner: Node) -> bool:
    return outer is not None and outer.start <= inner.start and inner.end <= outer.end
