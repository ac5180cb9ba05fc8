"""Which files are manifests, and why the others are left alone: one answer for `run`, `lint` and `explain`."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from krm_fn.cli.files import FoundFiles, LeftAlone, find_files, read_each
from krm_fn.cli.parser import CommandParser
from krm_fn.cli.reading import read_found
from krm_fn.errors import InputError, UsageError
from krm_fn.formats import sops
from krm_fn.krm.manifests import Manifests
from krm_fn.light_typing import Any
from krm_fn.yamledit import has_complex_keys, read
from krm_fn.yamledit.stream import documents


class Selection:
    """Which files are manifests.

    Attributes:
        files: name -> content of all files that were read.
        manifests: the same of those that are manifests.
        left_alone: name of each other file, and of links that were not read -> why it is left alone.
        encrypted: the manifests that SOPS has encrypted: they count as objects of the list, and are not edited.
        paths: name of each file -> its absolute path, links followed; empty for a stream.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        manifests: Mapping[str, bytes] = MappingProxyType({}),
        left_alone: Mapping[str, LeftAlone] = MappingProxyType({}),
        paths: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.files = files
        self.manifests = dict(manifests)
        self.left_alone = dict(left_alone)
        self.encrypted: list[str] = []
        self.paths = dict(paths)

    def others(self) -> dict[str, bytes]:
        """Return name -> content of the files that hold no objects, but may say something about a proxy."""
        reasons = (LeftAlone.KUSTOMIZE, LeftAlone.OTHER)
        left = self.left_alone.items()
        return {name: self.files[name] for name, reason in left if reason in reasons}

    def named(self, *, verbose: bool) -> list[str]:
        """Return a line for each file that is left alone, by default only where that must be a mistake."""
        lines = []
        for name, reason in self.left_alone.items():
            if reason is LeftAlone.NOT_UTF8:
                lines.append(f"left alone: {name} (not UTF-8: save it so if it is a manifest)")
            elif verbose:
                lines.append(f"left alone: {name} ({reason.value[0]})")
        return lines

    def holds(self, path: str) -> bool:
        """Return whether the file at ``path`` is one of the manifests, under whatever name."""
        absolute = os.path.realpath(path)
        return any(self.paths.get(name) == absolute for name in self.manifests)

    def part(self, names: Iterable[str]) -> Selection:
        """Return what was selected of some of the files."""
        wanted = {*names}
        return Selection(
            {name: content for name, content in self.files.items() if name in wanted},
            {name: content for name, content in self.manifests.items() if name in wanted},
            {name: reason for name, reason in self.left_alone.items() if name in wanted},
        )

    def holds_object(self, manifests: Manifests) -> bool:
        """Return whether one of the documents in the files is an object: else there is nothing to change or to check.

        Args:
            manifests: the documents of ``self.manifests``.

        Raises:
            DocumentError: none is, and a file, which may have been meant to hold one, cannot be read.
        """
        unreadable: InputError | None = None
        for index in range(len(manifests)):
            # Kinds are seen at once, and a word is looked for in all documents.
            if not (manifests.kinds(index) or manifests.contains(index, ("kind",))):
                continue
            try:
                if any(obj.ref.kind for obj in manifests.objects(index)):
                    return True
            except InputError as error:
                unreadable = unreadable or error
        unreadable = unreadable or self._unreadable()
        if unreadable is not None:
            raise with_advice(unreadable)
        return False

    def _unreadable(self) -> InputError | None:
        """Return why the first file without an object is no YAML; None where all are."""
        for name, content in self.files.items():
            if self.left_alone.get(name, LeftAlone.OTHER) is not LeftAlone.OTHER:
                continue
            manifests = Manifests({name: content})
            try:
                for index in range(len(manifests)):
                    manifests.objects(index)
            except InputError as error:
                return error
        return None

    def refuse_nothing(self, manifests: Manifests) -> None:
        """Raise an error if none of the documents in the files is an object.

        Raises:
            UsageError: nothing is, and all can be read.
            DocumentError: as ``holds_object``.
        """
        if self.holds_object(manifests):
            return
        if not self.paths and self.files:
            raise nothing_in(next(iter(self.files)))
        counts = self.counts()
        left_alone = f" (left alone: {', '.join(counts)})" if counts else ""
        rendered = ""
        if {LeftAlone.TEMPLATE, LeftAlone.HELM} & {*self.left_alone.values()}:
            rendered = "; `helm template CHART | inject-proxy run --config FILE -` takes a chart"
        raise UsageError(
            f"the paths hold no manifest{left_alone}: name a file, or a folder with *.yaml, *.yml or *.json{rendered}"
        )

    def counts(self) -> list[str]:
        """Return ``2 of Helm charts`` and the like, for each reason that there is."""
        found = Counter(self.left_alone.values())
        parts = []
        for reason in LeftAlone:
            number = found[reason]
            if number:
                parts.append(f"{number} {reason.value[number > 1]}")
        if self.encrypted:
            parts.append(f"{len(self.encrypted)} encrypted by SOPS")
        return parts


KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_RESOURCE_LIST = re.compile(r"""^["']?kind["']?[ \t]*:[ \t]*["']?ResourceList\b""", re.MULTILINE)
_MARKS = ("{{", "{%", "<%", "[[")
"""What begins code of templates of Helm, Go, Jinja and ERB."""
_MARK = re.compile("|".join(map(re.escape, _MARKS)))
_QUOTED = re.compile(r""""[^"\\]*(?:\\.[^"\\]*)*"|'[^']*'""")
_QUOTES = re.compile("[\"']")
_BEHIND_QUOTES = frozenset(" \t\r,:}]'")
"""What YAML allows behind a text in quotes; the last is the second half of a quote within quotes."""


def nothing_in(stream: str) -> UsageError:
    """Return the error for a stream without an object."""
    return UsageError(
        f"{stream} holds no manifest: it must be YAML or JSON with `apiVersion` and `kind`"
    )


def with_advice(error: InputError) -> InputError:
    """Return an error about a document with the way to go on without it."""
    error.args = (f"{error}; `--exclude` leaves a file out",)
    return error


def add_exclude_option(command: CommandParser) -> None:
    """Add `--exclude` to a command that reads folders of manifests."""
    command.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="leave out what matches, as a line of `.gitignore` in PATH would; may be repeated",
    )


def read_selected(
    paths: Iterable[str], exclude: Sequence[str], also: Container[LeftAlone] = ()
) -> Selection:
    """Return the files of a command line, as ``select`` does; raises as ``find_files`` and ``read_each`` do."""
    found = find_files(paths, exclude)
    return select(read_each(found.names, lambda _: None), also, found)


def select(
    files: Mapping[str, bytes],
    also: Container[LeftAlone] = (),
    listed: FoundFiles | None = None,
) -> Selection:
    """Return which files are manifests.

    Args:
        files: name -> content. On the disk around them is looked for `Chart.yaml` and for kustomizations.
        also: reasons for which a file is not left alone here.
        listed: where the files are, and what was found beside them and not read; None: their names say it.
    """
    if listed is None:
        listed = FoundFiles({name: os.path.realpath(name) for name in files}, {})
    paths = listed.paths
    inputs = _inputs_of_kustomizations(paths.values())
    found = Selection(files, left_alone=listed.left_alone, paths=paths)
    for name, content in files.items():
        path = paths[name]
        is_input = path in inputs and LeftAlone.KUSTOMIZE not in also
        reason = LeftAlone.KUSTOMIZE if is_input else _reason(path, content)
        if reason is not None and reason not in also:
            found.left_alone[name] = reason
            continue
        found.manifests[name] = content
        if b"ENC[" in content and sops.hides(content.decode()):
            found.encrypted.append(name)
    return found


def _reason(path: str, content: bytes) -> LeftAlone | None:
    if _is_of_helm(path):
        return LeftAlone.HELM
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return LeftAlone.NOT_UTF8
    if path.endswith(".patch") or "apiVersion" not in text or "kind" not in text:
        return LeftAlone.OTHER
    if "ResourceList" in text and _RESOURCE_LIST.search(text):
        return LeftAlone.RESOURCE_LIST
    if _may_be_template(text) and not _is_yaml(text):
        return LeftAlone.TEMPLATE
    return None


def _may_be_template(text: str) -> bool:
    """Return whether a mark of a template is in a text, other than in a comment or within quotes on its line.

    A file without one need not be read to know that it is no template. One character is looked for faster than two,
    and the second one of most marks is rare in manifests.
    """
    if not any(mark[1] in text and mark in text for mark in _MARKS):
        return False
    for line in text.split("\n"):
        if (
            _MARK.search(line)
            and not line.lstrip(" ").startswith("#")
            and _MARK.search(_without_quoted(line))
        ):
            return True
    return False


def _without_quoted(line: str) -> str:
    """Return a line without its texts in quotes, up to the first one that does not end where YAML lets it end.

    In `"{{ .Get "a" }}"` none does.
    """
    kept, position = [], 0
    while opening := _QUOTES.search(line, position):
        quoted = _QUOTED.match(line, opening.start())
        if quoted is None or not _BEHIND_QUOTES.issuperset(line[quoted.end() : quoted.end() + 1]):
            break
        kept.append(line[position : opening.start()])
        position = quoted.end()
    return "".join([*kept, line[position:]])


def _is_yaml(text: str) -> bool:
    """Return whether the documents with a mark of a template are what they seem: `{{ .name }}` is YAML, too."""
    parts = [text[start:end] for start, end in documents(text)]
    marked = [part for part in parts if any(mark in part for mark in _MARKS)]
    try:
        return not any(map(has_complex_keys, marked))
    except InputError:
        return False


def _is_of_helm(path: str) -> bool:
    """Return whether a file is a template, the values or the description of a chart.

    Source: Helm's documentation, "Charts", "The Chart File Structure". What is in `crds` is no template.
    """
    folder, name = os.path.split(path)
    if name == "Chart.yaml" or name.startswith("values"):
        return _is_chart(folder)
    return _is_in_templates(folder)


@cache
def _is_in_templates(folder: str) -> bool:
    """Return whether a folder is that of the templates of a chart, or inside of one."""
    above, name = os.path.split(folder)
    if name == "templates" and _is_chart(above):
        return True
    return above != folder and _is_in_templates(above)


@cache
def _is_chart(folder: str) -> bool:
    return Path(folder, "Chart.yaml").is_file()


def _inputs_of_kustomizations(paths: Iterable[str]) -> set[str]:
    """Return the absolute names of files that kustomizations beside the files take as something else than objects.

    A strategic merge patch looks like an object, and replaces every list of a custom resource that is in it.
    """
    found: set[str] = set()
    for folder in map(Path, dict.fromkeys(map(os.path.dirname, paths))):
        for name in KUSTOMIZATIONS:
            data = _read_kustomization(folder / name)
            if data is not None:
                found.update(os.path.realpath(folder / path) for path in _inputs(data))
    return found


def kustomization_without(name: str) -> str | None:
    """Return the name of the kustomization in the folder of a file that does not list it; None where all is well."""
    folder = Path(name).parent
    for kustomization in KUSTOMIZATIONS:
        file = folder / kustomization
        data = _read_kustomization(file)
        if data is None:
            continue
        listed = [entry for entry in _entries(data, "resources") if isinstance(entry, str)]
        is_listed = any(os.path.normpath(entry) == Path(name).name for entry in listed)
        return None if is_listed else str(file)
    return None


def kustomization_that_runs(name: str) -> str | None:
    """Return the kustomization in the folder of a ProxyConfig that has it under `transformers`; None without one."""
    folder = Path(name).parent
    for file in (folder / kustomization for kustomization in KUSTOMIZATIONS):
        listed = _entries(_read_kustomization(file) or {}, "transformers")
        if any(
            os.path.normpath(entry) == Path(name).name for entry in listed if isinstance(entry, str)
        ):
            return str(file)
    return None


def inputs_of(kustomization: bytes) -> set[str] | None:
    """Return the paths that a kustomization takes as something else than objects; None where it cannot be read."""
    data = _data_of(kustomization)
    return None if data is None else set(_inputs(data))


def _read_kustomization(file: Path) -> dict[str, Any] | None:
    """Return the data of a kustomization; None where there is no such file, or it cannot be read."""
    if not file.is_file():
        return None
    try:
        return _data_of(read_found(file))
    except (InputError, OSError):
        return None


def _data_of(kustomization: bytes) -> dict[str, Any] | None:
    try:
        data = read(kustomization.decode())
    except (InputError, UnicodeDecodeError):
        return None
    return data if isinstance(data, dict) else None


def _inputs(kustomization: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of patches, of files for generators and of values.

    Source: kustomize ``api/types/kustomization.go``.
    """
    for entry in _entries(kustomization, "patches", "patchesJson6902", "replacements"):
        if isinstance(entry, dict):
            yield from _paths(entry.get("path"))
    for entry in _entries(kustomization, "patchesStrategicMerge"):
        yield from _paths(entry)
    for generator in _entries(kustomization, "configMapGenerator", "secretGenerator"):
        if isinstance(generator, dict):
            for entry in _entries(generator, "files"):
                yield from _paths(str(entry).rpartition("=")[2])
    for chart in _entries(kustomization, "helmCharts"):
        if isinstance(chart, dict):
            yield from _paths(chart.get("valuesFile"))
            for entry in _entries(chart, "additionalValuesFiles"):
                yield from _paths(entry)


def _entries(data: Mapping[str, Any], *keys: str) -> Iterator[Any]:
    for key in keys:
        held = data.get(key)
        if isinstance(held, list):
            yield from held


def _paths(value: Any) -> Iterator[str]:
    """Yield a value that may be a path; a patch that is written in place is a text of several lines or in braces."""
    if isinstance(value, str) and value and not {"\n", "{", "\0"} & {*value}:
        yield value
