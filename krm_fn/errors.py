"""What can go wrong, and whose fault it is.

An exception knows the exit code of the command and one line that says what to do; it never holds
a credential.

    InjectProxyError
    ├── UsageError       2  the command line is wrong
    ├── OutputError      1  the output cannot be written: a full disk, a reader that has gone
    ├── InputError       1  the ResourceList, or one object of it, cannot be read
    │   ├── EditError    1  an object can be read, but not changed without risk (the writer refuses)
    │   └── ExpansionError 1  aliases ask for more values than a run may read
    ├── ConfigError      1  the FunctionConfig is wrong; carries all its problems at once
    └── InternalError           3  a promise of this program does not hold; nothing was written
"""

from __future__ import annotations


class InjectProxyError(Exception):
    """The root: ``str(error)`` is one line for a person."""

    exit_code = 1


class UsageError(InjectProxyError):
    """The command line names something that does not exist."""

    exit_code = 2


class OutputError(InjectProxyError):
    """The result is there, but nobody takes it."""


class InputError(InjectProxyError):
    """The input cannot be read as what it has to be."""


class EditError(InputError):
    """A place cannot be edited without risk to what is around it."""


class ExpansionError(InputError):
    """Aliases expand to more values than a text, or all texts of a run, may hold."""


class ConfigError(InjectProxyError):
    """The FunctionConfig is wrong: ``problems`` holds one line for each thing to correct, never empty."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class InternalError(InjectProxyError):
    """A check of this program on itself failed."""

    exit_code = 3
