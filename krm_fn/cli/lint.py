"""``inject-proxy lint``: check a NO_PROXY list, or what manifests say about a proxy; nothing is written."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence

from krm_fn.cli import streams
from krm_fn.cli.config import config_above, config_of_file
from krm_fn.cli.lines import kind_lines, severities
from krm_fn.cli.report import report
from krm_fn.cli.selection import LeftAlone, select
from krm_fn.cli.streams import Answer
from krm_fn.clusters import ClusterNetwork
from krm_fn.config import ProxyConfig
from krm_fn.krm.codes import Severity
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import shown_line
from krm_fn.krm.results import Result, are_severe, count
from krm_fn.lint.manifests import ReadableManifests, audit
from krm_fn.lint.silenced import Silencer
from krm_fn.lint.values import Reader, corrected_list, judge_list
from krm_fn.noproxy import Audience, may_hold_a_credential

_JUDGED = frozenset({LeftAlone.KUSTOMIZE, LeftAlone.RESOURCE_LIST})
"""What `run` leaves alone, because it edits whole objects, and what may say something about a proxy all the same."""


def run(given: Namespace) -> Answer:
    """Judge a list, files and folders, or a stream."""
    wanted = config_of_file(given.config).load() if given.config else None
    if len(given.paths) == 1 and _is_list(given.paths[0]):
        return _of_list(given, given.paths[0], wanted or ProxyConfig())
    return _of_files(given, wanted)


def _is_list(word: str) -> bool:
    """Return whether a word is a NO_PROXY list: what exists, or looks like a path, is a path."""
    if word == "-" or os.path.lexists(word):
        return False
    return not (word.startswith(("/", "./", "../")) or word.endswith((".yaml", ".yml", "/")))


def _of_list(given: Namespace, text: str, wanted: ProxyConfig) -> Answer:
    networks = () if wanted.cluster_defaults == ClusterNetwork() else (wanted.cluster_defaults,)
    reader = Reader(Audience(given.consumer), networks)
    found = [Result.of(problem.code, problem.message) for problem in judge_list(text, reader)]
    silencer = Silencer(wanted, (), {}, at_most=Severity.ERROR)
    results = list(silencer.left(found))
    lines = [result.line() for result in results]
    corrected = corrected_list(text, reader)
    if results and corrected != text and not may_hold_a_credential(text):
        lines.append(f"corrected: {shown_line(corrected)}")
    return _answer(given, results, Manifests({}), lines, [])


def _of_files(given: Namespace, wanted: ProxyConfig | None) -> Answer:
    selection = select(given.paths, given.exclude, _JUDGED)
    manifests = ReadableManifests(selection.manifests, selection.paths, selection.others)
    selection.refuse_nothing(manifests)
    above = None
    if wanted is None and not selection.is_stream and not manifests.configs():
        above = config_above(manifests, given.paths)
        wanted = above.load() if above else None
    found = audit(manifests, wanted, Audience(given.consumer))
    lines = kind_lines(found.results, verbose=given.verbose)
    notes = selection.lines(verbose=given.verbose)
    if above:
        notes += above.lines()
    judged = count(found.judged, "object")
    said = severities(found.results, found.silenced)
    notes.append(f"inject-proxy lint: {selection.counts()}, {judged} checked; {said}")
    return _answer(given, found.results, manifests, lines, notes)


def _answer(
    given: Namespace,
    results: Sequence[Result],
    manifests: Manifests,
    lines: Sequence[str],
    notes: Sequence[str],
) -> Answer:
    fail_on = Severity(given.fail_on or "error")
    output = streams.text_of(lines)
    if given.output != "text":
        output = report(given.output, "lint", results, manifests, fail_on)
    return Answer([output], notes, int(are_severe(results, fail_on)))
