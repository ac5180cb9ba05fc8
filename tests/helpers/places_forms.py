"""A form at a place of plain data: what it writes, what it reports and what it reads."""

from __future__ import annotations

import copy
from typing import Any

from krm_fn import patch
from krm_fn.engine import Draft
from krm_fn.krm.results import Result
from krm_fn.places.place import Form, Place, write_places
from krm_fn.settings import ProxySettings
from proposals import FULL


def place(form: Form, *path: str, **more: Any) -> Place:
    return Place(path, form, "the proxy", **more)


def write(data: Any, at: Place, settings: ProxySettings = FULL) -> tuple[Draft, list[Result]]:
    """The draft and the findings after one place of data is written; the data must stay as it is."""
    before = copy.deepcopy(data)
    draft = Draft(data)
    write_places(draft, [at], settings)
    assert data == before
    return draft, draft.findings


def written(data: Any, at: Place, settings: ProxySettings = FULL) -> Any:
    """The data after the operations; another run must want nothing."""
    draft, _ = write(data, at, settings)
    result = patch.apply(copy.deepcopy(data), draft.operations()) if draft.edits else data
    assert write(result, at, settings)[0].edits == 0
    return result


def reported(data: Any, at: Place, settings: ProxySettings = FULL) -> list[tuple[str, tuple[str, ...]]]:
    """Code and path of each finding."""
    return [(finding.code, finding.path) for finding in write(data, at, settings)[1]]


def read(data: Any, at: Place) -> dict[str, str | None]:
    return {reading.variable: reading.value for reading in at.form.read(data, at)}
