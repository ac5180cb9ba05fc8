"""Charts of your choice: their programs get the proxy by the values of the chart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Any, NamedTuple, Texts
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer, lookup, text_at
from krm_fn.places.choice import chosen_charts
from krm_fn.places.containers import Container, EnvEntries
from krm_fn.places.installed_charts import ChartSources, ChartUse, charts_of
from krm_fn.places.mapping_forms import Members, VariableMembers
from krm_fn.places.place import KEEP, OVERRIDE, Form, Place, in_text, quoted
from krm_fn.places.provided import DataReference, DataUses, provided_for, references_in
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.products.charts import MAPPING, Chart, ChartValue, Version
from krm_fn.products.proxy_keys import CREDENTIAL_SECRET
from krm_fn.products.release_kinds import APPLICATION, HELM_RELEASE
from krm_fn.targets.base import Context, Data, Options, Places, Target
from krm_fn.targets.charts.reached_programs import IS_REACHED
from krm_fn.targets.charts.release_values import (
    Installation,
    fitted_chart,
    holds,
    is_read,
    lowest_version,
    namespace_of_release,
    other_names,
    overrides,
    read_installation,
    service_names,
    values_from,
    values_of_version,
    values_path,
    with_own_rows,
)

_LATER = (
    "gets no proxy under {values} of the chart {chart}, which are there since its version {since}, because its "
    "version may be an older one: upgrade it, or set the proxy yourself"
)
_NEWEST = "names no version of the chart {chart}, so the proxy is under values that it has since {since}: {values}"


def _named(chart: Chart, names: Sequence[str]) -> list[ChartValue]:
    """Return the values of a chart that an annotation names; all of them without names."""
    values = []
    for value in chart.values:
        own_names = {value.name, *value.names}
        if not names or not own_names.isdisjoint(names):
            values.append(value)
    return values


class Charts(Target):
    """The proxy in the values of charts that matchers or annotations choose.

    Example: in ``spec`` of a chosen HelmRelease of Harbor::

        values: {proxy: {}}

    becomes::

        values: {proxy: {httpProxy: "http://proxy:3128", httpsProxy: "http://proxy:3128", noProxy: "10.0.0.0/8"}}
    """

    audience = Audience.POD

    def hints(self, options: Options) -> Texts:
        """Return the text hints; where matchers choose charts, the kinds that install them, too."""
        words = super().hints(options)
        if options.get("choose"):
            words += (HELM_RELEASE[1], APPLICATION[1])
        return words

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places among the values of the chosen charts.

        Charts read a value with ``{{`` as a template, so such settings are an error, and nothing is written.
        """
        if group_kind(data) in (HELM_RELEASE, APPLICATION):
            places = _in_installation(data, context)
        else:
            places = _in_data(data, context)
        variables = context.settings.variables
        if not any("{{" in text for text in variables.values()):
            yield from places
        elif any(isinstance(place, Place) for place in places):
            yield Result(
                "CannotWrite",
                "the proxy or its list holds `{{`, which charts read as a template: take it out of `spec.noProxy`",
            )

    def readers(self, data: Data, options: Options, uses: DataUses) -> Readers:
        """Return who reads the list: Go programs where all charts of the object are such."""
        is_go = set()
        for chosen in chosen_charts(data, options, uses.chart_sources):
            chart = read_installation(chosen.use, data, options, uses).chart
            is_go.add(chart is not None and chart.is_go)
        audience = Audience.GO if is_go == {True} else Audience.POD
        names = []
        releases = [reference.release for reference in uses.references_to(data)]
        for installing in (data, *filter(None, releases)):
            for use in charts_of(installing, uses.chart_sources):
                installation = read_installation(use, installing, options, uses)
                names += service_names(installation) or []
                names += other_names(installation)
        return Readers(audience, tuple(dict.fromkeys(names)))

    def pod_namespaces(self, data: Data, options: Options) -> Texts:
        """Return the namespace into which an object installs its charts."""
        return (namespace_of_release(data),)

    def references(
        self, data: Data, options: Options, sources: ChartSources
    ) -> Iterator[DataReference]:
        """Yield the references to ConfigMaps and Secrets from which the chosen charts take values and variables."""
        for chosen in chosen_charts(data, options, sources):
            installation = read_installation(chosen.use, data, options, DataUses())
            chart = installation.chart
            own = installation.own
            if chart is None:
                continue
            values = _named(chart, chosen.names)
            names = []
            for value in values:
                if holds(value, own):
                    continue
                if not any(overrides(value, installation)):
                    names.append(value.name)
            for key, member in values_from(data):
                # The list of such a chart needs names that only the release says, also where a Secret holds the list.
                release = data if chart.services or chart.others else None
                if names or release:
                    reference = DataReference(key, member, chart=chosen.use.name)
                    yield reference._replace(names=tuple(names), release=release)
            for value in values:
                yield from references_in(namespace_of_release(data), _container(value, own))


def _in_installation(data: Data, context: Context) -> Places:
    """Yield the places in a HelmRelease or an Application."""
    sets_proxy = context.settings.sets_any
    for use, names in chosen_charts(data, context.options, context.uses.chart_sources):
        installation = read_installation(use, data, context.options, context.uses)
        chart = installation.chart
        if chart is None:
            if sets_proxy:
                yield _unknown(use, ())
            continue
        values = _named(chart, names)
        if sets_proxy:
            version = lowest_version(use.version)
            values, newer = values_of_version(values, version, installation.documents)
            yield from _about_version(use, version, newer)
            for value in _named(chart, names):
                if version and _is_in_other_form(value, version, installation.documents[1:]):
                    message = (
                        f"takes values from a ConfigMap or Secret that holds {quoted([value.name])} in the form of "
                        f"other versions of the chart {use.name} than this object names, and the run keeps it: give "
                        "each version values of its own"
                    )
                    yield Result("ByHand", message, use.path)
            yield from _about(installation, chart, names)
            if values and context.settings.trusted_ca.pem:
                message = (
                    f'gets the proxy by the chart "{use.name}", and not the certificates of `spec.trustedCA`, which '
                    "no run writes into charts: set them in its values"
                )
                yield Result("CertificatesNotSet", message, use.path)
        chart_places = _ChartPlaces(use.name, values, context, data)
        yield from _in_values(chart_places, installation)


def _about_version(use: ChartUse, version: Version | None, newer: Sequence[ChartValue]) -> Results:
    """Yield a finding about values that only newer versions of a chart have."""
    if not newer:
        return
    first = max(value.since for value in newer)
    since = ".".join(map(str, first))
    paths = quoted(value.name for value in newer)
    message = _LATER if version else _NEWEST
    text = message.format(chart=use.name, values=paths, since=since)
    yield Result("ByHand", text, use.path, is_info=version is None)


def _is_in_other_form(value: ChartValue, version: Version, documents: Iterable[Any]) -> bool:
    """Return whether a document has a place of a version of a chart in the form that other versions read."""
    if not (value.since or value.before) or not value.is_in(version):
        return False
    other = list if value.form == MAPPING else dict
    return any(isinstance(lookup(document, value.steps), other) for document in documents)


def _about(installation: Installation, chart: Chart, names: Sequence[str]) -> Results:
    """Yield the findings about a chart: names that no row knows, and programs that get no proxy by its values alone."""
    use = installation.use
    missing = [name for name in names if not _named(chart, [name])]
    if missing:
        yield _unknown(use, missing)
    if chart.unreached:
        reaches_all = IS_REACHED[use.name]
        if not reaches_all(installation.chart_documents):
            yield Result("ByHand", chart.unreached, use.path)
    for value in chart.values:
        if is_read(value, installation.own):
            if service_names(installation) is None:
                yield Result(
                    "FactsUnknown",
                    "`NO_PROXY` lacks the names of Services by which its programs call each other, because its "
                    "values give them other names, or the object does not say in which namespace they are: add the "
                    "names to `spec.noProxy`",
                    use.path,
                )
            return


def _unknown(use: ChartUse, names: Iterable[str]) -> Result:
    """Return the warning about a chart, or some of its values, that no row knows."""
    where = ""
    if names:
        where = f' under {quoted(names)} of an annotation, which may be "true", "false" or names of values'
    message = (
        f'gets no proxy by the chart "{use.name}", because no row says which of its values hold one{where}: add it '
        'to `spec.targets.charts.rows`, or leave it out with the annotation `fn.inject-proxy.io/proxy: "false"`'
    )
    return Result("ByHand", message, use.path)


class _ChartPlaces(NamedTuple):
    """The values of one chart that get the proxy, in a HelmRelease, an Application or the data that one refers to."""

    name: str
    values: list[ChartValue]
    context: Context
    data: Data

    def places(self, document: Any, root: Pointer = (), keep: int = 0) -> Places:
        """Yield the places in the values at a path of a document."""
        keeps = self.context.options.get("conflict", OVERRIDE) == KEEP
        there = lookup(document, root)
        settings = self.context.settings
        sets_proxy = settings.sets_any
        for value in self.values:
            if sets_proxy and not is_read(value, there):
                continue
            existing = lookup(there, value.steps)
            container = _container(value, there)
            provided = provided_for(self.context.uses, namespace_of_release(self.data), container)
            entries = EnvEntries(provided=provided, ours=settings.urls_in_secrets)
            form = _form(value, existing, entries)
            label = f"{quoted(value.names)} of the chart {self.name}"
            path = root if value.texts else (*root, *value.steps)
            is_list = isinstance(form, EnvEntries)
            place = Place(path, form, label, keep, on_conflict_keep=keeps)
            if is_list:
                yield place
            else:
                yield from in_text(place, settings)
            # Helm merges mappings, and replaces lists as a whole.
            is_new_list = is_list and existing is None
            if sets_proxy and is_new_list and self._replaces_others(root):
                yield Result(
                    "ListReplaced",
                    f"the list {label} replaces that of the chart, and those of other objects and files with "
                    "values: keep all of its entries in one place",
                    path,
                )

    def _replaces_others(self, root: Pointer) -> bool:
        """Return whether a new list may replace one of other values, which are not read here."""
        if "spec" not in self.data:  # of a ConfigMap or a Secret, which are beside others
            return True
        if lookup(self.data, ("spec", "valuesFrom")):
            return True
        return bool(lookup(self.data, (*root[:-1], "valueFiles")))


def _in_values(chart_places: _ChartPlaces, installation: Installation) -> Places:
    """Yield the places in the values that an object holds, and a warning for each one that something else sets.

    Those that a ConfigMap or Secret of ``valuesFrom`` has begun are written there.
    """
    use = installation.use
    data = installation.data
    _, *others = installation.documents
    own = []
    for value in chart_places.values:
        findings = [*overrides(value, installation)]
        is_elsewhere = any(holds(value, other) for other in others)
        if findings and chart_places.context.settings.sets_any:
            yield from findings
        # Values of the object win over those of ``valuesFrom``.
        elif holds(value, installation.own) or not is_elsewhere:
            own.append(value)
    chart_places = chart_places._replace(values=own)
    # An Application may hold its values as a text alone.
    text_path = (*use.path, "helm", "values")
    text = text_at(data, text_path)
    path = values_path(use, data)
    if text.strip() and lookup(data, path) is None:
        value_text = embedded.Value(text_path, text)
        yield text_place(value_text, YamlText(chart_places.places), "the values")
    else:
        yield from chart_places.places(data, path, len(use.path))


def _in_data(data: Data, context: Context) -> Places:
    """Yield the places that are there in the texts of a ConfigMap or a Secret from which charts take values.

    Of several that are equally near to a release, such as one in each overlay of its base, each gets a place that is in
    one of them: the release itself has none then.
    """

    def places(charts: Mapping[str, DataReference], document: Any) -> Places:
        for name, reference in charts.items():
            documents = [document, reference.alternatives]
            chart = with_own_rows(fitted_chart(name, document), name, context.options)
            values = _named(chart, reference.names) if chart else []
            if context.settings.sets_any:  # only a removal looks at places of older versions
                values, _ = values_of_version(values, None, documents)
            there = [value for value in values if any(holds(value, other) for other in documents)]
            chart_places = _ChartPlaces(name, there, context, data)
            yield from chart_places.places(document)

    references = [reference for reference in context.uses.references_to(data) if reference.names]
    if not references:
        return
    for text in embedded.values(data):
        member = text.path[-1]
        charts = {
            reference.chart: reference for reference in references if reference.member == member
        }
        if text.problem:
            everywhere = {reference.chart: reference for reference in references}
            if context.settings.sets_any and any(places(everywhere, {})):
                yield text.problem  # another one has the place, so the release gets none
        elif charts:
            form = YamlText(partial(places, charts))
            yield text_place(text, form, "the values of charts")


def _form(value: ChartValue, there: Any, entries: EnvEntries) -> Form:
    """Return the form that is there, or else that of the table."""
    if value.texts:
        secret = CREDENTIAL_SECRET if value.is_of_github else ""
        return Members(value.texts, value.is_of_github, secret=secret)
    if isinstance(there, list):
        return entries
    if isinstance(there, dict) or value.form == MAPPING:
        return VariableMembers()
    return entries


def _container(value: ChartValue, values: Any) -> Container:
    """Return the container to which a list of values gives its entries."""
    return Container("", (), {"env": lookup(values, value.steps)})
