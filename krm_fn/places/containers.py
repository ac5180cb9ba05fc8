"""The containers in the pod specification of a workload, and the form of their ``env``: a list of ``{name, value}``.

An entry is right or it is replaced whole, because Kubernetes rejects a ``value`` beside a ``valueFrom``. Other entries and
their order are never touched: ``$(NAME)`` sees only entries before it.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env, read_kubernetes_env
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Results, wrong_type
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.patch import Data, Pointer, items_at, list_at, lookup, text_at
from krm_fn.places.place import Place, Reading, Readings
from krm_fn.products.proxy_keys import UPPER
from krm_fn.products.workload_kinds import POD_SPEC, POD_SPEC_OF
from krm_fn.proxy_url import secret_key_ref, url_in_secret
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

CONTAINERS, INIT_CONTAINERS = "containers", "initContainers"
# The lists of containers of a pod specification.
LISTS = (INIT_CONTAINERS, CONTAINERS, "ephemeralContainers")


class Container(NamedTuple):
    """One container of a pod specification: its ``name`` ("" where it has none), its place, its fields as they are."""

    name: str
    path: Pointer
    fields: Data

    @property
    def key(self) -> str:
        """Its identity in the workload: its name, or without one its place, ``containers[0]``.

        Knative names the container of a Service at admission. No name has a bracket.
        """
        *_, field, index = self.path
        return self.name or f"{field}[{index}]"

    @property
    def is_init(self) -> bool:
        """Whether it is an init container."""
        return INIT_CONTAINERS in self.path

    @property
    def label(self) -> str:
        """Its name in messages."""
        kind = "init container" if self.is_init else "container"
        return f'{kind} "{self.key}"'

    @property
    def env_from(self) -> Any:
        """Its ``envFrom``; a container without an image is a patch, and may get any variable from elsewhere."""
        return self.fields.get("envFrom") or ([] if self.image else [{}])

    @property
    def image(self) -> str:
        """The name of its image without tag and digest, "" where it has none: ``quay.io/argoproj/argocd``."""
        image = text_at(self.fields, "image")
        # "host:5000/a/b:v1@sha256:0f": the colon in front of a slash begins a port, and no tag.
        return re.sub(r"(:[^/]*)?(@.*)?\Z", "", image)


def pod_spec(data: Data) -> Pointer | None:
    """Return the path of the pod specification of an object; None if it runs no pods."""
    return POD_SPEC_OF.get(group_kind(data))


def labels(data: Data, key: str) -> set[str]:
    """Return the values that an object and its pod template have under a label: none, one, or two."""
    values = set()
    for above in ((), ("spec", "template")):
        value = text_at(data, (*above, "metadata", "labels", key))
        if value:
            values.add(value)
    return values


def containers(
    data: Data, field: str = CONTAINERS, *, at: Pointer = POD_SPEC
) -> Iterator[Container]:
    """Yield the containers of one list in the pod specification at ``at``; items of a wrong type are left out."""
    for path, item in items_at(data, (*at, field)):
        if isinstance(item, Mapping):
            yield Container(text_at(item, "name"), path, item)


def all_containers(data: Data, at: Pointer) -> Iterator[Container]:
    """Yield the init containers and the containers of a workload."""
    for field in (INIT_CONTAINERS, CONTAINERS):
        yield from containers(data, field, at=at)


def wrong_types(data: Data, at: Pointer) -> Results:
    """Yield an error for each value of a wrong type on the way to the containers, or among them."""
    mappings = []
    for length, _ in enumerate(at, 1):
        mappings.append(at[:length])
    for field in (INIT_CONTAINERS, CONTAINERS):
        path = (*at, field)
        value = lookup(data, path)
        if value is not None and not isinstance(value, list):
            yield wrong_type(path, value, "a list")
        mappings += [item_path for item_path, _ in items_at(data, path)]
    for path in mappings:
        value = lookup(data, path)
        if value is not None and not isinstance(value, dict):
            yield wrong_type(path, value, "a mapping")


class Provided(NamedTuple):
    """The variables that a container gets from ConfigMaps and Secrets, which are filled themselves.

    Attributes:
        names: the variables, in upper case.
        entries: the entries of ``env`` and of ``envFrom`` that refer to them, which stay.
    """

    names: frozenset[str] = frozenset()
    entries: Sequence[Data] = ()


class EnvEntries(NamedTuple):
    """A list of variables.

    Attributes:
        names: those that it gets, in the order of new ones.
        provided: the variables that its container gets from other objects.
        env_from: the ``envFrom`` of its container.
        ours: the URLs in Secrets to which our entries refer.
    """

    names: Texts = PROXY_VARIABLES
    provided: Provided = Provided()
    env_from: Any = None
    ours: Collection[str] = ()

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables that the list sets, the last entry of each name.

        Where only upper case is written, the reader is a program that makes no difference between the cases.
        """
        # Of several entries of one name the last one counts (core/v1, ``EnvVar``).
        last = {}
        for path, entry in items_at(data, place.path):
            name = variable_of(entry)
            if name is not None:
                last[name] = path, entry
        beside = self.provided.names | self._set_elsewhere()
        for name, (path, entry) in last.items():
            blank = Reading(name, None, path, "", place.label)
            is_provided = entry in self.provided.entries
            # Where it is provided here alone, its other case is nowhere else.
            is_alone = is_provided and not self.env_from
            elsewhere = beside - {name.upper()} if is_alone else beside
            blank = blank._replace(is_provided=is_provided, maybe_elsewhere=elsewhere)
            reading = read_entry(blank, entry)
            url = _url_in_secret(entry)
            if url in self.ours:
                reading = reading._replace(value=url, why_unknown="")
            yield reading
            lower = name.lower()
            if "no_proxy" not in self.names and lower not in last:
                yield reading._replace(variable=lower, member=name)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Correct the first entry of each variable, remove the others, and add missing ones."""
        env = draft.items(place.path)
        values = {name: _said(value) for name, value in settings.variables.items()}
        entries = []
        done = set()
        for path, entry in items_at(draft.data, place.path):
            variable = variable_of(entry)
            if variable is None:
                entries.append(entry)
                if values and not isinstance(entry, Mapping):
                    draft.findings.append(wrong_type(path, entry, "a mapping"))
                continue
            # A second entry of a name would win over the corrected one, so it goes.
            if variable in done:
                continue
            done.add(variable)
            # The ConfigMap or Secret is filled itself, so the reference to it stays right.
            if entry in self.provided.entries:
                entries.append(entry)
                continue
            said = values.get(variable, {})
            is_of_others = "valueFrom" not in said and _url_in_secret(entry) not in self.ours
            if is_of_others and isinstance(lookup(entry, ("valueFrom", "secretKeyRef")), Mapping):
                draft.report(
                    "PasswordExposed",
                    f"`{variable}` in {place.label} came from a Secret, and no longer does: "
                    'set `conflict` to "Keep" to leave it',
                    path,
                )
            if said:
                # The API server rejects an entry with ``value`` and ``valueFrom``, so only two members stay.
                members = {**entry, **said}
                kept = {"name", *said}
                entries.append({key: value for key, value in members.items() if key in kept})
        entries = self._completed(entries, values, done)
        if entries != env:
            place.put(draft, entries)

    def _completed(
        self, entries: list[Any], values: Mapping[str, Fields], done: set[str]
    ) -> list[Any]:
        """Return the entries with those that are missing at the end: in our order, if both cases are there of each."""
        # New entries join ours at the end. If these are in our order, each with its other case, all of them are in it.
        start = len(entries)
        while start and variable_of(entries[start - 1]) in self.names:
            start -= 1
        ours = entries[start:]
        last = [entry["name"] for entry in ours]
        twins = {name.swapcase() for name in last}.intersection(self.names)
        in_order = sorted(last, key=self.names.index)
        has_twins = twins.issubset(last)
        is_in_order = has_twins and last == in_order
        for name in self.names:
            if name in done or name not in values:
                continue
            if name.upper() not in self.provided.names:
                ours.append({"name": name, **values[name]})
        if is_in_order:
            ours.sort(key=lambda entry: self.names.index(entry["name"]))
        return [*entries[:start], *ours]

    def _set_elsewhere(self) -> frozenset[str]:
        """Return the variables, in upper case, that ``envFrom`` may take from objects that are not seen here."""
        for source in list_at(self.env_from):
            if source in self.provided.entries:
                continue
            # With a prefix the variables have other names.
            if not lookup(source, "prefix"):
                return frozenset(UPPER)
        return frozenset()


def _said(value: str) -> Fields:
    """Return the member of an entry that gives its variable a value: the text, or a reference to a Secret."""
    in_secret = secret_key_ref(value)
    if in_secret:
        return {"valueFrom": {"secretKeyRef": in_secret}}
    return {"value": kubernetes_env(value)}


def _url_in_secret(entry: Data) -> str:
    """Return the URL in a Secret to which an entry refers."""
    reference = lookup(entry, ("valueFrom", "secretKeyRef"))
    return url_in_secret(text_at(reference, "name"), text_at(reference, "key"))


def variable_of(entry: Any) -> str | None:
    """Return the one of the six variables that an entry sets; None for any other entry."""
    name = text_at(entry, "name")
    if name in PROXY_VARIABLES:
        return name
    return None


def read_entry(blank: Reading, member: Data) -> Reading:
    """Return a reading, whose path leads to an entry, with the value that the entry gives the variable."""
    value = member.get("value")
    if member.get("valueFrom") is not None:
        path = (*blank.path, "valueFrom")
        return blank._replace(path=path, why_unknown="it comes from a `valueFrom`")
    if value is None:
        return blank._replace(value="")
    path = (*blank.path, "value")
    reading = blank._replace(path=path, raw=str(value))
    if not isinstance(value, str):
        return reading._replace(why_unknown="its `value` must be a string")
    read = read_kubernetes_env(value)
    if read is not None:
        return reading._replace(value=read)
    return reading._replace(why_unknown="it refers to another variable", unresolved=value)


def read_all_containers(data: Data) -> Readings:
    """Yield the variables that all containers of a workload set, chosen or not."""
    at = pod_spec(data)
    if at is None:
        return
    for field in LISTS:
        for container in containers(data, field, at=at):
            form = EnvEntries(env_from=container.env_from)
            place = Place((*container.path, "env"), form, container.label)
            yield from form.read(data, place)
