"""Where the values of a chart come from, and the names of Services that its templates make of them.

Sources: ``ChartValuesFromReferences``, ``GetReleaseName`` and ``ShortenName`` of helm-controller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from krm_fn.clusters import Key
from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, items_at, list_at, lookup, text_at
from krm_fn.places.installed_charts import ChartUse
from krm_fn.places.provided import DataUses, name_of, namespace_of, values_in
from krm_fn.products.charts import CHARTS, Chart, ChartValue, Services, Signs, Version
from krm_fn.products.release_kinds import APPLICATION, HELM_RELEASE
from krm_fn.targets.base import Data, Options

_OTHER_NAMES = ("fullnameOverride", "nameOverride", "namespaceOverride", "serverServiceName")
# Kind -> each list that sets values over all others: the member that names one, that of its text, and the advice.
#
# Source: ``newHelmTemplateOpts`` of Argo CD, which gives parameters to Helm as ``--set`` and ``--set-file``.
_OVERRIDES: dict[tuple[str, str], list[tuple[Pointer, str, str, str]]] = {
    HELM_RELEASE: [
        (
            ("valuesFrom",),
            "targetPath",
            "targetPath",
            "a `targetPath` sets `{}` over all other values: set the proxy there yourself",
        )
    ],
    APPLICATION: [
        (
            ("helm", "parameters"),
            "name",
            "value",
            "a parameter wins over `{}` of the values, and no run writes it: take it out of `parameters`",
        ),
        (
            ("helm", "fileParameters"),
            "name",
            "path",
            "a file wins over `{}` of the values, and no run writes it: take it out of `fileParameters`",
        ),
    ],
}
# Flux shortens a longer one, and puts a hash behind it.
_RELEASE_NAME = r"[a-z0-9][a-z0-9-]{0,52}"
_BOUND = r"""(?x)(?<![\w.<>=!~^-])
    (?:(?P<operator>[<>=!~^]+)\s*)?   # ">=", "~ ", or none for one version
    v?(?P<version>\d{1,9}(?:\.\d{1,9})*)  # "9", "9.1", "9.1.2"; the rest of "9.1.x" says nothing more
    (?!\w)                            # and no name, as "7f2a"
"""
# The URL of a Service, as its name alone or with the namespace; `NO_PROXY` holds all that end with `.svc`.
_IN_CLUSTER = re.compile(
    r"""\bhttp://
    ([a-z0-9-]+            # the name of a Service: "tempo"
      (?:\.[a-z0-9-]+)?)   # its namespace: "loki.logs"
    (?![\w.-])             # and no further part, as in "loki.logs.svc"
    """,
    re.VERBOSE,
)


def values_from(data: Data) -> Iterator[tuple[Key, str]]:
    """Yield the keys of ConfigMaps and Secrets from which a HelmRelease takes values, the last one first."""
    for source in reversed(list_at(data, ("spec", "valuesFrom"))):
        name = text_at(source, "name")
        key = text_at(source, "valuesKey") or "values.yaml"
        # With ``targetPath`` the text of a key is one value, and no document of values.
        if name and not lookup(source, "targetPath"):
            kind = text_at(source, "kind")
            yield Key("", kind, namespace_of(data), name), key


def lowest_version(text: str) -> Version | None:
    """Return the lowest version that a text allows; None if it says no version, or allows any.

    Source: Masterminds/semver, as Helm uses it: ``9.1.2``, ``>=9.0.0 <10``, ``9.x || ~10.2``, ``1.2 - 1.5``. The first
    bound of each range counts; an upper one allows the oldest version.
    """
    if "$" in text or "{" in text:  # filled in later
        return None
    versions = []
    for alternative in text.split("||"):
        bound = re.search(_BOUND, alternative)
        if bound is None:
            return None
        parts = [int(part) for part in bound["version"].split(".")]
        version = (*parts, 0, 0)
        if (bound["operator"] or "").startswith(("<", "!")):
            version = (0, 0, 0)
        elif not any(parts):  # ``>=0.0.0``
            return None
        versions.append(version)
    return min(versions)


def values_of_version(
    values: Iterable[ChartValue], version: Version | None, documents: Sequence[Any]
) -> tuple[list[ChartValue], list[ChartValue]]:
    """Return the places that a version of a chart has, each in one form, or that are in a document, and newer ones.

    Those are the places that only newer versions have; without a version, those that older ones do not have.
    """
    chosen: dict[str, ChartValue] = {}
    newer = []
    for value in values:
        is_there = any(holds(value, document) for document in documents)
        is_new = value.since and not is_there
        if value.is_in(version) or (value.since and is_there):
            chosen.setdefault(value.name, value)
            is_new = is_new and version is None
        if is_new and is_read(value, documents[0]):
            newer.append(value)
    # Where there is an older form, or an older place, nothing is missing.
    if any(value.before for value in chosen.values()):
        newer = []
    return [*chosen.values()], newer


def values_path(use: ChartUse, data: Data) -> Pointer:
    """Return the path of the values of a chart that a HelmRelease or an Application holds as data."""
    if group_kind(data) == HELM_RELEASE:
        return (*use.path, "values")
    return (*use.path, "helm", "valuesObject")


class Installation(NamedTuple):
    """A chart that an object installs, with its row and its values.

    Attributes:
        use: the chart.
        data: the HelmRelease or the Application.
        chart: its row, with the paths that its values have; None if no row knows it.
        documents: its values: those of the object, then those of ConfigMaps and Secrets, the ones that win first.
    """

    use: ChartUse
    data: Data
    chart: Chart | None
    documents: list[Any]

    @property
    def own(self) -> Any:
        """The values that the object itself holds."""
        return self.documents[0]

    @property
    def chart_documents(self) -> list[Any]:
        """The values as the chart gets them, also as a dependency of another one."""
        if self.chart and self.chart.below:
            return [lookup(document, self.chart.below) for document in self.documents]
        return self.documents

    @property
    def text(self) -> str:
        """All that is said of the chart and its values."""
        return str([lookup(self.data, self.use.path), *self.documents])


def read_installation(use: ChartUse, data: Data, options: Options, uses: DataUses) -> Installation:
    """Return a chart of an object with its values, and with its row: that of the user, or else of the table."""
    own = lookup(data, values_path(use, data))
    text = text_at(data, (*use.path, "helm", "values"))
    if own is None and text:
        for document in embedded.mappings(embedded.Value((), text)):
            own = document
            break
    documents = [own]
    for key, member in values_from(data):
        documents += values_in(uses.meant(key), member)
    chart = with_own_rows(_chart_in_table(use, documents), use.name, options)
    return Installation(use, data, chart, documents)


def with_own_rows(chart: Chart | None, name: str, options: Options) -> Chart | None:
    """Return the row of a chart with the places that the user says, if there are any, and not those of the table."""
    values = []
    for row in options.get("rows", ()):
        if row["chart"] == name:
            no_proxy = row.get("noProxy", "")
            values.append(ChartValue(row["path"], row["form"], no_proxy=no_proxy))
    if not values:
        return chart
    # The names that the programs call are those of the table.
    table = chart or Chart(())
    return Chart(values, services=table.services, others=table.others)


def overrides(value: ChartValue, installation: Installation) -> Results:
    """Yield a warning for all else that sets a value, or a part of it, over the values of an object.

    That is an entry of another list, or a Secret that is named beside a text: ``httpProxySecret`` beside ``httpProxy``.
    """
    use = installation.use
    data = installation.data
    for *above, last in value.texts.values():
        secret = (*above, f"{last}Secret")
        if text_at(installation.own, secret):
            yield Result(
                "ByHand",
                f"the Secret of `{'.'.join(secret)}` wins over `{value.name}`: set the proxy there yourself",
                use.path,
            )
    for fields, member, text_member, message in _OVERRIDES[group_kind(data)]:
        for path, entry in items_at(data, (*use.path, *fields)):
            # ``proxy.url``, or ``env[0].value``, in which a bracket begins a step as a dot does
            steps = text_at(entry, member).replace("[", ".") + "."
            names = [
                name
                for name in value.names
                if steps.startswith(f"{name}.") or name.startswith(steps)
            ]
            if names and steps != ".":
                yield Result("ByHand", message.format(value.name), (*path, text_member))


def holds(value: ChartValue, values: Any) -> bool:
    """Return whether values have a place: a list or a mapping of variables, or one of the texts."""
    if value.texts:
        texts = [lookup(values, path) for path in value.texts.values()]
        return texts != [None] * len(texts)
    variables = lookup(values, value.steps)
    return isinstance(variables, (list, dict))


def is_read(value: ChartValue, values: Any) -> bool:
    """Return whether values say that the program is there, and calls out, that reads one of them."""
    own = values
    if value.below:
        own = lookup(values, value.below)
    if value.where and not _have(own, value.where):
        return False
    return not _have(own, value.unless)


def _have(values: Any, signs: Signs) -> bool:
    """Return whether one of the signs is among some values."""
    return any(_has(values, path.split("."), word) for path, word in signs)


def _has(values: Any, steps: Sequence[str], word: str) -> bool:
    """Return whether a word is in a value at a path, in which ``*`` stands for each member of a mapping."""
    if values is None:
        return False
    if not steps:
        return word in str(values)
    step, *others = steps
    members = [lookup(values, step)]
    if step == "*" and isinstance(values, dict):
        members = [*values.values()]
    return any(_has(member, others, word) for member in members)


def _chart_in_table(use: ChartUse, documents: Sequence[Any]) -> Chart | None:
    """Return the row of a chart with these values.

    A chart of Bitnami has other values. A folder may hold another chart of the same name, so it has the row only if its
    values have a place of the row.
    """
    if use.is_of_bitnami:
        return None
    chart = None
    for document in documents:
        chart = fitted_chart(use.name, document)
        if chart is None or chart.below:
            break
    if chart is None or not use.is_folder:
        return chart
    for value in chart.values:
        if any(holds(value, document) for document in documents):
            return chart
    return None


def fitted_chart(name: str, values: Any) -> Chart | None:
    """Return the row of a chart, with paths below its name where the values are those of an umbrella chart.

    Helm gives a dependency the values under its name, so ``falco: {driver: {}}`` is for a chart that has falco in it.
    """
    chart = CHARTS.get(name)
    inner = lookup(values, name)
    if chart is None or not isinstance(inner, dict):
        return chart
    first_steps = {value.name.partition(".")[0] for value in chart.values}
    is_own = chart.has_own_name or not first_steps.isdisjoint(values)
    if is_own and first_steps.isdisjoint(inner):
        return chart
    values_below = [value._replace(below=name) for value in chart.values]
    return chart._replace(values=values_below)


def namespace_of_release(data: Data) -> str:
    """Return the namespace in which the programs of a chart run; "" where nothing names it."""
    if group_kind(data) == APPLICATION:  # its own namespace is that of Argo CD
        return text_at(data, ("spec", "destination", "namespace"))
    return text_at(data, ("spec", "targetNamespace")) or namespace_of(data)


def service_names(installation: Installation) -> list[str] | None:
    """Return the names by which the programs of a chart call each other, as its templates make them.

    None if values give others, or if the name of the release or its namespace is not known.
    """
    if installation.chart is None:
        return []
    release = _release_name(installation.use, installation.data)
    namespace = namespace_of_release(installation.data)
    names = []
    for services in installation.chart.services:
        signs = [_have(values, services.where) for values in installation.chart_documents]
        if services.where and not any(signs):
            continue
        is_renamed = any(name in installation.text for name in _OTHER_NAMES)
        if is_renamed or not re.fullmatch(_RELEASE_NAME, release):
            return None
        if services.has_namespace and not namespace:
            return None
        behind = f".{namespace}" if services.has_namespace else ""
        front = _full_name(services, release)
        names += [f"{front}{part}{behind}" for part in services.parts]
    return names


def _full_name(services: Services, release: str) -> str:
    """Return the begin of the names, as the helper ``fullname`` of each chart makes it of the name of the release."""
    if not services.own:
        return ""
    # ``contains $name .Release.Name``, then ``trunc 63 | trimSuffix "-"``.
    name = release
    if services.own not in release:
        name = f"{release}-{services.own}"
    return name[: services.longest].removesuffix("-") + "-"


def other_names(installation: Installation) -> list[str]:
    """Return the names of other Services that the programs of a chart call by URLs among the values."""
    if installation.chart is None or not installation.chart.others:
        return []
    _, _, urls = installation.text.partition(installation.chart.others)
    return _IN_CLUSTER.findall(urls)


def is_in_cluster(url: str) -> bool:
    """Return whether a URL leads to a Service."""
    return bool(_IN_CLUSTER.match(url)) or ".svc" in url


def _release_name(use: ChartUse, data: Data) -> str:
    """Return the name of the release, which Flux makes of two names where nobody gives it."""
    own = name_of(data)
    if group_kind(data) == APPLICATION:
        return text_at(data, (*use.path, "helm", "releaseName")) or own
    name = text_at(data, ("spec", "releaseName"))
    if name:
        return name
    target = text_at(data, ("spec", "targetNamespace"))
    if not target:
        return own
    return f"{target}-{own}"
