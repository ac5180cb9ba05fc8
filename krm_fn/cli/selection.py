"""Which files are manifests, and why the others are left alone: one answer for `run`, `lint`, `explain` and `init`."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache

from krm_fn import clusters
from krm_fn.cli import streams
from krm_fn.cli.files import (
    TEMPLATES,
    UNFINISHED,
    FoundFile,
    common_folder,
    files_above,
    find_files,
    folders_around,
)
from krm_fn.cli.streams import read_file
from krm_fn.errors import InputError, UsageError
from krm_fn.formats import left_alone
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import ObjectSource
from krm_fn.krm.results import count
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Data, walk
from krm_fn.target_table import ROWS
from krm_fn.yamledit import Document, has_complex_key, is_yaml
from krm_fn.yamledit.stream import texts_of_documents

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# Fields of a kustomization that name files of objects.
_LISTS_OF_OBJECTS = (
    "resources",
    "components",
    "bases",
    "crds",
    "transformers",
    "generators",
    "validators",
)
_KIND_OF_LIST = r"""(?m)^["']?kind["']?[ \t]*:[ \t]*["']?ResourceList\b"""
_VERSION_OF_LIST = r"""(?m)^["']?apiVersion["']?[ \t]*:[ \t]*["']?config\.kubernetes\.io/"""
_ITEMS_OF_LIST = r"""(?m)^["']?items["']?[ \t]*:"""
# The beginnings of code in templates of Helm, Go, Jinja and ERB.
_MARKS = ("{{", "{%", "<%", "[[")
# A placeholder with which a document may be no YAML; nearly all others are plain or quoted texts.
_IN_DOUBT = r"""(?x)
    [\[{,] [^\n"'\[{,]* \$\{                              # in a list or a mapping on one line: `[${DNS}]`
    | \n [ \t]* \$\{                                      # at the beginning of a line of a list
    | \$\{ [^}\n$]* (?: : [ \n] | [ ]\# | \n | ["'] )   # with a default that is YAML: `${A:-b: c}`
"""
_LINES_OF_CODE = r"(?m)^.*(?:\{\{|\{%|<%|\[\[).*"
# Texts in quotes that end where YAML lets them end, as none does in `"{{ .Get "a" }}"`, and comments.
_NO_CODE = r"""(?xm)
    (?: "[^"\n]*" | '[^'\n]*' ) (?! [^\s,\]}:] )  # `"{{ .Name }}",`
    | (?: ^ | (?<=\s) ) \#.*                       # `# {{ .Name }}`
"""


class LeftAlone(Enum):
    """Why a file is not edited."""

    HELM = "of a Helm chart"
    KUSTOMIZE = "input of a kustomization"
    TEMPLATE = "template"
    PLACEHOLDERS = "template that is no YAML before its placeholders are filled in"
    RESOURCE_LIST = "ResourceList"
    NOT_UTF8 = "not UTF-8"
    LINK = "link"
    OTHER = "no manifest"
    UNFINISHED = "left by a run that was ended: remove it"


# The reasons that may be a mistake, so that their files are named.
_NAMED = (LeftAlone.NOT_UTF8, LeftAlone.UNFINISHED, LeftAlone.PLACEHOLDERS)


class Selection(NamedTuple):
    """The files that were read, by name: those that are manifests, and why each other one is left alone.

    ``paths`` has the absolute path of each file; it is empty for a stream. ``folder`` is the innermost one around them,
    and ``exclude`` the patterns of files to leave out. ``kustomizations`` are those of a source of objects.
    """

    files: dict[str, bytes]
    manifests: dict[str, bytes]
    left_alone: dict[str, LeftAlone]
    paths: dict[str, str]
    folder: str
    exclude: Sequence[str]
    kustomizations: Mapping[str, Data] = {}

    @property
    def is_stream(self) -> bool:
        """Whether it came on standard input."""
        return streams.STDIN in self.files

    @property
    def others(self) -> dict[str, bytes]:
        """The files that hold no objects, but may say something about a proxy."""
        reasons = (LeftAlone.KUSTOMIZE, LeftAlone.OTHER)
        return {name: self.files[name] for name, why in self.left_alone.items() if why in reasons}

    def above(self) -> Iterator[str]:
        """Yield the names of the files directly in the folder, and in those above it in the git repository."""
        return files_above(self.folder, self.exclude)

    def lines(self, *, verbose: bool) -> list[str]:
        """Return a line for each file that is left alone, by default only where that must be a mistake."""
        return [
            f"left alone: {name} ({why.value})"
            for name, why in self.left_alone.items()
            if verbose or why in _NAMED
        ]

    def counts(self) -> str:
        """Return ``5 files read (left alone: 2 of a Helm chart, 1 template)``."""
        reasons = Counter(why.value for why in self.left_alone.values())
        for content in self.manifests.values():
            if b"ENC[" in content and left_alone.hides(content.decode()):
                reasons["encrypted by SOPS"] += 1
        left = ", ".join(f"{number} {why}" for why, number in reasons.items())
        return f"{count(len(self.files), 'file')} read" + (f" (left alone: {left})" if left else "")

    def documents(self) -> Manifests:
        """Return the documents; raise UsageError if there is no object to change or to check."""
        documents = Manifests(self.manifests, self.paths, self.others)
        documents.kustomizations = self.kustomizations
        self.refuse_nothing(documents)
        return documents

    def refuse_nothing(self, documents: Manifests) -> None:
        """Raise UsageError if no document can be an object."""
        words = ("apiVersion:", 'apiVersion":')
        if not any(documents.contains(index, words) for index in range(len(documents))):
            raise UsageError(
                "there is no manifest, YAML or JSON with apiVersion and kind: name the folder that holds them; "
                f"{self.counts()}"
            )


def select(
    paths: Sequence[str],
    exclude: Sequence[str],
    also: Container[LeftAlone] = (),
    start: str = "",
) -> Selection:
    """Return the manifests among files and folders; `-` alone is a stream.

    Args:
        paths: files and folders; none is the current folder.
        exclude: patterns of files to leave out.
        also: reasons for which a file is not left alone here.
        start: the folder from which files are called; "" where they are called as the paths are.

    Raises:
        UsageError: a path cannot be read.
    """
    if "-" in paths:
        if len(paths) > 1:
            raise UsageError("`-` must be the only path: all objects must come on standard input")
        files = {streams.STDIN: streams.read()}
        return Selection(files, files, {}, {}, common_folder(()), exclude)
    folder = common_folder(paths)
    found = find_files(paths or ["."], exclude)
    inputs = set()
    kustomizations: Mapping[str, Data] = {}
    if LeftAlone.KUSTOMIZE not in also:
        kustomizations = _kustomizations(folder, found)
        inputs = _inputs(kustomizations)
    selection = Selection({}, {}, {}, {}, folder, exclude, kustomizations)
    for called, path, is_regular in found:
        name = os.path.relpath(path, start) if start else called
        if not is_regular:
            selection.left_alone[name] = LeftAlone.LINK
            continue
        content = read_file(path, name)
        selection.paths[name] = path
        selection.files[name] = content
        why = LeftAlone.KUSTOMIZE if path in inputs else _reason(path, content)
        if why is None or why in also:
            selection.manifests[name] = content
        else:
            selection.left_alone[name] = why
    return selection


def is_resource_list(text: str) -> bool:
    """Return whether a text is the input of a KRM function: its first document is a ResourceList with items."""
    if "ResourceList" not in text:
        return False
    first = next(iter(texts_of_documents(text)), "")
    return all(
        re.search(field, first) for field in (_KIND_OF_LIST, _VERSION_OF_LIST, _ITEMS_OF_LIST)
    )


def _reason(path: str, content: bytes) -> LeftAlone | None:
    """Return why a file is left alone, None for a manifest."""
    if _is_of_helm(path):
        return LeftAlone.HELM
    name = os.path.basename(path)
    if name.startswith(UNFINISHED):
        return LeftAlone.UNFINISHED
    if name.startswith(TEMPLATES):
        return LeftAlone.TEMPLATE
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return LeftAlone.NOT_UTF8
    if path.endswith(".patch") or "apiVersion" not in text or "kind" not in text:
        return LeftAlone.OTHER
    if is_resource_list(text):
        return LeftAlone.RESOURCE_LIST
    if _has_mark(text) and any(map(_is_template, texts_of_documents(text))):
        return LeftAlone.TEMPLATE
    if "${" in text and not all(map(_is_readable, texts_of_documents(text))):
        return LeftAlone.PLACEHOLDERS
    return None


def _is_readable(document: str) -> bool:
    """Return whether placeholders do not keep a document from being YAML, or no run reads objects of its kind."""
    if re.search(_IN_DOUBT, document) is None or is_yaml(document):
        return True
    kinds = ObjectSource([(document, [(0, len(document))])]).kinds[0]
    read = clusters.kinds(kinds).union(kind for row in ROWS.values() for _, kind in row.kinds)
    return bool(kinds) and kinds.isdisjoint(read)


def _is_template(document: str) -> bool:
    """Return whether a document has code of templates outside of quotes and comments, and is no YAML for that."""
    if not _has_mark(document):
        return False
    if not _has_mark(re.sub(_NO_CODE, "", document.replace('\\"', ""))):
        return False
    try:
        # `{{ .name }}` is YAML, too: a mapping whose key is a mapping.
        return has_complex_key(Document(document).root)
    except InputError:
        return True


def _has_mark(text: str) -> bool:
    return any(mark in text for mark in _MARKS)


def _is_of_helm(path: str) -> bool:
    """Return whether a file is of a chart: a template, its values or description (Helm's documentation, "Charts")."""
    folder, name = os.path.split(path)
    if name == "Chart.yaml" or name.startswith("values"):
        return _is_chart(folder)
    return any(_is_chart(path[: match.start()]) for match in re.finditer("(?<=/)templates/", path))


@cache
def _is_chart(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "Chart.yaml"))


def _kustomizations(common: str, found: Iterable[FoundFile]) -> dict[str, Data]:
    """Return the kustomizations in the folders of some files, above them, and elsewhere around them, by their paths."""
    files = [*map(os.path.realpath, files_above(common)), *(file.path for file in found)]
    folders = set(map(os.path.dirname, files))
    kustomizations: dict[str, Data] = {}
    for folder in folders:
        kustomizations.update(kustomizations_in(folder))
    for folder, names in folders_around(common):
        if folder not in folders and any(map(_is_kustomization, names)):
            # Only what names files of other folders counts.
            kustomizations.update(kustomizations_in(folder, "../"))
    return kustomizations


def _is_kustomization(name: str) -> bool:
    return name in KUSTOMIZATIONS or name.startswith(TEMPLATES)


def _inputs(kustomizations: Mapping[str, Data]) -> set[str]:
    """Return the absolute paths of files that kustomizations take as patches, values or files of generators.

    A strategic merge patch looks like an object, and replaces every list of a custom resource that is in it. What one
    of them lists as a resource is an object, whatever another one makes of it.
    """
    inputs: set[str] = set()
    resources: set[str] = set()
    for file, data in kustomizations.items():
        for field, value in data.items():
            named = resources if field in _LISTS_OF_OBJECTS else inputs
            for text in texts_in(value):
                path = text.rpartition("=")[2]  # a file of a generator may have a key in front
                named.add(os.path.normpath(os.path.join(os.path.dirname(file), path)))
    return inputs - resources


def kustomization_without(name: str) -> str:
    """Return the kustomization beside a file that does not list it under `resources`; "" where all is well."""
    folder, own_name = os.path.split(name)
    for file, data in kustomizations_in(folder):
        listed = texts_in(data.get("resources"))
        if listed and own_name not in map(os.path.normpath, listed):
            return file
    return ""


def kustomizations_in(
    folder: str, word: str = "", also: Container[str] = ()
) -> Iterator[tuple[str, Data]]:
    """Yield the name and the data of each kustomization of a folder, or template of one, that can be read.

    Args:
        folder: where they are.
        word: others than those with this word in their text are not read.
        also: names of other files that are read.
    """
    for name in sorted(os.listdir(folder or ".")):
        if not (_is_kustomization(name) or name in also):
            continue
        file = os.path.join(folder, name)
        if os.path.isfile(file) and not os.path.islink(file):
            with suppress(InputError, UsageError, UnicodeDecodeError):
                text = read_file(file).decode()
                if word not in text:
                    continue
                if name.startswith(TEMPLATES):
                    text = re.sub(_LINES_OF_CODE, "", text)
                data = Document(text).data(keys_may_repeat=True)
                if isinstance(data, dict):
                    yield file, data


def texts_in(data: Any) -> list[str]:
    """Return the texts in data, at any depth."""
    return [text for _, text in walk(data) if isinstance(text, str)]
