"""The forms in which a chart takes a proxy among its values, as sites: a list of variables, a mapping, texts.

Each form is read and written as the list of variables that it stands for, so that ``conflict`` means the same
everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import inf

from krm_fn import noproxy
from krm_fn.carriers import credential_secret
from krm_fn.carriers.env_list import UNIT, EnvList, Provided, read_entry, variable_of
from krm_fn.carriers.pod_spec import Container
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import NestedSites, Places, Site, Variables
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.products.charts import LIST, MAPPING, RUNNERS_TOML, Chart, ChartValue
from krm_fn.products.proxy_keys import CREDENTIAL_SECRET
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.charts.toml_environment import RunnerTable, runner_tables, with_entries
from krm_fn.targets.charts.written import OurValues, ValueKey

_VERSION = re.compile(r"v?([0-9]{1,9})((?:\.(?:[0-9]{1,9}|[x*])){0,2})(?:[-+].*)?")
"""``5.1.0``, ``v5.1.0-rc1``, and of the ranges ``5``, ``5.x`` and ``5.1.*``."""
_ENV = "env"
_TABLES, _OTHER = "runners", "other"
_MISSING = object()
"""The field beside a URL without credentials that names the Secret with them."""


class ChartPlace(NamedTuple):
    """One place in the values that a draft holds.

    Attributes:
        draft: the data of an object, or of a document inside one.
        root: leads to the values.
        kept: so many steps of ``root`` lead to what stays, even if nothing is left in it.
        value: what the table says of the place.
        name: the chart.
        chart: what the table says of it.
        conflict: what happens to another value.
        is_released: the place is chosen no more: what is ours goes, whatever the settings are.
        provided: what the list gets from objects that are filled themselves.
    """

    draft: Draft
    root: Pointer
    kept: int
    value: ChartValue
    name: str
    chart: Chart
    conflict: str
    is_released: bool = False
    provided: Provided = Provided()

    @property
    def path(self) -> Pointer:
        """Where the list, the mapping or the members are."""
        return (*self.root, *self.value.steps)

    @property
    def key(self) -> ValueKey:
        """What tells it apart from the other places of its object."""
        return ValueKey(self.name, self.value.name)

    @property
    def label(self) -> str:
        """What messages call it."""
        names = ", ".join(f"`{name}`" for name in self.value.names)
        return f"{names} of the chart {self.name}"


def site_of(place: ChartPlace, written: OurValues) -> Site | NestedSites:
    """Return the site of a place, in the form that is there, or else in that of the table."""
    if place.value.texts:
        return _Texts(place, place.value.texts, written)
    if place.value.form == RUNNERS_TOML:
        return _RunnersToml(place, written)
    there = place.draft.get(place.path)
    is_list = isinstance(there, list) or (place.value.form == LIST and not isinstance(there, dict))
    if is_list:
        site = _VariableList(place)
        written.note(place.key, site)
        return site
    paths = {name: (*place.value.steps, name) for name in PROXY_VARIABLES}
    return _Texts(place, paths, written)


def holds(value: ChartValue, data: Any) -> bool:
    """Return whether values have a place: a list or a mapping of variables that is there, or one of the texts."""
    if value.form == RUNNERS_TOML:
        return isinstance(lookup(data, value.steps), str)
    if not value.texts:
        return isinstance(lookup(data, value.steps), (list, dict))
    return any(lookup(data, path) is not None for path in value.texts.values())


def places_of(value: ChartValue) -> Iterator[Pointer]:
    """Yield the paths of all that the site of a place reads among the values."""
    if not value.texts:
        yield value.steps
    if value.instead:
        yield tuple(value.instead.split("."))
    for path in value.texts.values():
        yield path
        yield (*path[:-1], CREDENTIAL_SECRET)


def may_be_own(place: ChartPlace) -> bool:
    """Return whether what is there may be the choice of its author.

    Beside texts for a proxy that are empty, the text of the list has no effect: it is the default of the chart.
    """
    texts = place.value.texts
    if not texts:
        return True
    values = [
        place.draft.get((*place.root, *path)) for name, path in texts.items() if name != "NO_PROXY"
    ]
    return any(values)


def written_value(value: ChartValue, data: Any) -> ChartValue:
    """Return the place that is to be written: another list, where that sets one of the variables already."""
    there = lookup(data, tuple(value.instead.split("."))) if value.instead else None
    if isinstance(there, list) and any(map(variable_of, there)):
        return ChartValue(value.instead, LIST)
    return value


def value_in_version(value: ChartValue, version: str) -> ChartValue:
    """Return the place in a version of the chart; one that is no number counts as a new one, and so do most ranges."""
    found = _VERSION.fullmatch(version) if value.list_since else None
    if found is None:
        return value
    numbers = [found[1], *found[2].split(".")[1:], "x", "x"]
    asked = tuple(float(one) if one.isdigit() else inf for one in numbers[:3])
    return value._replace(form=MAPPING) if asked < value.list_since else value


class _VariableList(EnvList):
    """A list of variables."""

    def __init__(self, place: ChartPlace) -> None:
        self._place = place
        container = Container(place.value.name, place.path[:-1], {})
        super().__init__(place.draft, container, place.conflict, place.provided)
        self._path = place.path
        self.label = place.label

    def write(self, variables: Variables) -> None:
        """Make the list set the variables.

        Raises:
            WrongTypeError: something else than a list is there.
        """
        super().write({} if self._place.is_released else variables)

    def _set(self, env: Any, entries: list[Any]) -> None:
        if entries == list(env):
            return
        if entries:
            self._draft.set(self._path, entries, keep=self._place.kept)
        else:
            self._draft.remove(self._path, keep=self._place.kept)


class _Entries(EnvList):
    """The list of variables that texts stand for, in a draft of its own.

    ``known``: the variables that there are texts for.
    """

    def __init__(self, draft: Draft, place: ChartPlace, known: Mapping[str, Pointer]) -> None:
        self._place = place
        self._known = known
        super().__init__(draft, Container(place.value.name, (), {}), place.conflict)
        self.label = place.label

    def sets(self, variables: Variables) -> bool:
        """Return whether the texts set something, each of the variables, and no other."""
        return super().sets(self._wanted(variables))

    def write(self, variables: Variables) -> None:
        """Make the list set those of the variables for which there are texts."""
        super().write({} if self._place.is_released else self._wanted(variables))

    def _wanted(self, variables: Variables) -> dict[str, str]:
        wanted = {name: variables[name] for name in self._known if name in variables}
        only_one = "HTTP_PROXY" not in self._known and "HTTPS_PROXY" in self._known
        if only_one and "HTTP_PROXY" in variables:
            wanted.setdefault("HTTPS_PROXY", variables["HTTP_PROXY"])
        if not self._place.chart.takes_credentials:
            for name in wanted.keys() - {"NO_PROXY"}:
                wanted[name] = split_url(wanted[name]).without_credentials
        return wanted


class _Texts(NestedSites):
    """Texts that hold one variable each: the members of a mapping, or the variables themselves."""

    def __init__(self, place: ChartPlace, paths: Mapping[str, Pointer], written: OurValues) -> None:
        self._place = place
        self._paths = {name: (*place.root, *path) for name, path in paths.items()}
        self._written = written
        self._before = {name: text for name, text in self._texts().items() if text}
        for name, path in self._paths.items():
            there = place.draft.get(path, _MISSING)
            says_nothing = there is None or there is False or there == ""
            if place.key not in written.ours and says_nothing:
                written.were_empty[self._key(name)] = there
        if place.key not in written.ours and not may_be_own(place):
            self._before = {}
        entries = [{"name": name, "value": text} for name, text in self._before.items()]
        self.draft = Draft({_ENV: entries})
        self._site = _Entries(self.draft, place, self._paths)
        written.note(place.key, self._site)

    def sites(self) -> Places:
        """Yield the list that the texts stand for."""
        yield self._site

    def read(self) -> Iterator[Reading]:
        """Yield what the texts say; a member that stands for a variable counts for both of its cases."""
        for name, text in self._texts().items():
            if not text:
                continue
            blank = Reading(name, None, self._paths[name], "", self._place.label)
            found = read_entry(blank, {"value": text})._replace(path=self._paths[name])
            secret = self._secret(name)
            if secret and name != "NO_PROXY":
                found = credential_secret.completed(found)
            if not self._place.value.texts:
                yield found
                continue
            for one in (name, name.lower()):
                yield found._replace(variable=one, member=self._paths[name][-1])

    def commit(self, variables: Variables) -> bool:
        """Write the texts that changed; return whether that was possible."""
        draft = self._place.draft
        for finding in self.draft.findings:
            draft.findings.append(finding._replace(path=self._place.path))
        self.draft.findings.clear()
        entries = self.draft.get((_ENV,)) or []
        after = {entry["name"]: entry["value"] for entry in entries}
        self._report_credentials(variables)
        try:
            self._write(after)
        except WrongTypeError as error:
            draft.findings.append(wrong_type(error.path, error.value, error.wanted))
            return False
        return True

    def _write(self, after: Mapping[str, str]) -> None:
        place = self._place
        names = list(self._paths)
        for name in after:
            # A removal could not give back what is no text; `false` says as much as nothing, and is noted.
            there = place.draft.get(self._paths[name])
            types = (str, list) if name == "NO_PROXY" else (str,)
            if there is not None and there is not False and not isinstance(there, types):
                raise WrongTypeError(self._paths[name], there, "a string")
        for at, name in enumerate(names):
            if after.get(name) == self._before.get(name):
                continue
            path = self._paths[name]
            if name not in after:
                if self._key(name) in self._written.were_empty:
                    place.draft.set(path, self._written.were_empty[self._key(name)])
                else:
                    place.draft.remove(path, keep=place.kept)
                continue
            value = self._in_form(name, after[name])
            behind = self._behind(path, names[:at], names[at + 1 :])
            place.draft.set(path, value, before=behind, keep=place.kept)

    def _behind(self, path: Pointer, before: list[str], after: list[str]) -> list[str]:
        """Return the members in front of which a new text is written: among the others of the place."""
        behind = [self._paths[one][-1] for one in after]
        members = list(self._place.draft.mapping(path[:-1]) or {})
        there = [
            members.index(self._paths[one][-1]) for one in before if self._paths[one][-1] in members
        ]
        if there:
            behind += members[max(there) + 1 :][:1]
        return behind

    def _in_form(self, name: str, text: str) -> Any:
        there = self._place.draft.get(self._paths[name])
        is_list = isinstance(there, list) or (
            self._place.value.is_list and not isinstance(there, str)
        )
        return list(noproxy.parse(text)) if name == "NO_PROXY" and is_list else text

    def _key(self, name: str) -> ValueKey:
        """Return what tells the text of a variable apart."""
        return ValueKey(self._place.name, ".".join(self._paths[name][len(self._place.root) :]))

    def _texts(self) -> dict[str, str]:
        """Return what is there now; a list of entries as one text."""
        found = {}
        for name, path in self._paths.items():
            value = self._place.draft.get(path)
            if isinstance(value, list) and name == "NO_PROXY":
                value = ",".join(entry for entry in value if isinstance(entry, str))
            if isinstance(value, str):
                found[name] = value
        return found

    def _secret(self, name: str) -> Any:
        """Return the Secret with the credentials for a URL that holds none."""
        if self._place.chart.takes_credentials:
            return None
        return self._place.draft.get((*self._paths[name][:-1], CREDENTIAL_SECRET))

    def _report_credentials(self, variables: Variables) -> None:
        """Report credentials that are left out and come from nowhere else."""
        if self._place.chart.takes_credentials or self._place.is_released:
            return
        for name, path in self._paths.items():
            value = variables.get(name, "")
            has_none = name == "NO_PROXY" or split_url(value).user_info is None
            if has_none or self._secret(name):
                continue
            reader = f"the chart {self._place.name} takes"
            credential_secret.report_left_out(self._place.draft, path, reader, self._key(name).name)


class _TableEntries(EnvList):
    """The variables of one table of a TOML text, in the draft of all of them."""

    def __init__(self, draft: Draft, place: ChartPlace, index: int) -> None:
        self._place = place
        container = Container(place.value.name, (_TABLES, str(index)), {})
        super().__init__(draft, container, place.conflict)
        self.label = place.label

    def write(self, variables: Variables) -> None:
        """Make the list set the variables."""
        super().write({} if self._place.is_released else variables)


class _RunnersToml(NestedSites):
    """The variables in the tables ``[[runners]]`` of a text, which is never begun: it would replace that of the chart.

    The annotation knows the text as a whole. So with ``Unit`` what its author set in one table keeps all of them.
    """

    def __init__(self, place: ChartPlace, written: OurValues) -> None:
        self._place = place
        text = place.draft.get(place.path)
        self._text = text if isinstance(text, str) else ""
        self._tables: list[RunnerTable] = runner_tables(self._text) or []
        self._written = written
        for index, table in enumerate(self._tables):
            is_empty = table.line is not None and not table.entries
            if is_empty and place.key not in written.ours:
                written.were_empty[self._key(index)] = ""
        lists = [{_ENV: [_entry(one.text) for one in table.entries]} for table in self._tables]
        self.draft = Draft({_TABLES: lists})
        self._sites = [
            _TableEntries(self.draft, place, index) for index in range(len(self._tables))
        ]
        written.note(place.key, self)

    def sets(self, variables: Variables) -> bool:
        """Return whether each list sets something, each of the variables, and no other."""
        return bool(self._sites) and all(site.sets(variables) for site in self._sites)

    def sites(self) -> Places:
        """Yield the list of each table."""
        yield from self._sites

    def read(self) -> Iterator[Reading]:
        """Yield what the lists set; each path leads to the text."""
        for site in self._sites:
            for reading in site.read():
                yield reading._replace(path=self._place.path)

    def commit(self, variables: Variables) -> bool:
        """Write the lists that changed into the text; report a text that is not understood."""
        draft = self._place.draft
        for finding in self.draft.findings:
            draft.findings.append(finding._replace(path=self._place.path))
        self.draft.findings.clear()
        if not self._tables:
            if variables and self._text and not self._place.is_released:
                message = (
                    f"{self._place.label} has no table `[[runners]]` that can be edited: set the variables in "
                    "`environment` of the runners there yourself"
                )
                draft.report(Severity.WARNING, message, self._place.path, code="TextUnreadable")
            return False
        if variables and self._place.conflict == UNIT and not self.sets(variables):
            return False
        wanted = []
        for index in range(len(self._tables)):
            entries = self.draft.get((_TABLES, str(index), _ENV)) or []
            wanted.append([_assignment(entry) for entry in entries])
        kept = [
            index
            for index in range(len(self._tables))
            if self._key(index) in self._written.were_empty
        ]
        text = with_entries(self._text, self._tables, wanted, kept=kept)
        if text != self._text:
            draft.set(self._place.path, text)
        return True

    def _key(self, index: int) -> ValueKey:
        """Return what tells the list of one table apart."""
        return ValueKey(self._place.name, f"{self._place.value.name}[{index}]")


def _entry(text: str) -> Mapping[str, str]:
    """Return a text of TOML's list as an entry of ``env``; one of another variable has no name that counts."""
    name, separator, value = text.partition("=")
    if separator and name in PROXY_VARIABLES:
        return {"name": name, "value": value}
    return {_OTHER: text}


def _assignment(entry: Mapping[str, str]) -> str:
    """Return an entry as a text of TOML's list."""
    return entry[_OTHER] if _OTHER in entry else f"{entry['name']}={entry['value']}"
