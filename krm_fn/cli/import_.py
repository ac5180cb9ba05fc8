"""``inject-proxy import``: a ProxyConfig made of the values of another system, which loads without an error."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

from krm_fn import config
from krm_fn.cli import konvoy
from krm_fn.cli.config import config_of
from krm_fn.cli.streams import Answer, read_text
from krm_fn.config import ForeignValue
from krm_fn.errors import ConfigError, UsageError
from krm_fn.light_typing import Fields, Texts
from krm_fn.patch import Data, field_path, put_at
from krm_fn.plan.sources import formats
from krm_fn.yamledit.render import block_text

# Name on the command line -> form of the file; konvoy has a command line in the place of a file.
_FORMS = {
    "tkg": formats.TKG,
    "giantswarm": formats.GIANT_SWARM,
    "image-builder": formats.IMAGE_BUILDER,
}


def run(args: Namespace) -> Answer:
    """Print a ProxyConfig."""
    if args.system == "konvoy":
        spec, lines = konvoy.spec_of(args.words)
        return Answer([_printed(spec, "the flags of `konvoy create cluster`")], lines)
    if len(args.words) != 1:
        raise UsageError("one file must be named, or `-` for standard input")
    text = read_text(args.words[0])
    try:
        fields = formats.read(text, _FORMS[args.system])
    except ConfigError as error:
        raise ConfigError(f"the file {error}") from None
    spec = _spec(fields)
    lines = []
    left_out = ", ".join(f"`{name}`" for name in formats.left_out(text))
    if args.system == "tkg" and left_out and "mode" not in spec:
        lines.append(f"[warning] TKG adds what {left_out} stand for: write it into `spec.noProxy`")
    try:
        return Answer([_printed(spec, f"a file of {args.system}")], lines)
    except ConfigError as error:
        problems = []
        for problem in error.problems:
            _, *steps = problem.path
            place = field_path(problem.path)
            for path, value in fields.items():
                if path == tuple(steps[: len(path)]):
                    place = value.place
            problems.append(f"the file: {place} {problem.text}")
        raise ConfigError("; ".join(problems)) from None


def _spec(fields: Mapping[Texts, ForeignValue]) -> Fields:
    spec: Fields = {}
    for path, given in fields.items():
        put_at(spec, path, konvoy.field_value(path[-1], given.value))
    if spec.get("httpProxy") == "" and spec.get("httpsProxy") == "":
        return {"mode": config.Mode.REMOVE.value}  # the system says that there is no proxy
    return {name: value for name, value in spec.items() if value not in ("", [])}


def _printed(spec: Data, origin: str) -> bytes:
    document = config_of(spec)
    config.load(document)
    return f"# made by `inject-proxy import` of {origin}\n{block_text(document)}".encode()
