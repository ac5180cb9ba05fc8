"""Charts of your choice: their programs get the proxy by the values of the chart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from krm_fn import placeholders
from krm_fn.carriers.chosen_charts import Chosen, chosen_charts
from krm_fn.carriers.data_references import DataUsesReader, provided_for
from krm_fn.carriers.data_uses import NO_USES, DataUses
from krm_fn.carriers.documents import DocumentSites, TextDraft
from krm_fn.carriers.env_list import KEEP, OVERRIDE, UNIT, variable_of
from krm_fn.carriers.pod_spec import Container
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Places, Site, correct_sites, quoted
from krm_fn.clusters import APPLICATION, HELM_RELEASE, ChartUse, charts_of
from krm_fn.engine import Draft
from krm_fn.formats import embedded
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import Pointer, lookup
from krm_fn.products.charts import CHARTS, Chart, ChartValue
from krm_fn.proxy_url import split_url
from krm_fn.targets.base import Context, Data, Options, Target
from krm_fn.targets.charts.forms import (
    ChartPlace,
    holds,
    may_be_own,
    places_of,
    site_of,
    value_in_version,
    written_value,
)
from krm_fn.targets.charts.parameters import Parameters, set_by
from krm_fn.targets.charts.sources import (
    chart_in_table,
    has_services,
    namespace_of_release,
    reads_more_values,
    service_names,
    sources,
    values_from,
    values_of,
)
from krm_fn.targets.charts.written import OurValues, ValueKey, WrittenValues

_DATA = frozenset({("", "ConfigMap"), ("", "Secret")})
_UNKNOWN = (
    "gets no proxy by the chart {chart}, because no row says which of its values hold one{where}: add it to "
    '`spec.targets.charts.rows`, or leave it out with the annotation `fn.inject-proxy.io/proxy: "false"`'
)
_LIST_REPLACED = "the list {label} replaces that of the chart, which sets {names}: write these into the list, too"
_LIST_ELSEWHERE = (
    "the list {label} replaces the one of {elsewhere}, if that is there: "
    "keep all of its entries in one place"
)
_UNNAMED = (
    "`NO_PROXY` lacks the names of Services by which its programs call each other, because the object does not say in "
    "which namespace they are, or its names hold other characters: set `metadata.namespace`, `spec.targetNamespace` or "
    "`spec.destination.namespace`"
)
_TEMPLATE = "the proxy or its list holds `{{`, which charts read as a template: take it out of `spec.noProxy`"


class _Asked(NamedTuple):
    """What of one chart is written.

    Attributes:
        name: the chart.
        chart: what is known of it.
        values: the places.
        is_released: they are chosen no more, and what is ours goes.
        is_begun: only those that are there.
        elsewhere: what holds further values that are not seen here, in words; "" for nothing.
    """

    name: str
    chart: Chart
    values: list[ChartValue]
    is_released: bool = False
    is_begun: bool = False
    elsewhere: str = ""


class _Charts(Target):
    id = "charts"
    kinds = frozenset({HELM_RELEASE, APPLICATION}) | _DATA
    audience = Audience.POD

    def hints(self, options: Options) -> tuple[str, ...]:
        """Return the text hints; where matchers choose charts, the kinds that install them, too."""
        words = super().hints(options)
        return (*words, HELM_RELEASE[1], APPLICATION[1]) if options.get("charts") else words

    def sites(self, draft: Draft, context: Context) -> Places:
        """Yield the places among the values of the chosen charts, of those chosen before, and the annotation."""
        writer = _ChartSites(draft, context)
        if group_kind(draft.data) in _DATA:
            yield from writer.of_data()
        else:
            yield from writer.of_charts()
        yield from writer.released()
        yield from writer.annotation()

    def readers(self, data: Data, options: Options, uses: DataUses = NO_USES) -> Readers:
        """Return who reads the list: Go programs where all charts of the object are such."""
        sources_of_charts = uses.chart_sources
        chosen = chosen_charts(data, options, sources_of_charts)
        charts = [known_chart_of(one.use, options) for one in chosen]
        is_go = bool(charts) and all(chart is not None and chart.is_go for chart in charts)
        names: list[str] = []
        for installing in (data, *uses.use(data).releases):
            for use in charts_of(installing, sources_of_charts):
                names += service_names(use, installing, uses)
        return Readers(Audience.GO if is_go else Audience.POD, tuple(dict.fromkeys(names)))

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give one place among the values of a chosen chart other values."""
        correct_sites(_ChartSites(draft, Context(options)).of_charts(), place, values)

    def note_references(self, uses: DataUsesReader, data: Data, options: Options) -> None:
        """Note the ConfigMaps and Secrets from which the chosen charts take values and variables."""
        for chosen in chosen_charts(data, options, uses.found.chart_sources):
            names = tuple(_names_elsewhere(data, chosen, options))
            for key, member in sources(data):
                if names:
                    uses.note_values(key, member, chosen.use.name, names)
                if reads_more_values(chosen.use):
                    uses.note_release(key, member, data)
            for container in _containers(data, chosen, options):
                uses.note_containers(_in_namespace(data), [container])


TARGET = _Charts()


class _ChartSites:
    """The places of one object.

    Args:
        draft: the data of the object.
        context: what is known besides.
    """

    def __init__(self, draft: Draft, context: Context) -> None:
        self._draft = draft
        self._context = context
        self._options = context.options
        self._written = OurValues(draft)
        self._before = self._written.ours
        self._done: set[ValueKey] = set()
        self._is_asked = context.settings.sets_any
        self._has_site = False

    def of_charts(self) -> Places:
        """Yield the places in a HelmRelease or an Application."""
        sources_of_charts = self._context.uses.chart_sources
        for chosen in chosen_charts(self._draft.data, self._options, sources_of_charts):
            chart = known_chart_of(chosen.use, self._options)
            asked = self._asked(chosen.use.name, chart, chosen.names, chosen.use.path)
            if asked is not None:
                version = chosen.use.version
                values = [value_in_version(one, version) for one in asked.values]
                yield from self._of_use(chosen.use.path, asked._replace(values=values))
                self._report_unreached(chosen.use, asked.chart)
                self._report_unnamed(chosen.use)

    def of_data(self) -> Places:
        """Yield the places in the values that a ConfigMap or a Secret holds for charts."""
        use = self._context.uses.use(self._draft.data)
        for text in self._texts() if use.of_charts else ():
            for name, names in use.of_charts.get(text.path[-1], {}).items():
                chart = known_chart(name, self._options)
                asked = self._asked(name, chart, names, text.path)
                if asked is not None:
                    yield from self._in_text(text, asked._replace(is_begun=True))

    def released(self) -> Places:
        """Yield the places that an earlier run wrote and that are not chosen any more."""
        for key in self._before:
            if key in self._done:
                continue
            chart = known_chart(key.chart, self._options) or Chart(())
            known = [one for one in chart.values if one.name == key.name]
            values = known or [ChartValue(key.name)]
            asked = _Asked(key.chart, chart, values, is_released=True, is_begun=True)
            if group_kind(self._draft.data) in _DATA:
                for text in self._texts():
                    yield from self._in_text(text, asked)
            for use in charts_of(self._draft.data, self._context.uses.chart_sources):
                if use.name == key.chart or use.path == ("spec",):
                    yield from self._of_use(use.path, asked)

    def annotation(self) -> Iterator[Site]:
        """Yield the annotation that keeps what is ours."""
        if self._has_site or self._before:
            keeps_others = self._options.get("conflict") == KEEP
            yield WrittenValues(self._draft, self._written, keeps_others=keeps_others)

    def _texts(self) -> Iterator[embedded.Value]:
        """Yield the texts of a ConfigMap or a Secret that can be read."""
        for text in embedded.values(self._draft.data):
            if not isinstance(text, Finding):
                yield text

    def _asked(
        self, name: str, chart: Chart | None, names: tuple[str, ...], path: Pointer
    ) -> _Asked | None:
        """Return the places of a chart that get the proxy, those of ``names`` where some are given.

        What is asked for and not known is reported; without anything known, there is nothing to write.
        """
        found = chart.values if chart else ()
        if names:
            found = tuple(one for one in found if not {one.name, *one.names}.isdisjoint(names))
        known = {text for one in found for text in (one.name, *one.names)}
        missing = [one for one in names if one not in known]
        if self._is_asked and (chart is None or missing):
            where = f" under {quoted(missing)}" if chart else ""
            is_of_another = chart is None and name in CHARTS
            named = f"{name} of Bitnami" if is_of_another else name
            message = _UNKNOWN.format(chart=named, where=where)
            self._draft.report(Severity.WARNING, message, path, code="ChartUnknown")
        return _Asked(name, chart, list(found)) if chart else None

    def _of_use(self, path: Pointer, asked: _Asked) -> Places:
        """Yield the places in the values that a HelmRelease or a source of an Application holds."""
        asked = asked._replace(elsewhere=self._unread(path))
        if group_kind(self._draft.data) == HELM_RELEASE:
            values = [one for one in asked.values if not self._is_elsewhere(one)]
            yield from self._places(
                self._draft, (*path, "values"), 1, asked._replace(values=values)
            )
            return
        helm = (*path, "helm")
        wanted = [place for one in asked.values for place in places_of(one)]
        set_there = set_by(self._draft.get((*helm, "parameters")), wanted)
        in_parameters = [one for one in asked.values if holds(one, set_there)]
        if in_parameters:
            of_parameters = asked._replace(values=in_parameters)
            sites = partial(self._places, root=(), kept=0, asked=of_parameters)
            yield Parameters(self._draft, (*helm, "parameters"), sites, wanted)
        others = [one for one in asked.values if one not in in_parameters]
        asked = asked._replace(values=others)
        text = self._draft.get((*helm, "values"))
        is_text = isinstance(text, str) and text.strip()
        if is_text and self._draft.get((*helm, "valuesObject")) is None:
            yield from self._in_text(embedded.Value((*helm, "values"), str(text)), asked)
        else:
            yield from self._places(self._draft, (*helm, "valuesObject"), len(path), asked)

    def _in_text(self, text: embedded.Value, asked: _Asked) -> Places:
        """Yield the places in the first mapping of a text."""
        documents = TextDraft(self._draft, text, empty=("{}",)).documents()
        if isinstance(documents, Finding):
            self._draft.findings.append(documents)
            return
        for document in documents:
            data = document.draft.data
            if isinstance(data, dict):
                there = asked.values
                if asked.is_begun:
                    there = [one for one in there if holds(one, data)]
                of_text = asked._replace(values=there)
                if there:
                    yield DocumentSites(
                        document, partial(self._places, root=(), kept=0, asked=of_text)
                    )
                return

    def _places(self, draft: Draft, root: Pointer, kept: int, asked: _Asked) -> Places:
        """Yield the sites of the places in the values at ``root`` of a draft."""
        conflict = self._options.get("conflict", UNIT)
        release = _in_namespace(self._draft.data)
        places = []
        for one in asked.values:
            values = lookup(draft.data, root)
            value = written_value(one, values)
            provided = provided_for(self._context.uses, release, _container(value, values))
            place = ChartPlace(
                draft,
                root,
                kept,
                value,
                asked.name,
                asked.chart,
                conflict,
                asked.is_released,
                provided,
            )
            self._done.add(place.key)
            if place.key in self._before:
                places.append(place._replace(conflict=OVERRIDE))
            elif not asked.is_released and (
                conflict != UNIT or self._is_asked or not may_be_own(place)
            ):
                places.append(place)
            # else its author's alone: no place that this target reads or removes
        is_template = any("{{" in text for text in self._context.settings.variables().values())
        if places and is_template:
            draft.report(Severity.ERROR, _TEMPLATE, root, code="ValueNotWritable")
            return
        for place in places:
            self._has_site = True
            yield site_of(place, self._written)
            self._report_lost_entries(place, asked.elsewhere)

    def _report_lost_entries(self, place: ChartPlace, elsewhere: str) -> None:
        """Report entries of other lists that a list among the values replaces, after it is written."""
        entries = place.draft.get(place.path)
        if not self._is_asked or place.is_released or not isinstance(entries, list):
            return
        names = [lookup(entry, ("name",)) for entry in entries]
        lost = [one for one in place.value.defaults if one not in names]
        if lost:
            message = _LIST_REPLACED.format(label=place.label, names=quoted(lost))
            place.draft.report(Severity.WARNING, message, place.path, code="ChartListReplaced")
        if elsewhere and all(map(variable_of, entries)):
            message = _LIST_ELSEWHERE.format(label=place.label, elsewhere=elsewhere)
            place.draft.report(Severity.WARNING, message, place.path, code="ChartListReplaced")

    def _report_unreached(self, use: ChartUse, chart: Chart) -> None:
        """Report a program of a chart that does not read the variables, unless a value that is seen says more."""
        unreached = chart.unreached
        if unreached is None or not self._is_asked or self._unread(use.path):
            return
        path = tuple(unreached.path.split("."))
        variables = self._context.settings.variables()
        url = variables.get("HTTPS_PROXY") or variables.get("HTTP_PROXY", "")
        host = "" if placeholders.is_in(url) else split_url(url).host
        found = None
        for values in values_of(use, self._draft.data, self._context.uses, [path]):
            found = lookup(values, path)
            if found is not None:
                break
        if _has_sign(found, unreached.sign, host):
            return
        self._draft.report(Severity.WARNING, unreached.message, use.path, code="ChartNotReached")

    def _report_unnamed(self, use: ChartUse) -> None:
        """Report that the names of Services are not known by which the programs of a chart call each other."""
        if not (self._is_asked and has_services(use)):
            return
        if not any(True for _ in service_names(use, self._draft.data, self._context.uses)):
            self._draft.report(Severity.WARNING, _UNNAMED, use.path, code="ChartServicesUnknown")

    def _unread(self, path: Pointer) -> str:
        """Return what holds further values of a chart and is not in the list of objects, in words; "" for nothing."""
        data = self._draft.data
        for key, member in sources(data):
            if (key, member) not in self._context.uses.values:
                return f'the {key[0]} "{key[2]}", which is not in the list'
        return "a file of `valueFiles`" if lookup(data, (*path, "helm", "valueFiles")) else ""

    def _is_elsewhere(self, value: ChartValue) -> bool:
        """Return whether an object of ``valuesFrom`` has a place that ``spec.values`` lacks."""
        if holds(value, self._draft.get(("spec", "values"))):
            return False
        return any(
            holds(value, values) for values in values_from(self._draft.data, self._context.uses)
        )


def known_chart(name: str, options: Options) -> Chart | None:
    """Return where a chart takes a proxy: by the rows of the user, or else by the table; None if nobody says so."""
    rows = [one for one in options.get("rows", ()) if one["chart"] == name]
    if not rows:
        return CHARTS.get(name)
    values = [
        ChartValue(
            one["path"],
            one["form"],
            no_proxy=one.get("noProxy", ""),
            defaults=tuple(one.get("defaults", ())),
        )
        for one in rows
    ]
    return Chart(tuple(values))


def known_chart_of(use: ChartUse, options: Options) -> Chart | None:
    """Return what ``known_chart`` knows of a chart; one of Bitnami has only the rows of the user."""
    is_of_table = all(one["chart"] != use.name for one in options.get("rows", ()))
    return chart_in_table(use) if is_of_table else known_chart(use.name, options)


def _names_elsewhere(data: Data, chosen: Chosen, options: Options) -> Iterator[str]:
    """Yield the names of the values of a chosen chart that ``spec.values`` lacks: other objects may hold them."""
    chart = known_chart_of(chosen.use, options)
    for value in chart.values if chart else ():
        is_wanted = not chosen.names or value.name in chosen.names
        if is_wanted and not holds(value, lookup(data, ("spec", "values"))):
            yield value.name


def _container(value: ChartValue, values: Any) -> Container:
    """Return the container to which a list of values gives its entries."""
    return Container("", (), {"env": lookup(values, value.steps)})


def _containers(data: Data, chosen: Chosen, options: Options) -> Iterator[Container]:
    chart = known_chart_of(chosen.use, options)
    roots = (("values",), ("helm", "valuesObject"))
    for value in chart.values if chart else ():
        for root in roots:
            yield _container(value, lookup(data, (*chosen.use.path, *root)))


def _has_sign(found: Any, sign: str, host: str) -> bool:
    """Return whether a value holds the sign of an ``Unreached``.

    Args:
        found: a list of variables, or a text; None for nothing.
        sign: the variable, or what is in the text.
        host: that of the proxy; "" where it is not known, and then any counts.
    """
    if isinstance(found, list):
        values = [lookup(one, ("value",)) for one in found if lookup(one, ("name",)) == sign]
        return bool(values) and str(values[-1]) != "0"  # the last one counts
    text = "" if found is None else str(found)
    if not (text and sign):
        return bool(text)
    # Hosts are the same in any case of letters, and addresses of IPv6 in brackets and without.
    text, sign = (
        one.lower().replace("[", "").replace("]", "")
        for one in (text, sign.replace("{host}", host))
    )
    parts = text.split(sign)[1:]
    return any(not host or not re.match(r"[\w.:-]", behind) for behind in parts)


def _in_namespace(data: Data) -> dict[str, Any]:
    """Return what says in which namespace the programs of a chart run."""
    return {"metadata": {"namespace": namespace_of_release(data)}}
