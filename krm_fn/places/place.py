"""The places of an object that hold a proxy: their forms, their readings, and how all of them are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple, Protocol, Variables
from krm_fn.noproxy import parse
from krm_fn.patch import Pointer
from krm_fn.products.proxy_keys import UPPER
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

# Values of the option ``conflict``: what happens where somebody else has set a proxy.
OVERRIDE, KEEP = "Override", "Keep"

# Values that name no proxy.
EMPTY: tuple[Any, ...] = (None, "", [], {}, 0, False)


class Reading(NamedTuple):
    """One of the six variables as one place of an object sets it.

    A place whose content is not in the list has one Reading for each variable.

    Attributes:
        variable: the name, as its reader sees it.
        value: as the reader gets it (systemd unescaped, shell unquoted, ``$$`` of Kubernetes undone); None if it is not
            known.
        path: leads to the text, or to the command that unsets the variable.
        raw: that text as written: the line of the drop-in as systemd joins it, the command, the value of the entry.
        place: names the place in one phrase, which all variables that one program reads together share.
        why_unknown: why the value is not known, as the end of the sentence "its value is not known:".
        known: the part of the value that is certain where the rest is computed later.
        unresolved: the text of an ``env`` that refers to other variables by ``$(NAME)``: only a container resolves it.
        file: the path of the file on the node, for a variable that is in one.
        permissions: those of that file.
        by_ignition: Ignition writes that file.
        is_lost: the text does not reach the reader, although its author did not want that: systemd drops it, the shell
            runs a part of it.
        is_provided: a ConfigMap or Secret of the list holds the value, and is judged itself.
        maybe_elsewhere: in upper case, the variables that the place may get from elsewhere, such as ``envFrom`` of a
            container: nobody can say that it lacks them.
        member: the name of the field that holds the value, where that is not the variable.
    """

    variable: str
    value: str | None
    path: Pointer
    raw: str
    place: str
    why_unknown: str = ""
    known: str = ""
    file: str = ""
    permissions: str = ""
    by_ignition: bool = False
    is_lost: bool = False
    is_provided: bool = False
    maybe_elsewhere: frozenset[str] = frozenset()
    member: str = ""
    unresolved: str = ""

    @property
    def is_list(self) -> bool:
        """Whether the variable holds a list, and no URL."""
        return self.variable.upper() == "NO_PROXY"

    @property
    def text(self) -> str:
        """The value, or the part of it that is known."""
        if self.value is None:
            return self.known
        return self.value


# Readings one after another.
Readings = Iterable[Reading]


def same_value(variable: str, value: str, other: str) -> bool:
    """Return whether two values of a variable are equal; lists are in any order."""
    if value == other or variable.upper() != "NO_PROXY":
        return value == other
    entries = set(parse(value))
    return entries == set(parse(other))


def read_pairs(readings: Readings) -> Variables:
    """Return the variables of one place, in upper case, where they are as a run writes them, and none else.

    A run writes both cases of each name, with one value.
    """
    values = {}
    others = {}
    for reading in readings:
        name = reading.member or reading.variable
        values[name] = others[name.swapcase()] = reading.text
    if values != others or not values.keys() <= set(PROXY_VARIABLES):
        return {}
    return {name: values[name] for name in UPPER if name in values}


def quoted(names: Iterable[str]) -> str:
    """Return names as messages write them, each once: ``HTTP_PROXY``, ``http_proxy`` in back-quotes."""
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


class Form(Protocol):
    """How a place holds a proxy: it knows no object, and no product."""

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables as the reader of the place gets them, whoever wrote them."""

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Write the settings into the place, or report an obstacle.

        Raises:
            WrongTypeError: the data on the way to the place have another type.
        """


class Place(NamedTuple):
    """One place of an object, or of a document inside one.

    Attributes:
        path: leads to it; it need not be there.
        form: how it holds the proxy.
        label: its name in messages.
        kept_steps: so many steps of the path lead to a mapping, or a list, that stays when it becomes empty.
        is_unconditional: it is written also where nobody declares a proxy, as certificates are.
        settings: the proxy of this place alone, in place of that of the object.
        on_conflict_keep: where somebody else has set one of the variables, all of them stay as they are.
    """

    path: Pointer
    form: Form
    label: str
    kept_steps: int = 0
    is_unconditional: bool = False
    settings: ProxySettings | None = None
    on_conflict_keep: bool = False

    def put(self, draft: Draft, value: Any) -> None:
        """Set the value at the path; None and an empty list take it out."""
        if value in (None, []):
            draft.remove(self.path, keep=self.kept_steps)
        else:
            draft.set(self.path, value)


class WrittenForm(NamedTuple):
    """A form that is only written, such as certificates, or whose variables another form reads.

    Attributes:
        write: writes the settings into a place of a draft, or reports an obstacle, as ``Form.write`` does.
        reads: the form of the variables in the place; None where no variable is there.
    """

    write: Callable[[Draft, Place, ProxySettings], None]
    reads: Form | None = None

    def read(self, data: Any, place: Place) -> Readings:
        """Return the variables that the place says."""
        if self.reads is None:
            return ()
        return self.reads.read(data, place)


# The message about a place that gets no proxy because only a Secret holds the URLs.
LACKS_TEXT = (
    "cannot refer to the Secret of `spec.secretRef`, and needs the URL as text, so it gets no proxy: write `httpProxy` "
    "and `httpsProxy`, too, of a proxy without a password, or in an override for it"
)
# The places of an object, and a finding for each one that cannot be written.
Places = Iterable[Place | Result]


def in_text(place: Place, settings: ProxySettings, lack: str = LACKS_TEXT) -> Places:
    """Yield a place that cannot refer to a Secret, with the URLs as text, or this warning where there are none."""
    own = settings.in_text
    if own and settings.sets_any and not (own.http_proxy or own.https_proxy):
        yield Result("ByHand", lack, place.path)
    else:
        yield place._replace(settings=own)


def write_places(draft: Draft, places: Places, settings: ProxySettings) -> None:
    """Write the settings to all places of a draft, and describe the changes in it."""
    changed: dict[str, dict[str, None]] = {}
    kept = []
    # All places are found before the first one is written, for the finding reads the data that writing changes.
    for place in [*places]:
        if isinstance(place, Result):
            draft.findings.append(place)
            continue
        own = place.settings or settings
        if not (own.is_declared or place.is_unconditional):
            continue
        if place.on_conflict_keep and not all(_are_ours(draft.data, place, own)):
            kept.append(place)
            continue
        edits = draft.edits
        described = len(draft.descriptions)
        try:
            place.form.write(draft, place, own)
        except WrongTypeError as error:
            # Nothing of ours can be in data of another type, so a removal has nothing to say of it.
            sets_something = own.sets_any or own.trusted_ca.pem or own.mirror
            if sets_something and error.finding not in draft.findings:
                draft.findings.append(error.finding)
        # A form that has described its change itself is not described once more.
        if draft.edits == edits or len(draft.descriptions) > described:
            continue
        if place.is_unconditional:
            verb = "changes"
        elif own.sets_any:
            verb = "sets the proxy in"
        else:
            verb = "removes the proxy from"
        labels = changed.setdefault(verb, {})
        labels[place.label] = None
    for verb, labels in changed.items():
        listed = " and ".join(labels)
        draft.describe(f"{verb} {listed}")
    _report_kept(draft, kept, settings)


def _report_kept(draft: Draft, places: Sequence[Place], settings: ProxySettings) -> None:
    """Name the places that stay in a line for each code: a removal tells those that may be of an earlier run."""
    purpose = "replace" if settings.sets_any else "remove"
    removed = settings.removed
    labels: dict[str, list[str]] = {}
    paths: dict[str, Pointer] = {}
    for place in places:
        code = "ValueKept"
        if not settings.sets_any:
            knows_ours = removed is not None and removed.sets_any
            if not knows_ours or any(_are_ours(draft.data, place, settings)):
                code = "LeftBehind"
        labels.setdefault(code, []).append(place.label)
        paths.setdefault(code, place.path)
    for code, path in paths.items():
        listed = " and ".join(labels[code])
        message = f'a proxy that this ProxyConfig does not say stays in {listed}: set `conflict` to "Override" to {purpose} it'  # noqa: E501
        draft.report(code, message, path)


def read_places(data: Any, places: Places) -> Readings:
    """Yield the readings of the places of an object, whoever wrote them."""
    for place in places:
        if isinstance(place, Place):
            yield from place.form.read(data, place)


def _are_ours(data: Any, place: Place, settings: ProxySettings) -> list[bool]:
    """Return for each variable that a place sets whether its value is ours; a removal knows ours, too."""
    variables = (settings.removed or settings).variables
    return [
        reading.value == variables.get(reading.variable)
        for reading in place.form.read(data, place)
        if not reading.is_provided
    ]
