"""One run of a drop-in target over one object: where its file stands on the node, and what may stand there.

It knows the place and its limits, never the text of a drop-in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from krm_fn.carriers.kubeadm_config import ConfigSpec
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.patch import Pointer, add, replace
from krm_fn.settings import ProxySettings
from krm_fn.targets._drop_in_seen import path_of, possible_paths


@dataclass(frozen=True)
class DropIn:
    """The service ``unit`` of the nodes that ``spec`` makes; ``target`` is the key under ``spec.targets``."""

    unit: str
    target: str
    spec: ConfigSpec
    settings: ProxySettings
    options: Mapping[str, Any]

    @cached_property
    def path(self) -> str:
        """Where the drop-in stands on the node."""
        entries = self.spec.entries("files")
        return path_of(
            self.options, self.unit, () if isinstance(entries, Finding) else entries or ()
        )

    @cached_property
    def paths(self) -> list[str]:
        """The same, and where no proxy is wanted the places that come into effect once it has gone."""
        return (
            [self.path] if self.variables or "path" in self.options else possible_paths(self.unit)
        )

    @property
    def option(self) -> str:
        """The option that says so, in full."""
        return f"spec.targets.{self.target}.path"

    @property
    def variables(self) -> dict[str, str]:
        """What it has to set; nothing means that it has to go."""
        return self.settings.variables()

    @property
    def files(self) -> Pointer:
        """Where the list of files stands in the object."""
        return (*self.spec.path, "files")

    @property
    def content(self) -> str:
        """``Inline`` or ``Secret`` where the user says where the text is to stand, else ""."""
        return str(self.options.get("content", ""))

    def attributes(self, place: Pointer, entry: Mapping[str, Any]) -> Iterator[Change]:
        """Owner and permissions of an existing entry are its author's unless they are asked for."""
        for key in ("owner", "permissions"):
            if key in self.options and entry.get(key) != self.options[key]:
                operation = (replace if key in entry else add)(*place, key, value=self.options[key])
                yield Change(operation, f"sets `{key}` of the drop-in of {self.unit}")

    def limits(self, place: Pointer) -> Iterator[Finding]:
        """What Ignition would make of the path."""
        if self.spec.ignition and self.path.startswith("/usr/"):
            remedy = f"set `{self.option}` to one" if "path" in self.options else "write one"
            message = (
                f"`path` must not be under /usr with Ignition (read-only); {remedy} under /etc"
            )
            yield Finding(Severity.ERROR, message, (*place, "path"))
