"""The errors of the program, by whose fault they are.

An exception knows its code (`krm_fn.krm.codes`), the exit code of the command and one line of advice; it never holds a
credential.

    InjectProxyError
    ├── UsageError       2  the command line is wrong
    ├── OutputError      1  the output cannot be written: a full disk, a reader that has gone
    ├── InputError       1  the ResourceList, or one object of it, cannot be read
    │   ├── TextError    1  a text is not YAML, at a line of it
    │   ├── DocumentError 1  a document of a file, or an item, cannot be read
    │   └── EditError    1  an object can be read, but not changed without risk (the writer refuses)
    ├── ConfigError      1  the FunctionConfig is wrong; carries all its problems at once
    └── InternalError           3  a promise of this program does not hold; nothing was written
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.light_typing import NamedTuple, Texts


class InjectProxyError(Exception):
    """The root: ``str(error)`` is one line for a person; where there are ``lines``, a command prints these."""

    exit_code = 1
    code = "InputInvalid"
    lines: Sequence[str] = ()


class UsageError(InjectProxyError):
    """The command line names something that does not exist."""

    exit_code = 2
    code = "WrongUsage"


class OutputError(InjectProxyError):
    """The result cannot be written."""

    code = "OutputNotWritten"


class InputError(InjectProxyError):
    """The input cannot be read in the format that it must have."""


class TextError(InputError):
    """A text is not YAML: ``problem`` says why, ``line`` and ``column`` where (from 1), ``remedy`` how to correct it.

    ``first`` is the line of the other text that has a part in the problem, such as an earlier key; 0 for none.
    """

    def __init__(
        self, problem: str, line: int, column: int, remedy: str = "", first: int = 0
    ) -> None:
        place = f"at line {line}, column {column}"
        if first:
            place = f"at line {first} and {place}"
        advice = f": {remedy}" if remedy else ""
        super().__init__(f"{problem} {place}{advice}")
        self.problem = problem
        self.line = line
        self.column = column
        self.remedy = remedy
        self.first = first

    def below(self, lines: int) -> TextError:
        """Return the error as the whole text has it, in which there are so many lines above this one."""
        first = self.first + lines if self.first else 0
        return TextError(self.problem, self.line + lines, self.column, self.remedy, first)


class DocumentError(InputError):
    """A file, a document of it or an item of a list cannot be read.

    Attributes:
        problem: the fault, and its document or item.
        file: the name of the file; "" where nobody knows it.
        number: which document of the file it is, from 0.
        code: that of the reason.
    """

    def __init__(
        self, problem: str, *, file: str = "", number: int = 0, code: str = InputError.code
    ) -> None:
        message = problem
        if file:
            message = f"{file}: {problem}"
        super().__init__(message)
        self.problem = problem
        self.file = file
        self.number = number
        self.code = code


class EditError(InputError):
    """A place cannot be edited without risk to the text around it."""

    code = "CannotWrite"


class ConfigProblem(NamedTuple):
    """One thing to correct in a FunctionConfig: the path of its field, as far as it may be shown, and one line."""

    path: Texts
    text: str


class ConfigError(InjectProxyError):
    """The FunctionConfig is wrong: ``problems`` holds each thing to correct, and is never empty.

    Args:
        text: the only problem, whose field the caller knows.
        problems: several ones, or one with its field, in the place of the text.
    """

    code = "ConfigInvalid"

    def __init__(self, text: str = "", problems: Sequence[ConfigProblem] = ()) -> None:
        self.problems = problems or [ConfigProblem((), text)]
        super().__init__("; ".join(problem.text for problem in self.problems))


class InternalError(InjectProxyError):
    """A check of this program on itself failed."""

    exit_code = 3
    code = "InternalError"
