"""``inject-proxy lint``: check a NO_PROXY list, or the proxies in manifests; nothing is written."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence

from krm_fn.cli import streams
from krm_fn.cli.config import config_above, config_of_file
from krm_fn.cli.handed_over import not_handed_over
from krm_fn.cli.report import kind_lines, report, severities
from krm_fn.cli.selection import LeftAlone, select
from krm_fn.cli.streams import Answer
from krm_fn.clusters import ClusterNetwork
from krm_fn.config import ProxyConfig
from krm_fn.krm.codes import Severity
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import shown_line
from krm_fn.krm.results import Results, are_severe, count
from krm_fn.lint.judge_values import Reader, corrected_list, judge_list
from krm_fn.near_names import nearest
from krm_fn.noproxy import Audience, may_hold_a_credential
from krm_fn.pipeline.audit import ReadableManifests, audit
from krm_fn.pipeline.outcome import Silencer

# Files that `run` leaves alone, because it edits whole objects, and that may set a proxy all the same.
_JUDGED = frozenset({LeftAlone.KUSTOMIZE, LeftAlone.RESOURCE_LIST})


def run(args: Namespace) -> Answer:
    """Judge a list, files and folders, or a stream."""
    config = None
    if args.config:
        config = config_of_file(args.config).load()
    if len(args.paths) == 1:
        (word,) = args.paths
        if _is_list(word):
            return _of_list(args, word, config or ProxyConfig())
    return _of_files(args, config)


def _is_list(word: str) -> bool:
    """Return whether a word is a NO_PROXY list: a file that exists, or a word that looks like a path, is none.

    Nor is a name like that of a file: a misspelt folder must not pass as a list.
    """
    if word == "-" or os.path.lexists(word):
        return False
    if word.startswith(("/", "./", "../")) or word.endswith((".yaml", ".yml", "/")):
        return False
    return "," in word or nearest(word, os.listdir(), alike=0.8) is None


def _of_list(args: Namespace, text: str, config: ProxyConfig) -> Answer:
    defaults = config.cluster_defaults
    networks = () if defaults == ClusterNetwork() else (defaults,)
    reader = Reader(Audience(args.consumer), networks)
    silencer = Silencer(config, (), {}, at_most=Severity.ERROR)
    results = list(silencer.left(judge_list(text, reader)))
    lines = [result.line() for result in results]
    corrected = corrected_list(text, reader)
    if results and corrected != text and not may_hold_a_credential(text):
        lines.append(f"corrected: {shown_line(corrected)}")
    return _answer(args, results, Manifests({}), lines, [])


def _of_files(args: Namespace, config: ProxyConfig | None) -> Answer:
    selection = select(args.paths, args.exclude, _JUDGED)
    manifests = ReadableManifests(selection.manifests, selection.paths, selection.others)
    selection.refuse_nothing(manifests)
    above = None
    if config is None and not selection.is_stream and not manifests.configs():
        above = config_above(manifests, selection)
        config = above.load() if above else None
    unheard = not_handed_over(manifests.configs(), selection)
    found = audit(manifests, config, Audience(args.consumer), unheard)
    lines = kind_lines(found.results, verbose=args.verbose)
    notes = selection.lines(verbose=args.verbose)
    if above:
        notes += above.lines()
    judged = count(found.judged, "object")
    said = severities(found.results, found.silenced)
    notes.append(f"inject-proxy lint: {selection.counts()}, {judged} checked; {said}")
    return _answer(args, found.results, manifests, lines, notes)


def _answer(
    args: Namespace,
    results: Results,
    manifests: Manifests,
    lines: Sequence[str],
    notes: Sequence[str],
) -> Answer:
    fail_on = Severity(args.fail_on or "error")
    output = streams.text_of(lines)
    if args.output != "text":
        output = report(args.output, "lint", results, manifests, fail_on)
    return Answer([output], notes, int(are_severe(results, fail_on)))
