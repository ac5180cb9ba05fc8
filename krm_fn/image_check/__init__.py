"""Whether the inputs of an image build would leave a proxy in the image.

Files in, notes out; nothing is run, and what is not known is said to be unknown, never clean. In
which order a build takes its files is not known.

    places      the files of a machine that give programs a proxy
    shell       what commands write into them
    ansible     what tasks write into them
    cloud_init  what user data writes into them
    dockerfile  what an image of containers keeps
    builds      the variables of image builders

Source: the rule of the Konvoy Image Builder document: the proxy "is NOT baked into the image", because one image serves
networks with different proxies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from krm_fn.errors import InputError
from krm_fn.image_check import ansible, builds, cloud_init, dockerfile, places, shell
from krm_fn.image_check._model import Leak, Note, ScanResult, together
from krm_fn.image_check._words import read
from krm_fn.krm.results import Severity
from krm_fn.yamledit import Lines
from krm_fn.yamledit.stream import documents

__all__ = ["Note", "Report", "check"]

_YAML = re.compile(r"\.(?:ya?ml|json)(?:\.j2)?$|(?:^|/)user-data$")
_SCRIPT = re.compile(r"\.(?:sh|bash|ks|pkr\.hcl|pkrvars\.hcl)$")
_SHEBANG = re.compile(r"#!.*\b(?:ba|da|k|z)?sh\b")
_FILE = "file of the image"
_REMEDY = (
    "remove it before the image is finished, and give each cluster its own proxy when you create it"
)
_SWEPT = {"/etc/systemd/system/containerd.service.d/http-proxy.conf": ("http_proxy", "https_proxy")}
"""What the sysprep of (Konvoy) Image Builder removes, and the variables of which one must be defined for that.

Source: ``roles/sysprep/tasks/main.yml`` of mesosphere/konvoy-image-builder and of kubernetes-sigs/image-builder. Their
``debian.yml`` means to remove ``/etc/apt/apt.conf.d/90proxy``, too, but Konvoy's gives that path without its first
slash, so that the file stays.
"""


@dataclass(frozen=True)
class Report:
    """``notes`` in the order of files and lines; ``kinds``: name of a file -> what it is, "" if that is not known."""

    notes: tuple[Note, ...]
    kinds: Mapping[str, str]


def check(files: Mapping[str, bytes | None]) -> Report:
    """Say what would be left in an image.

    Args:
        files: name -> content; None for one that is too long to be text for a build.
    """
    texts = {name: text for name, data in files.items() if (text := _decoded(data)) is not None}
    looked = {name: ScanResult() for name in files}
    for name, text in texts.items():
        looked[name] = _look(name, text, texts)
    used = {name for one in looked.values() for name in one.used}
    build = _Build(looked)
    notes: list[Note] = []
    kinds: dict[str, str] = {}
    for name, one in looked.items():
        notes += build.notes_about_variables(name)
        if name in used:
            kinds[name] = one.kind or _FILE
        else:
            kinds[name] = one.kind
            notes += [build.note_about(name, leak) for leak in one.left]
    return Report(tuple(sorted(notes, key=lambda one: (one.file, one.line))), kinds)


@dataclass(frozen=True)
class _Build:
    """All files together: what one leaves, another may remove."""

    looked: Mapping[str, ScanResult]

    def notes_about_variables(self, file: str) -> Iterator[Note]:
        """Yield notes about variables of a build that are correct where they are."""
        for name, line in self.looked[file].defined.items():
            yield Note(
                Severity.INFO,
                file,
                line,
                f"`{name}` is used while the image is built, and not left in it",
            )

    def note_about(self, file: str, left: Leak) -> Note:
        """Return the note about something that stays in the image."""
        if left.dest and not left.names:
            message = (
                f"places `{left.dest}` from a file that was not among the inputs: name it, too"
            )
            return Note(Severity.WARNING, file, left.line, message, code="ImageInputMissing")
        named = ", ".join(f"`{name}`" for name in left.names)
        what = left.what or f"sets {named} in `{left.dest}`"
        remover = self._remover(file, left)
        if remover:
            return Note(Severity.INFO, file, left.line, f"{what}, which {remover} removes again")
        variables = _SWEPT.get(left.dest, ()) if left.is_swept else ()
        if not variables:
            return Note(
                Severity.ERROR, file, left.line, f"{what}, which is left in the image: {_REMEDY}"
            )
        definer = self._definer(variables)
        if definer:
            message = f"{what}, which the sysprep of the image builder removes, because of what {definer} defines"
            return Note(Severity.INFO, file, left.line, message)
        some = " or ".join(f"`{name}`" for name in variables)
        message = f"{what}, which the sysprep of an image builder removes only if {some} is defined: remove it yourself"
        return Note(Severity.WARNING, file, left.line, message)

    def _definer(self, variables: Iterable[str]) -> str:
        """Return the first file that defines one of the variables; "" if none does."""
        for name, one in self.looked.items():
            if not one.defined.keys().isdisjoint(variables):
                return name
        return ""

    def _remover(self, file: str, left: Leak) -> str:
        """Return ``file:line`` of the step that removes a file or its folder.

        Of a Dockerfile, only its own steps count.
        """
        for name, one in self.looked.items():
            is_of_one_build = name == file or (left.is_swept and one.kind != dockerfile.KIND)
            if not is_of_one_build:
                continue
            for path, line in one.removed.items():
                is_later = name != file or line > left.line
                is_above = path.count("/") > 1 and left.dest.startswith(f"{path.rstrip('/*')}/")
                if is_later and (is_above or left.dest == path):
                    return f"{name}:{line}"
        return ""


def _decoded(data: bytes | None) -> str | None:
    try:
        return None if data is None or b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def _look(name: str, text: str, texts: Mapping[str, str]) -> ScanResult:
    """Return what a file is and what it leaves in the image, judged by its path, name and content."""
    dest = places.dest_of(name)
    if dest:
        found = places.settings(dest, text)
        left = (Leak(found[0].line, places.names(found), dest),) if found else ()
        return ScanResult(_FILE, left)
    if dockerfile.is_one(name):
        return dockerfile.look(text, texts)
    if _YAML.search(name) or text.startswith("#cloud-config"):
        return _of_yaml(name, text, texts)
    if _SCRIPT.search(name) or _SHEBANG.match(text):
        return shell.look(text)
    return ScanResult()


def _of_yaml(name: str, text: str, texts: Mapping[str, str]) -> ScanResult:
    """Return the result of all documents of a file.

    One that cannot be read, like a template, or that aliases or loops make too large, is unknown.
    """
    try:
        found = list(_of_documents(name, text, texts))
    except InputError:
        return ScanResult()
    return together(found[0].kind, found) if found else ScanResult()


def _of_documents(name: str, text: str, texts: Mapping[str, str]) -> Iterator[ScanResult]:
    lines = Lines(text)
    for start, end in documents(text):
        data = read("\n" * lines.above(start) + text[start:end])
        if ansible.is_one(data):
            yield ansible.look(data, name, texts)
        elif cloud_init.is_one(text, data):
            yield cloud_init.look(data)
        elif builds.kind_of(data):
            yield builds.look(data)
