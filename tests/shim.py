"""The commands as the old tests call them."""
from __future__ import annotations
import importlib
from typing import NamedTuple, Any
from krm_fn.cli import streams
from krm_fn.cli.parser import parsed
from krm_fn.cli.writing import write_files
from krm_fn.errors import UsageError
from krm_fn.krm.masking import redact

class CommandResult(NamedTuple):
    output: bytes = b""
    reported: tuple[str, ...] = ()
    exit_code: int = 0
    write: Any = None
    def finish(self, flush):
        if self.write is None: flush()
        else: self.write(flush)
        return self.reported

class Command:
    def __init__(self, name): self.name = name
    def run(self, arguments, read_stdin=lambda: b""):
        before = streams.read
        streams.read = read_stdin
        try:
            given = parsed([self.name, *arguments])
            answer = importlib.import_module(f"krm_fn.cli.{given.module}").run(given)
        finally:
            streams.read = before
        write = (lambda flush: write_files(answer.changes, before=flush)) if answer.changes else None
        return CommandResult(b"".join(answer.output), tuple(map(str, map(redact, answer.lines))), answer.exit_code, write)

run, lint, export, import_, explain, init = (Command(n) for n in ("run", "lint", "export", "import", "explain", "init"))
def finished(answer): return answer._replace(reported=answer.finish(lambda: None), write=None)

def write_files_old(contents, originals, flush=lambda: None, instead=""):
    from krm_fn.cli.streams import Change
    write_files({n: Change(originals[n], c) for n, c in contents.items()}, before=flush)
