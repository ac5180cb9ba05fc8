"""Files, document by document: the objects in them, the ProxyConfigs among those, and what cannot be read.

A document is read only where something in it could matter. One that cannot be read is an error where a run needs it,
which ends there, too, and else a warning; of each there is one for a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn import clusters, config
from krm_fn.config import ProxyConfig
from krm_fn.config.located import LocatedConfig, located_configs
from krm_fn.errors import DocumentError, InputError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef, Result, Severity
from krm_fn.patch import Operation
from krm_fn.plan import needed
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets import TARGETS
from krm_fn.targets.base import NO_OPTIONS, Target

Where = tuple[str, int]
"""The name of a file, and which of its documents."""

_READ_ALWAYS = (
    clusters.kinds()
    | {config.KIND, "ResourceList"}
    | {
        kind
        for target in TARGETS.values()
        if not target.hints(NO_OPTIONS)
        for _, kind in target.kinds
    }
)


@dataclass(frozen=True)
class Item:
    """One document and the objects in it; ``is_list`` where it is a ResourceList, which may hold none."""

    where: Where
    objects: tuple[Object, ...]
    is_list: bool


class ManifestFiles:
    """The contents of files.

    ``configs`` are the FunctionConfigs, and ``problems`` tell what may be one.

    Args:
        files: name -> content.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.items: list[Item] = []
        self.configs: list[LocatedConfig] = []
        self.problems: list[Result] = []
        self._manifests: dict[str, Manifests] = {}
        self._unreadable: dict[Where, InputError] = {}
        for name, content in files.items():
            self._open(name, content)

    def edited(
        self, changes: Mapping[Where, Sequence[Operation]]
    ) -> tuple[dict[str, bytes], list[Result]]:
        """Return the files that change, and a warning for each document that cannot be edited without risk."""
        by_file: dict[str, dict[int, Sequence[Operation]]] = {}
        for (name, index), operations in changes.items():
            by_file.setdefault(name, {})[index] = operations
        corrected: dict[str, bytes] = {}
        refused: list[Result] = []
        for name, wanted in by_file.items():
            new, reported = self._edited(name, wanted)
            corrected |= new
            refused += reported
        return corrected, refused

    def _edited(
        self, name: str, changes: Mapping[int, Sequence[Operation]]
    ) -> tuple[dict[str, bytes], list[Result]]:
        """Return one file after its changes.

        Where that fails, each change is tried alone and left out if it fails.
        """
        try:
            return self._manifests[name].edited(changes), []
        except InputError as error:
            if len(changes) == 1:
                (index,) = changes
                ref = ObjectRef(file_path=name, file_index=index)
                return {}, [
                    Result(
                        Severity.WARNING,
                        f"`--fix` does not change document {index + 1}: {error}",
                        ref,
                        code=error.code,
                    )
                ]
        refused = [
            reported
            for index in changes
            for reported in self._edited(name, {index: changes[index]})[1]
        ]
        left_out = {reported.ref.file_index for reported in refused}
        return self._edited(name, {at: changes[at] for at in changes if at not in left_out})[
            0
        ], refused

    def _open(self, name: str, content: bytes) -> None:
        try:
            self._manifests[name] = Manifests({name: content})
        except InputError as error:
            self.problems.append(_unreadable(name, error, Severity.ERROR))
        else:
            self._read(name)

    def _read(self, name: str) -> None:
        manifests = self._manifests[name]
        for index in range(len(manifests)):
            if not _matters(manifests, index):
                continue
            try:
                is_list = "ResourceList" in manifests.kinds(index)
                item = Item((name, index), tuple(manifests.objects(index)), is_list)
                self.configs += located_configs(manifests, index)
            except InputError as error:
                self._unreadable[name, index] = error
            else:
                self.items.append(item)
                self.problems += _misspelt(item)

    def read(self) -> frozenset[str]:
        """Return the names of the files of which an object, or a ResourceList, was read."""
        return frozenset(
            item.where[0]
            for item in self.items
            if item.is_list or any(obj.ref.kind for obj in item.objects)
        )

    def unreadable(self, wanted: ProxyConfig) -> Iterator[Result]:
        """Yield an error for each file with a document that a run needs and nobody can read, or else a warning.

        Args:
            wanted: the ProxyConfig of that run.
        """
        read = {item.where for item in self.items}
        for name, manifests in self._manifests.items():
            is_needed = needed(manifests, wanted)
            skipped: InputError | None = None
            for index in range(len(manifests)):
                error = self._unreadable.get((name, index))
                if not (is_needed(index) or _is_config(manifests, index)):
                    skipped = skipped or error
                    continue
                if error is None and (name, index) not in read:
                    error = _error_of(manifests, index)
                if error is not None:
                    yield _unreadable(name, error, Severity.ERROR)
                    break
            if skipped is not None:
                yield _unreadable(name, skipped, Severity.WARNING)


def _error_of(manifests: Manifests, index: int) -> InputError | None:
    """Return why a document cannot be read; None where it can."""
    try:
        manifests.objects(index)
    except InputError as error:
        return error
    return None


def _unreadable(name: str, error: InputError, severity: Severity) -> Result:
    problem = error.problem if isinstance(error, DocumentError) else str(error)
    outcome = "skipped" if severity is Severity.WARNING else "a run ends here"
    return Result(severity, f"{outcome}: {problem}", ObjectRef(file_path=name), code=error.code)


def _is_config(manifests: Manifests, index: int) -> bool:
    """Return whether a document is a ProxyConfig by its text."""
    return config.KIND in manifests.kinds(index) and manifests.contains(
        index, (config.API_VERSION,)
    )


def _matters(manifests: Manifests, index: int) -> bool:
    kinds = manifests.kinds(index)
    words = (*PROXY_VARIABLES, config.API_VERSION.partition("/")[0])
    if not kinds or not kinds.isdisjoint(_READ_ALWAYS) or manifests.contains(index, words):
        return True
    return any(
        _may_be_of(target, kinds) and manifests.contains(index, target.hints(NO_OPTIONS))
        for target in TARGETS.values()
    )


def _may_be_of(target: Target, kinds: frozenset[str]) -> bool:
    """Return whether a document of these kinds may hold an object of a target.

    Its values may have any names.
    """
    return not kinds.isdisjoint(kind for _, kind in target.kinds)


def _misspelt(item: Item) -> Iterator[Result]:
    """Yield a warning for each object that is probably a ProxyConfig with a misspelt kind or version."""
    for obj in item.objects:
        meant = config.probably_meant(obj.ref.api_version, obj.ref.kind)
        if meant:
            names = " and ".join(f"`{name}`" for name in meant)
            message = f"this object is not checked, because it is not a ProxyConfig: did you mean {names}?"
            yield Result(Severity.WARNING, message, obj.ref, code="ConfigMisspelt")
