"""The commands, and the module of each: what has to be known before a command is loaded."""

from __future__ import annotations

MODULES = {
    "run": "run",
    "explain": "explain",
    "lint": "lint",
    "check-image": "check_image",
    "import": "import_",
    "export": "export",
    "targets": "targets",
    "schema": "schema",
    "completion": "completion",
    "help": "help",
}
"""Name of a command -> module of `krm_fn.cli`, in the order of the help text."""
