"""Plain files of other systems, filled with a proxy as losslessly as objects of a list.

One text in, the same text out with the proxy of its system in it. The names it writes are those
that ``formats`` reads; the places are those of the targets.
"""

from __future__ import annotations

from functools import partial

from krm_fn.engine import Draft
from krm_fn.errors import InputError, InternalError
from krm_fn.formats import embedded, sops
from krm_fn.formats.embedded import NotEditedError, Value
from krm_fn.places.place import Place, write_places
from krm_fn.places.texts import Text, YamlText
from krm_fn.plan.sources import formats
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from krm_fn.targets.base import FileForm

_TARGETS = {
    formats.TKG: "tkgClusterConfig",
    formats.GIANT_SWARM: "giantswarmInstallationValues",
    formats.IMAGE_BUILDER: "imageBuilderOverrides",
}
"""Form -> the target that fills a file of it."""


def kind_of(form: str) -> tuple[str, FileForm]:
    """Return the ID of the target that fills files of a form, and how it does that."""
    target = TARGETS[_TARGETS[form]]
    if target.file is None:
        raise InternalError(f"`{target.id}` fills no files")
    return target.id, target.file


def filled(text: str, form: str, settings: ProxySettings) -> tuple[str, list[str]]:
    """Return a file with the proxy of ``settings``, or without one, and what was done, if anything was.

    Args:
        text: a file of the system; one that holds no document yet gets its first.
        form: one of ``formats``.
        settings: the proxy.

    Raises:
        InputError: the file cannot be read or edited, or is none of the system.
    """
    if sops.hides(text):
        raise InputError(f"the file {sops.ENCRYPTED}")
    file_form = kind_of(form)[1]
    _check(text, file_form, settings)
    draft = Draft(text)
    own = file_form.settings(settings)
    places = partial(file_form.places, own)
    yaml = YamlText(places, new_document=[one for one in places({}) if isinstance(one, Place)])
    place = Place((), Text(Value((), text), yaml), "the file", is_trust=True)
    write_places(draft, [place], own)
    for finding in draft.findings:
        raise InputError(finding.message.removeprefix("in it, "))
    after = str(draft.data)
    if text.strip() and not after.strip():
        after = "{}\n"  # readers of values want a mapping
    return after, draft.descriptions


def _check(text: str, form: FileForm, settings: ProxySettings) -> None:
    """Raise InputError for a file that cannot be filled."""
    try:
        documents = embedded.read(Value((), text))
    except NotEditedError as error:
        raise InputError(error.finding.message) from None
    if len(documents) > 1:
        raise InputError(f"the file must hold one YAML document, but it holds {len(documents)}")
    problem = form.problem(settings) if form.problem else None
    if problem is not None:
        raise InputError(problem.message)
