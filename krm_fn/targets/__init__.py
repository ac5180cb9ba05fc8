"""The table of targets, written by hand, and what each of them has to be.

The law of this room: a target proposes, it never writes. It sees one object as plain data and the settings for it, and
yields only what differs; "no proxy" is a desired state like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from krm_fn.noproxy import Consumer
from krm_fn.results import Change, Finding
from krm_fn.settings import ProxySettings
from krm_fn.targets import (
    cert_manager,
    chart_operator,
    containerd_drop_in,
    kubeadm_commands,
    kubelet_drop_in,
    kyverno_policies,
)
from krm_fn.targets._seen import Seen

__all__ = ["MAKERS", "TARGETS", "Maker", "Seen", "Target"]


class Target(Protocol):
    """What a module of this package offers.

    ``ID`` is its key under ``spec.targets``. ``KINDS`` are the (API group, kind) pairs it looks at. ``WORDS``, where it
    is not empty, holds words of which at least one stands in the text of every object it could want, so that the
    others need not be read. ``CONSUMER`` says who reads NO_PROXY in its place.
    """

    ID: str
    KINDS: frozenset[tuple[str, str]]
    WORDS: tuple[str, ...]
    CONSUMER: Consumer

    def propose(
        self, obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
    ) -> Iterator[Change | Finding]:
        """Yield what differs between ``obj`` and the desired state.

        Args:
            obj: one object as plain data; any field may be missing, null or of a wrong type. Must not be changed.
            settings: the proxy it is to get; all empty means that every trace of a proxy is to go.
            options: ``spec.targets.<ID>``, checked against the schema, its defaults not filled in.

        The operations of all Changes hold when applied to ``obj`` one after another.
        """

    def observe(self, obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Seen]:
        """Yield what ``obj`` sets in this target's place, whoever wrote it, as the program that reads it there sees it.

        Args:
            obj: one object as plain data, of any shape; a field of a wrong type is passed by. Must not be changed.
            options: ``spec.targets.<ID>``, as for ``propose``.
        """


class Maker(Target, Protocol):
    """A target whose objects may be missing from the list, and are then made."""

    def companions(
        self, obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield what must stand in the list beside ``obj``: apiVersion, kind, metadata, and nothing of a proxy.

        Args: as for ``propose``, which fills the object if no other of its kind, name and namespace is in the list. It
        must not yield anything where ``propose`` would have nothing to fill in.

        What it makes carries the label of ``_made``, and ``propose`` takes it out again, as an operation that removes
        the root, once there is nothing left to fill in.
        """


TARGETS: dict[str, Target] = {
    target.ID: target
    for target in (
        containerd_drop_in,
        kubelet_drop_in,
        kubeadm_commands,
        cert_manager,
        chart_operator,
        kyverno_policies,
    )
}

MAKERS: dict[str, Maker] = {}
"""Those targets that make what is missing."""
