"""Judge the values that belong together: those of the places of an object, and those of a ProxyConfig.

It knows no kind of object: readings go in, results come out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn import placeholders
from krm_fn.config import Declaration, Override, ProxyConfig
from krm_fn.krm.results import ObjectRef, Result, Results
from krm_fn.light_typing import NamedTuple, Variables
from krm_fn.lint.judge_values import HTTPS_MISSING, Reader, judge_list, judge_url
from krm_fn.noproxy import Audience, Style, entries
from krm_fn.patch import Pointer
from krm_fn.places.place import Reading, Readings, quoted
from krm_fn.proxy_url import split_url
from krm_fn.settings import PROXY_VARIABLES

_FILLED_IN_LATER = Result(
    "ValueLost",
    "a later step fills in the URL of the proxy, so nobody escapes it: it must hold no `%`, which systemd reads as a "
    "specifier in a drop-in",
)
_LOOPBACK = Result(
    "UrlLoopback",
    "the proxy is on the loopback address, which in a pod is the pod itself, and on a node the node: name the host "
    "where the proxy runs",
)


class _Variables(NamedTuple):
    """The variables that one program reads together.

    Attributes:
        readings: variable -> its reading; of a repeated variable the last one.
        reader: the program.
        lists: the readings of lists that are not empty.
        urls: the readings of URLs that are not empty.
        ours: variable -> the value of the ProxyConfig.
    """

    readings: Mapping[str, Reading]
    reader: Reader
    lists: list[Reading]
    urls: list[Reading]
    ours: Variables

    def by_value(self, readings: Readings) -> dict[str, list[Reading]]:
        """Return value -> its readings, without the values of the ProxyConfig, which is judged by itself."""
        alike: dict[str, list[Reading]] = {}
        for reading in readings:
            if reading.text and reading.text != self.ours.get(reading.variable):
                alike.setdefault(reading.text, []).append(reading)
        return alike


# Findings, each with the readings of one place that it is about.
_Findings = Iterator[tuple[Result, Sequence[Reading]]]


def judge_places(readings: Readings, reader: Reader, ours: Variables) -> Results:
    """Yield the faults of the places of an object; the same fault of several places is one result.

    Args:
        readings: the variables that the places set, whoever wrote them.
        reader: who reads them.
        ours: variable -> the value of the ProxyConfig, which is judged by itself and not in each place.
    """
    alike: dict[Result, list[Sequence[Reading]]] = {}
    for by_name in by_place(readings):
        filled = [reading for reading in by_name.values() if reading.value != ""]
        lists = [reading for reading in filled if reading.is_list]
        urls = [reading for reading in filled if not reading.is_list]
        variables = _Variables(by_name, reader, lists, urls, ours)
        for judge in (_judge_loss, _judge_cases, _judge_lists, _judge_urls, _judge_permissions):
            for finding, about in judge(variables):
                alike.setdefault(finding, []).append(about)
    for finding, places in alike.items():
        about = places[0]
        where = about[0].place
        if len(places) > 1:
            where += f" and {len(places) - 1} more"
        names = quoted(reading.variable for reading in about)
        yield Result(finding.code, f"{finding.message} ({names} of {where})", about[0].path)


def by_place(readings: Readings) -> list[dict[str, Reading]]:
    """Return the readings place by place: variable -> reading; of a repeated variable the last one."""
    places: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        places.setdefault(reading.place, {})[reading.variable] = reading
    return list(places.values())


def _judge_loss(variables: _Variables) -> _Findings:
    for reading in variables.readings.values():
        if reading.is_lost:
            message = f"the value does not reach its reader as it is written: {reading.why_unknown}"
            yield Result("ValueLost", message), [reading]


def _judge_cases(variables: _Variables) -> _Findings:
    """Yield a fault if the two cases of a variable differ, or if one is missing."""
    for upper in PROXY_VARIABLES[::2]:
        lower = upper.lower()
        first = variables.readings.get(upper)
        second = variables.readings.get(lower)
        if first and second:
            values = {first.value, second.value}
            # An unknown value may be equal.
            if len(values) > 1 and None not in values:
                message = (
                    f"`{upper}` and `{lower}` must be equal: Go reads the first, curl, Python and Node "
                    "the second"
                )
                yield Result("CasesDiffer", message), [first, second]
            continue
        reading = first or second
        if reading is None or variables.reader.names_are_given or variables.reader.is_go:
            continue
        if upper not in reading.maybe_elsewhere:
            name = reading.variable
            missing = name.swapcase()
            message = f"`{name}` is set without `{missing}`: add `{missing}` with the same value"
            yield Result("CaseMissing", message), [reading]


def _judge_lists(variables: _Variables) -> _Findings:
    """Yield the faults of the lists of a place, or that there is none beside a proxy."""
    urls = variables.urls
    has_proxy = bool(urls) and not variables.reader.audience.completes_the_list
    may_be_elsewhere = any("NO_PROXY" in reading.maybe_elsewhere for reading in urls)
    if has_proxy and not variables.lists and not may_be_elsewhere:
        message = (
            "a proxy must not be set without `NO_PROXY`: everything inside the cluster would go "
            "through it"
        )
        yield Result("ListEmpty", message), urls
    for value, about in variables.by_value(variables.lists).items():
        # The unknown part of a list may hold the entries that seem to be missing.
        must_be_complete = has_proxy and about[0].value is not None
        for finding in judge_list(value, variables.reader, has_proxy=must_be_complete):
            yield finding, about


def _judge_urls(variables: _Variables) -> _Findings:
    """Yield the faults of the URLs of a place, and of a proxy for ``http://`` alone."""
    known = [reading for reading in variables.urls if reading.value]
    http = []
    for url, about in variables.by_value(known).items():
        for finding in judge_url(url, variables.reader):
            yield finding, about
        http += [reading for reading in about if reading.variable.upper() == "HTTP_PROXY"]
    if http and not variables.reader.names_are_given:
        names = {name.upper() for name in variables.readings}
        if "HTTPS_PROXY" not in names | http[0].maybe_elsewhere:
            yield HTTPS_MISSING, http


def _judge_permissions(variables: _Variables) -> _Findings:
    """Yield the faults of the permissions of the file on the node that holds the place."""
    in_files = [reading for reading in variables.readings.values() if reading.file]
    with_password = [reading for reading in in_files if not reading.is_list and "@" in reading.text]
    about = with_password or in_files
    if not about:
        return
    permissions = about[0].permissions
    if about[0].by_ignition and not permissions.startswith("0"):
        message = (
            f'`permissions` must be written with a 0 in front, as in "0{permissions or 640}": Ignition reads a '
            "decimal number, and Cluster API creates no node without any"
        )
        yield Result("FilePermissions", message), about
    if with_password and not permissions.endswith("0"):
        message = (
            '`permissions` must be "0640", so that others cannot read a file with a password, or it '
            "must hold none"
        )
        yield Result("FilePermissions", message), about


def judge_config(
    config: ProxyConfig, config_ref: ObjectRef, audience: Audience = Audience.NODE
) -> Results:
    """Yield the faults of the lists and the URLs of a ProxyConfig, but for those that a run corrects in its lists.

    Args:
        config: the checked ProxyConfig.
        config_ref: names its object.
        audience: who is taken to read its lists.
    """
    parts: dict[Pointer, Declaration | Override] = {("spec",): config.declaration}
    for number, override in enumerate(config.overrides):
        parts["spec", "overrides", str(number)] = override
    for path, part in parts.items():
        http_proxy = part.http_proxy
        https_proxy = part.https_proxy
        if http_proxy is not None or https_proxy is not None:
            if http_proxy is None:
                http_proxy = config.declaration.http_proxy
            if https_proxy is None:
                https_proxy = config.declaration.https_proxy
            for finding in _judge_proxies(http_proxy, https_proxy):
                yield finding._replace(path=path, ref=config_ref)
        texts = tuple(entry.text for entry in part.no_proxy or ())
        if config.declaration.policy.style is Style.PORTABLE:
            texts = entries.normalise(texts)
        for finding in judge_list(",".join(texts), Reader(audience), has_proxy=False):
            yield finding._replace(path=(*path, "noProxy"), ref=config_ref)


def _judge_proxies(http_proxy: str, https_proxy: str) -> Results:
    """Return the faults of two URLs of a ProxyConfig that belong together."""
    findings = []
    if http_proxy and not https_proxy:
        findings.append(HTTPS_MISSING)
    for url in dict.fromkeys((http_proxy, https_proxy)):
        if placeholders.is_template(url):
            findings.append(_FILLED_IN_LATER)
        elif url:
            findings += judge_url(url, Reader(Audience.NODE))
            if split_url(url).host in ("localhost", "127.0.0.1", "[::1]"):
                findings.append(_LOOPBACK)
    return findings
