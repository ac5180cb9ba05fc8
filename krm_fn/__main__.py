"""The process of the command: ``inject-proxy`` and ``python -m krm_fn``.

This is for a process that makes one run and ends; ``krm_fn.cli.main`` is the same run within another program.
"""

from __future__ import annotations

import gc
import os


def main() -> None:
    """Run the command, and end the process with its exit code."""
    gc.disable()  # one short run: collecting cycles costs more than the memory it gives back

    from krm_fn.cli import main as run  # noqa: PLC0415 -- its imports are what would be collected first

    # Each write of the command flushes its stream and closes its files. The interpreter would take every module and
    # object apart now, which takes as long as several objects of a list, and would write nothing more.
    os._exit(run())


if __name__ == "__main__":
    main()
