"""``inject-proxy explain``: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it."""

from __future__ import annotations

import json
import os
import time
from argparse import Namespace
from dataclasses import asdict

from krm_fn.cli.config import find_config
from krm_fn.cli.files import common_folder
from krm_fn.cli.named_objects import named_objects
from krm_fn.cli.selection import LeftAlone, select
from krm_fn.cli.streams import Answer
from krm_fn.config import Mode
from krm_fn.explain import html, text
from krm_fn.explain.answer import Explanation, explain
from krm_fn.krm.masking import redact
from krm_fn.pipeline.run import run_checked
from krm_fn.plan.items import readable_objects


def run(args: Namespace) -> Answer:
    """Explain the changes that a run would make, in all manifests or in the objects that are named."""
    names = [word for word in args.paths if word != "-" and not os.path.lexists(word)]
    paths = [word for word in args.paths if word not in names]
    is_named = paths and not any(map(os.path.isdir, paths))
    also = {LeftAlone.RESOURCE_LIST} if is_named else ()
    start = common_folder(paths) if args.output == "html" else ""
    selection = select(paths, args.exclude, also, start)
    manifests = selection.documents()
    found = find_config(manifests, selection, args.config)
    config = found.load()
    if config.is_check:
        config = config._replace(mode=Mode.INJECT)
    outcome = run_checked(manifests, config)
    known = readable_objects(manifests, range(len(manifests)) if names else ())
    objects = named_objects(names, args.namespace, known, "path or object of these files")
    explanation = explain(outcome, manifests, args.cluster, objects, named=args.verbose)
    lines = found.lines()
    if explanation.silenced:
        lines.append(f"inject-proxy explain: {explanation.silenced} silenced")
    if selection.left_alone:
        lines += selection.lines(verbose=args.verbose)
        lines.append(f"inject-proxy explain: {selection.counts()}")
    # A terminal gets the bytes of a file name that is no UTF-8; JSON and HTML must be UTF-8.
    errors = "surrogateescape" if args.output == "text" else "backslashreplace"
    output = _rendered(args, explanation, selection.folder)
    return Answer([output.encode(errors=errors)], lines)


def _rendered(args: Namespace, explanation: Explanation, folder: str) -> str:
    if args.output == "html":
        return html.render(explanation, _origin(folder))
    if args.output == "text":
        return text.render(explanation, verbose=args.verbose, quiet=args.quiet)
    data = asdict(explanation)
    data["findings"] = [result.to_data() for result in explanation.findings]
    data["covered"] = [row.to_data() for row in explanation.covered]
    return json.dumps(data, indent=2) + "\n"


def _origin(folder: str) -> str:
    """Return the name of a folder, and the day in UTC.

    ``SOURCE_DATE_EPOCH`` may say the day (reproducible-builds.org).
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdecimal() else time.time()
    day = time.strftime("%Y-%m-%d UTC", time.gmtime(seconds))
    return str(redact(f"Folder {os.path.basename(folder)}, {day}"))
