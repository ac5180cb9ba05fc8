"""``inject-proxy explain``: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it."""

from __future__ import annotations

import json
import os
import time
from argparse import Namespace
from contextlib import suppress
from dataclasses import asdict

from krm_fn.cli.config import find_config
from krm_fn.cli.files import common_folder
from krm_fn.cli.selection import LeftAlone, select
from krm_fn.cli.streams import Answer
from krm_fn.config import Mode
from krm_fn.explain import html, text
from krm_fn.explain.answer import Explanation, explain
from krm_fn.krm.masking import redact
from krm_fn.pipeline import run_checked


def run(given: Namespace) -> Answer:
    """Explain what a run would write."""
    is_named = given.paths and not any(map(os.path.isdir, given.paths))
    also = {LeftAlone.RESOURCE_LIST} if is_named else ()
    folder = common_folder(given.paths or ["."])
    start = folder if given.output == "html" else ""
    selection = select(given.paths, given.exclude, also, start)
    manifests = selection.documents()
    found = find_config(manifests, selection, given.config, given.paths, given.exclude)
    wanted = found.load()
    if wanted.mode is Mode.CHECK:
        wanted = wanted._replace(mode=Mode.INJECT)
    comparison = run_checked(manifests, wanted).comparison
    explanation = explain(comparison, manifests, given.cluster, named=given.verbose)
    lines = found.lines()
    if explanation.silenced:
        lines.append(f"inject-proxy explain: {explanation.silenced} silenced")
    if selection.left_alone:
        lines += selection.lines(verbose=given.verbose)
        lines.append(f"inject-proxy explain: {selection.counts()}")
    # A terminal gets the bytes of a file name that is no UTF-8; JSON and HTML must be UTF-8.
    errors = "surrogateescape" if given.output == "text" else "backslashreplace"
    return Answer([_rendered(given, explanation, folder).encode(errors=errors)], lines)


def _rendered(given: Namespace, explanation: Explanation, folder: str) -> str:
    if given.output == "html":
        return html.render(explanation, _origin(folder))
    if given.output == "text":
        return text.render(explanation, verbose=given.verbose, quiet=given.quiet)
    data = asdict(explanation)
    data["findings"] = [result.to_data() for result in explanation.findings]
    data["covered"] = [row.to_data() for row in explanation.covered]
    return json.dumps(data, indent=2) + "\n"


def _origin(folder: str) -> str:
    """Return the name of a folder, its commit if git knows it, and the day in UTC.

    ``SOURCE_DATE_EPOCH`` may say the day (reproducible-builds.org).
    """
    import subprocess  # noqa: PLC0415 -- only a page needs it

    origin = f"Folder {os.path.basename(folder)}"
    command = ["git", "-C", folder, "rev-parse", "--short", "HEAD"]
    with suppress(OSError, subprocess.CalledProcessError):
        git = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603 -- git's own words
        origin += f", commit {git.stdout.strip()}"
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdecimal() else time.time()
    origin += time.strftime(", %Y-%m-%d UTC", time.gmtime(seconds))
    return str(redact(origin))
