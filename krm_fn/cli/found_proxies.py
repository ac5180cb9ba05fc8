"""Find the proxies that a repository and the shell already use, for `inject-proxy init`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from krm_fn import noproxy, placeholders, settings
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import Declaration, ProxyConfig, TargetOptions
from krm_fn.config.semantic_checks import url_problems
from krm_fn.errors import ConfigError, InputError, UsageError
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import NamedTuple, Variables
from krm_fn.lint.judge_places import by_place
from krm_fn.lint.judge_values import Reader, corrected_entries
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Data
from krm_fn.pipeline.audit import ReadableManifests, read_records
from krm_fn.places.place import Reading
from krm_fn.plan.sources import formats
from krm_fn.products.workload_kinds import POD_KINDS
from krm_fn.proxy_url import ProxyUrl, split_url

_FIELDS = {"HTTP_PROXY": "httpProxy", "HTTPS_PROXY": "httpsProxy", "NO_PROXY": "noProxy"}


class ProxyPlace(NamedTuple):
    """Where a proxy is set: an object, or something else, and the Clusters to which it belongs.

    ``is_chosen`` where a target writes there without being told to.
    """

    name: str
    ref: ObjectRef = ObjectRef()
    memberships: Memberships = ()
    is_chosen: bool = True


SHELL = ProxyPlace("the environment of the shell")
COMMAND_LINE = ProxyPlace("`--http-proxy`")


@dataclass
class FoundProxy:
    """A proxy by its two URLs without credentials, the places that set it, and the entries of their lists.

    ``replaced``: places that set another proxy now, and will have this one.
    """

    http: str
    https: str
    has_password: bool = False
    places: list[ProxyPlace] = field(default_factory=list)
    replaced: list[ProxyPlace] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)

    @property
    def clusters(self) -> set[tuple[str, str]]:
        """The namespace and the name of each Cluster with a place that sets it."""
        return {
            (member.cluster.namespace, member.cluster.name)
            for place in self.places
            for member in place.memberships
        }


# The two URLs of a proxy -> the proxy.
_Found = dict[tuple[str, str], FoundProxy]


def find_proxies(
    manifests: ReadableManifests,
    others: Mapping[str, bytes],
    targets: Data,
    variables: Variables,
    place_of_variables: ProxyPlace,
) -> list[FoundProxy]:
    """Return the proxy that variables of the shell name, or else those of manifests and other files, by their places.

    Args:
        manifests: the objects.
        others: name of a file of another system -> its content.
        targets: `spec.targets`, which chooses some of the objects.
        variables: those of the shell, or the answers of a person in their place.
        place_of_variables: which of both.

    Raises:
        UsageError: the variables must name a proxy, and name none.
    """
    found: _Found = {}
    for record in read_records(manifests, ProxyConfig(targets=TargetOptions(targets))):
        ref = record.obj.ref
        name = f"{ref.file_path} ({ref.kind}/{ref.name})"
        place = ProxyPlace(name, ref, record.memberships)
        for target_record in record.targets:
            _note_readings(found, target_record.after, place)
        is_chosen = record.obj.group_kind not in POD_KINDS
        _note_readings(found, record.others, place._replace(is_chosen=is_chosen))
    for name, content in others.items():
        _note_proxy(found, _values_of_file(content), ProxyPlace(name))
    given = {
        variable.upper(): variables[variable]
        for variable in settings.PROXY_VARIABLES
        if variables.get(variable)
    }
    _refuse_wrong_urls(given, place_of_variables)
    main = _note_proxy(found, given, place_of_variables)
    if main is not None:  # it replaces the others, and their lists
        for other in list(found.values()):
            if other is not main:
                main.entries += other.entries
                main.replaced += other.places
        return [main]
    if place_of_variables != SHELL or "HTTP_PROXY" in given or "HTTPS_PROXY" in given:
        raise UsageError(
            f"{place_of_variables.name} must name the URL of a proxy, such as http://proxy.corp.example:3128"
        )
    return sorted(found.values(), key=lambda proxy: -len(proxy.places))


def _refuse_wrong_urls(variables: Variables, place: ProxyPlace) -> None:
    """Raise UsageError for the first URL that no ProxyConfig takes, with or without a scheme."""
    for variable, text in variables.items():
        if variable != "NO_PROXY" and not placeholders.is_in(text):
            for problem in url_problems(text if "://" in text else f"http://{text}"):
                raise UsageError(f"{place.name} {problem}")


def _note_readings(found: _Found, readings: Sequence[Reading], proxy_place: ProxyPlace) -> None:
    """Note the proxies of one object, each with the variables that one program reads together."""
    for variables in by_place(readings):
        values = {variable.upper(): reading.text for variable, reading in variables.items()}
        _note_proxy(found, values, proxy_place)


def _note_proxy(found: _Found, values: Variables, proxy_place: ProxyPlace) -> FoundProxy | None:
    """Note and return the proxy of a place by its URLs, if there are some; a missing URL is like the other."""
    http = values.get("HTTP_PROXY", "")
    https = values.get("HTTPS_PROXY", "")
    first = _usable(http or https)
    second = _usable(https or http)
    if first is None or second is None:
        return None
    key = (first.without_credentials, second.without_credentials)
    proxy = found.setdefault(key, FoundProxy(*key))
    if first.user_info is not None or second.user_info is not None:
        proxy.has_password = True
    if proxy_place not in proxy.places:
        proxy.places.append(proxy_place)
    for entry in _entries(proxy, values.get("NO_PROXY", ""), proxy_place):
        if entry not in proxy.entries:
            proxy.entries.append(entry)
    return proxy


def _values_of_file(content: bytes) -> Variables:
    """Return the values of a file of another system, such as a cluster configuration file of TKG."""
    try:
        fields = formats.read(content.decode())
    except (ConfigError, InputError, UnicodeDecodeError):
        return {}
    values = {}
    for name, key in _FIELDS.items():
        given = fields.get((key,))
        if given is not None and isinstance(given.value, str):
            values[name] = given.value
    return values


def _usable(text: str) -> ProxyUrl | None:
    """Return a URL as a ProxyConfig takes it; None for another text, and for a placeholder."""
    if not text or placeholders.is_in(text):
        return None
    trimmed = text.strip().strip("\"'")
    if "://" not in trimmed:
        trimmed = f"http://{trimmed}"
    url = split_url(trimmed)
    url = url._replace(scheme=url.scheme.lower())
    bare = url.without_credentials
    if redact(bare) != bare or any(url_problems(bare)):
        return None
    return url


def _entries(proxy: FoundProxy, text: str, proxy_place: ProxyPlace) -> Iterator[str]:
    """Yield the entries of a list that a person wrote: not those that a run derives for the Clusters of the place."""
    if not text or noproxy.may_hold_a_credential(text):
        return
    proxy_config = ProxyConfig(Declaration(proxy.http, proxy.https, is_declared=True))
    readers = Readers(Audience.NODE)
    resolved = settings.resolve(proxy_config, proxy_place.memberships, target="", readers=readers)
    derived = {entry.text.lstrip(".") for entry in resolved.entries}
    corrected = corrected_entries(text, Reader(Audience.NODE, resolved.networks))
    for entry in noproxy.parse(",".join(corrected)):
        is_derived = entry.lstrip(".") in derived
        if not is_derived and not noproxy.why_wrong(entry):
            yield entry
