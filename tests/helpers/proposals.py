"""What a target proposes, applied and sorted: the words in which the tests of targets are written."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from krm_fn import patch
from krm_fn.krm.results import Edit, Result, Severity
from krm_fn.places.place import read_places
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context
from krm_fn.targets.base import Target

HTTP = "http://proxy.corp.example:3128"
HTTPS = "http://secure.corp.example:3129"
NO = "localhost,127.0.0.1,.svc,.cluster.local"
FULL = ProxySettings(HTTP, HTTPS, NO)
NONE = ProxySettings()


def proposals(target: Target, obj: Any, settings: ProxySettings = FULL, **options: Any) -> list[Edit | Result]:
    """What ``target`` says about ``obj``, which it must leave as it is."""
    before = copy.deepcopy(obj)
    said = list(target.edit(obj, Context(options, settings)))
    assert obj == before
    return said


def changes(target: Target, obj: Any, settings: ProxySettings = FULL, **options: Any) -> list[Edit]:
    """The edits of ``target``; places of before must read what those of after do."""
    places = [*target.places(obj, Context(options, settings))]
    edits = [said for said in proposals(target, obj, settings, **options) if isinstance(said, Edit)]
    for edit in edits:
        after = [*read_places(edit.data or {}, places)]
        found_again = [*target.places(edit.data or {}, Context(options, settings))]
        assert {*after} == {*read_places(edit.data or {}, found_again)}
    return edits


def findings(target: Target, obj: Any, settings: ProxySettings = FULL, **options: Any) -> list[Result]:
    said = [made for made in proposals(target, obj, settings, **options) if isinstance(made, Result)]
    return [result for result in said if result.code not in ("PolicyDeprecated", "PolicyKeepsValueFrom")]


def messages(target: Target, obj: Any, **options: Any) -> list[str]:
    return [said.message for said in findings(target, obj, **options) if said.severity is Severity.WARNING]


def apply(target: Target, obj: Any, settings: ProxySettings = FULL, **options: Any) -> Any:
    """The object after the operations; each must name a place that is there, and a second run must want nothing."""
    proposed = changes(target, obj, settings, **options)
    result = copy.deepcopy(obj)
    for change in proposed:
        result = patch.apply(result, change.operations)
    assert changes(target, result, settings, **options) == []
    return result


def env(values: Mapping[str, str]) -> list[dict[str, str]]:
    """``{"A": "b"}`` as Kubernetes writes it."""
    return [{"name": name, "value": value} for name, value in values.items()]


def proxy_settings(http_proxy: str, https_proxy: str, no_proxy: str) -> ProxySettings:
    """Return settings of three values; ``st.builds`` of the class itself would vary its other members as well."""
    return ProxySettings(http_proxy, https_proxy, no_proxy)
