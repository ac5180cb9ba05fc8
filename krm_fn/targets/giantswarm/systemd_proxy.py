"""The Secret ``<cluster>-systemd-proxy``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers import drop_in_secret, unit_text
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables
from krm_fn.engine import Draft
from krm_fn.formats import embedded
from krm_fn.formats.embedded import Value
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, Options, Target

_UNITS = {key: unit for unit, key in drop_in_secret.KEYS.items()}


def companions(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the Secret of the Cluster ``obj``; ``sites`` fills it."""
    cluster = lookup(obj, ("metadata", "name"))
    if isinstance(cluster, str) and cluster:
        labels = {giantswarm.CLUSTER_LABEL: cluster}
        yield created_objects.skeleton(
            "Secret", drop_in_secret.name_for(cluster), obj, labels=labels, type="Opaque"
        )


class _UnitText:
    """The drop-in of one service under a key of the Secret, as a site.

    Args:
        draft: the data of the Secret.
        value: the text; it need not be there yet.
    """

    def __init__(self, draft: Draft, value: Value) -> None:
        self._draft = draft
        self._value = value
        self.label = f"the drop-in of {_UNITS[value.path[-1]]} under `{value.path[-1]}`"

    def _text(self) -> str:
        written = self._draft.get(self._value.path)
        return self._value.read(written) if isinstance(written, str) else ""

    def read(self) -> Iterator[Reading]:
        """Yield what systemd reads in the text, and what it does not take."""
        for one in unit_text.settings_of(self._text()):
            yield Reading(
                one.name,
                one.value,
                self._value.path,
                one.raw,
                self.label,
                why_unknown=one.why,
                is_lost=one.value is None,
            )

    def write(self, variables: Variables) -> None:
        """Make the text set the variables and no other of the six; a text of which nothing is left is removed."""
        old = self._text()
        if unit_text.has_rejected_header(old):
            if variables or unit_text.settings_of(old):
                message = unit_text.REJECTED_HEADER
                path = self._value.path
                self._draft.report(Severity.WARNING, message, path, code="SectionRejected")
            return
        try:
            new = unit_text.edit(old, variables)
        except ValueError as error:
            message = f"{error}; change the proxy settings"
            self._draft.report(Severity.ERROR, message, ("stringData",), code="ValueNotWritable")
            return
        if old and not new:
            for path in embedded.places(self._draft.data, self._value):
                self._draft.remove(path)
        elif new != old:
            self._draft.set(self._value.path, self._value.written(new))


class _CreatedSecret(SiteWithoutVariables):
    """A Secret that inject-proxy created, as a site: it is removed once no text is left in it."""

    label = "the Secret"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, variables: Variables) -> None:
        """Remove the Secret if nothing is left in it."""
        if not variables and not embedded.values(self._draft.data):
            self._draft.remove(())
            self._draft.describe(
                "removes the Secret, which inject-proxy created and which holds nothing else"
            )


def _wanted(obj: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """Return the keys to add where they are missing."""
    always = (
        _UNITS.values()
        if created_objects.was_created(obj)
        else ("containerd", *options.get("units", ()))
    )
    return [key for key, unit in _UNITS.items() if unit in always]


class _GiantswarmSystemdProxy(Target):
    id = "giantswarmSystemdProxy"
    kinds = frozenset({("", "Secret")})
    audience = Audience.NODE
    creates = created_objects.beside_clusters(companions)

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the drop-ins in a Secret, those that are missing too where there is a proxy.

        The option ``units`` names services whose drop-ins the nodes take from the Secret besides.
        """
        obj = draft.data
        if not drop_in_secret.is_one(lookup(obj, ("metadata", "name"))):
            return
        found = embedded.values(obj)
        is_readable = True
        for one in found:
            if isinstance(one, Finding) and (len(one.path) == 1 or one.path[-1] in _UNITS):
                draft.findings.append(one)
                is_readable = is_readable and len(one.path) > 1
        if not is_readable:
            return
        for one in found:
            if isinstance(one, Value) and one.path[-1] in _UNITS:
                yield _UnitText(draft, one)
        keys = {one.path[-1] for one in found}
        for key in _wanted(obj, context.options) if context.settings.sets_any else ():
            if key not in keys:
                yield _UnitText(draft, Value(("stringData", key), ""))
        if found and created_objects.was_created(obj):
            yield _CreatedSecret(draft)

    def hints(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return what the name of each such Secret ends in."""
        return (giantswarm.SYSTEMD_PROXY_SUFFIX,)

    def options(self, given: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
        """Return the options, and ``units``: which drop-ins the nodes take from the Secret besides."""
        own = given.get("giantswarmSystemdProxy", {})
        kubelet = given.get("kubeletDropIn", {})
        if kubelet.get("enabled", True) and kubelet.get("content") == "Secret":
            return {**own, "units": ("kubelet",)}
        return own

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give the drop-in under a key of the Secret other values, where all that it sets is known."""
        from krm_fn.carriers.unit_corrections import corrected  # noqa: PLC0415 -- only `lint --fix` corrects

        path = next(iter(place.values())).path
        for one in embedded.values(draft.data):
            if isinstance(one, Value) and one.path == path:
                edited = corrected(one.text, place, values)
                if edited is not None:
                    draft.set(path, one.written(edited))


TARGET = _GiantswarmSystemdProxy()
