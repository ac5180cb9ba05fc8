"""Files of other programs on the nodes, on request: login shells, apt, zypper, docker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site, Variables
from krm_fn.carriers.unit_text import UnitSetting
from krm_fn.engine import Draft
from krm_fn.formats import line_forms
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer
from krm_fn.products.node_files import ATTRIBUTES, BY_PATH, NODE_FILES, LineForm, NodeFile
from krm_fn.products.node_kinds import FILES_ON_REQUEST, kinds_of
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.base import Context, Options, Target
from krm_fn.targets.nodes import config_spec
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.drop_in_file import DropIn, OtherDropIns, correct_drop_in
from krm_fn.targets.nodes.environment_file import EnvironmentFile
from krm_fn.targets.nodes.files import File, decode, encode


class _LineFile(EnvironmentFile):
    """One file with a variable in each line, as a site.

    Args:
        spec: the configuration that puts the file on the nodes.
        file: says which one, and how it is written.
        form: its form.
    """

    def __init__(self, spec: ConfigSpec, file: NodeFile, form: LineForm) -> None:
        super().__init__(spec, file.reader, FILES_ON_REQUEST, file.path)
        self.label = f'the file "{file.path}"'
        self.may_append = file.is_shared
        self._form = form

    def settings_of(self, text: str) -> Iterator[UnitSetting]:
        """Yield the proxy variables that a text sets, where nothing but plain assignments does so."""
        if line_forms.is_editable(self._form, text):
            found = line_forms.values(self._form, text)
            for name in PROXY_VARIABLES:  # where case means nothing, it is that of either
                said = name if name in self._form.names else name.upper()
                if said in found:
                    yield UnitSetting(name, found[said], "")

    def read(self) -> Iterator[Reading]:
        """Yield what the file sets, and those of the variables that such a file cannot say."""
        found = [*super().read()]
        yield from found
        for name in PROXY_VARIABLES:
            if found and name.upper() not in self._form.names:
                why = f"{self.unit} has no such list"
                yield found[0]._replace(variable=name, value=None, raw="", why_unknown=why)

    def edited(self, text: str, place: Pointer, variables: Variables) -> str | None:
        """Return a text with exactly the variables; None where it is left alone, which is reported at ``place``.

        Raises:
            ValueError: a value cannot be written.
        """
        if not line_forms.is_editable(self._form, text):
            message = (
                "`content` sets a proxy with other lines than plain assignments, and is left as it is: write each in "
                "a line of its own, or remove it"
            )
            self.spec.draft.report(Severity.WARNING, message, place, code="EntryNotEdited")
            return None
        edited = line_forms.edit(self._form, text, variables)
        return edited if edited.strip() else ""

    def fresh(self, variables: Variables) -> str:
        """Return a new text with the variables.

        Raises:
            ValueError: a value cannot be written.
        """
        return line_forms.edit(self._form, "", variables)

    def _new_entry(self, place: Pointer, variables: Variables) -> Mapping[str, Any] | None:
        text = self.fresh(variables)
        if not text:
            return None
        entry: dict[str, Any] = dict(File(self.path, text, **ATTRIBUTES).entry(self.spec))
        if self.may_append:
            if self.spec.ignition or not self.spec.system.has_append:
                self._report_no_append()
                return None
            entry = {"append": True, **entry}
        self._report_limits(entry, place, variables)
        return entry

    def _report_no_append(self) -> None:
        form = "Ignition" if self.spec.ignition else self.spec.system.name
        message = (
            f'`files` of {form} replace a file, and images have a "{self.path}" with more in it, so none is added: '
            'take "profile" in place of "environment", or write an entry with what your image holds'
        )
        self.spec.draft.report(Severity.WARNING, message, self.spec.files, code="FileNotAdded")


class _FilesOnRequest(Target):
    id = FILES_ON_REQUEST
    kinds = kinds_of(FILES_ON_REQUEST)
    audience = Audience.NODE

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the files that the option ``files`` names."""
        chosen = context.options.get("files", ())
        is_wanted = bool(chosen) and context.settings.sets_any
        spec = config_spec.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
        if spec is None:
            return
        for name, file in NODE_FILES.items():
            if name not in chosen:
                continue
            if file.form is not None:
                yield _LineFile(spec, file, file.form)
                continue
            drop_in = DropIn(spec, file.reader, self.id, {"path": file.path}, ProxySettings())
            yield drop_in
            yield OtherDropIns(drop_in)

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give the variables of a file other values, where all that it sets is known."""
        path = next(iter(place.values())).path
        entry = draft.get(path[:-1])
        form = BY_PATH[entry["path"]].form
        if form is None:
            correct_drop_in(draft, place, values)
            return
        text = decode(entry)
        known = {name: one.value for name, one in place.items()} | dict(values)
        if text is None or None in known.values() or not line_forms.is_editable(form, text):
            return
        wanted = {name: known[name] or "" for name in PROXY_VARIABLES if name in known}
        edited = line_forms.edit(form, text, wanted)
        if edited != text:
            draft.set(path, encode(edited, entry.get("encoding")))


TARGET = _FilesOnRequest()
