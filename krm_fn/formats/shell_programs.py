"""Which programs a shell command runs: parsed as words, not searched as text.

In: the text of a command or script for ``sh``. Out: each simple command with its words after quotes, the files that
it redirects its output to, and whether it runs in the shell itself. Lists, pipes, sub-shells, command substitutions,
``if`` and loops are followed, so are programs that run another one (``sudo``, ``env``, ``timeout``, ``bash -c``);
comments, here-documents and patterns of ``case`` are skipped. Nothing is expanded and nothing raises: of a text that no
shell would accept, what can be read is returned.

Source: POSIX Shell Command Language, sections 2.2 (quoting), 2.7 (redirection), 2.9 (commands); the manual pages of the
programs in ``_RUNNERS`` for their options.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache

from krm_fn.formats import CACHED_LINES
from krm_fn.light_typing import NamedTuple

LONGEST = 65_536
"""Longer texts are not read; Cluster API allows 10240 characters for a command or a file."""

_DEEPEST = 16
"""So many substitutions and shells may be nested."""

_MOST_INNER = 4
"""The texts that shells within a text run are read up to so many times its length, together.

What is in ``eval "$(...)"`` is read as a substitution and as a text of its own: without a limit, twice for each level.
"""

_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_JOINT = re.compile(r"&&|\|\||\|&|;;&?|;&|[;&|]")
_REDIRECTION = re.compile(r"[0-9]*(?:&>>?|<<<|<<-?|<>|>>|>\||>&|<&|>|<)")
_PLAIN = re.compile(r"""[^ \t\r\n'"\\$`;&|<>()]+""")
_IN_DOUBLE_QUOTES = r'[^"\\$`]+'
_PARAMETER = r"(?s)\$(?:[A-Za-z_][A-Za-z0-9_]*|.?)"
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")

_BEFORE_A_COMMAND = frozenset(
    {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"}
)
_NO_COMMAND = frozenset({"for", "case", "select", "function", "fi", "done", "esac", "}", "[["})
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})


class Program(NamedTuple):
    """One simple command.

    ``words`` are its name and arguments with quotes and escapes resolved, what a shell would expand as it is written;
    ``writes`` are the files of its output redirections. ``in_shell`` is True where it runs in the shell of the text
    itself, so that what it exports or unsets holds for the commands behind it.
    """

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    in_shell: bool = True

    @property
    def name(self) -> str:
        """The name of the program without its folder; "" for redirections alone."""
        return posixpath.basename(self.words[0]) if self.words else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words behind the name."""
        return self.words[1:]


class _Runner(NamedTuple):
    """A program that runs the one behind its own options and operands."""

    valued: frozenset[str] = frozenset()
    operands: int = 0


def _runner(*valued: str, operands: int = 0) -> _Runner:
    return _Runner(frozenset(valued), operands)


_RUNNERS = {
    "builtin": _runner(),
    "chroot": _runner(operands=1),
    "command": _runner(),
    "doas": _runner("-C", "-u"),
    "env": _runner("-C", "-u", "--chdir", "--unset"),
    "exec": _runner("-a"),
    "flock": _runner("-E", "-w", "--timeout", "--wait", operands=1),
    "ionice": _runner("-c", "-n", "-p"),
    "nice": _runner("-n", "--adjustment"),
    "nohup": _runner(),
    "nsenter": _runner("-t", "--target"),
    "setsid": _runner(),
    "stdbuf": _runner("-e", "-i", "-o"),
    "sudo": _runner(
        "-C", "-D", "-R", "-T", "-g", "-h", "-p", "-r", "-t", "-u", "--group", "--user"
    ),
    "systemd-run": _runner("-E", "-p", "-u", "--property", "--setenv", "--unit"),
    "time": _runner("-f", "-o"),
    "timeout": _runner("-k", "-s", "--kill-after", "--signal", operands=1),
    "watch": _runner("-n", "--interval"),
    "xargs": _runner("-E", "-I", "-L", "-P", "-a", "-d", "-n", "-s"),
}
_IN_THE_SAME_SHELL = frozenset({"builtin", "command"})


@lru_cache(maxsize=CACHED_LINES)
def programs(text: str) -> tuple[Program, ...]:
    """Return the programs that ``text`` runs, in the order in which they are written."""
    if len(text) > LONGEST:
        return ()
    return tuple(_programs(text, 0, _Allowance(len(text) * (1 + _MOST_INNER))))


class _Allowance:
    """How many characters may still be read, in a text and in all that its shells run."""

    def __init__(self, characters: int) -> None:
        self._characters = characters

    def covers(self, text: str) -> bool:
        """Return whether ``text`` may be read, and count it."""
        self._characters -= len(text)
        return self._characters >= 0


def _programs(text: str, depth: int, allowance: _Allowance) -> list[Program]:
    if depth > _DEEPEST or not allowance.covers(text):
        return []
    reader = _ShellReader(text, depth, allowance)
    reader.commands()
    return reader.found


class _ShellReader:
    """Reads a text once, from its beginning to its end."""

    def __init__(self, text: str, depth: int, allowance: _Allowance) -> None:
        self.text = text
        self.depth = depth
        self._allowance = allowance
        self.at = 0
        self.found: list[Program] = []
        self._last_brace = text.rfind("}")
        self._closing = ""
        self._here_documents: list[str] = []

    def commands(self, closing: str = "", *, in_shell: bool = True) -> None:
        """Read up to ``closing``, the end of a sub-shell or a substitution, or to the end of the text."""
        self.depth += 1
        outer, self._closing = self._closing, closing
        words: list[str] = []
        writes: list[str] = []
        is_piped = False
        while self.at < len(self.text):
            if blank := _BLANK.match(self.text, self.at):
                self.at = blank.end()
                continue
            char = self.text[self.at]
            joint = _JOINT.match(self.text, self.at)
            redirection = _REDIRECTION.match(self.text, self.at)
            if closing and char == closing:
                break
            if char == "#":
                self._to_end_of_line()
            elif redirection:
                self._redirect(redirection, writes)
            elif joint or char in "\n()":
                mark = joint[0] if joint else char
                if mark != ")":  # that one ends a pattern of `case`
                    runs_apart = is_piped or mark in ("|", "|&", "&")
                    self._finish(words, writes, in_shell=in_shell and not runs_apart)
                words, writes = [], []
                is_piped = mark in ("|", "|&")
                self.at += len(mark)
                if char == "(":
                    self._nested(")")
                elif char == "\n":
                    self._skip_here_documents()
            else:
                words.append(self._word())
        self._finish(words, writes, in_shell=in_shell and not is_piped)
        self.at += 1
        self.depth -= 1
        self._closing = outer

    def _nested(self, closing: str) -> None:
        if self.depth > _DEEPEST:
            self.at = len(self.text)
        else:
            self.commands(closing, in_shell=False)

    def _to_end_of_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _redirect(self, redirection: re.Match[str], writes: list[str]) -> None:
        self.at = redirection.end()
        operator = redirection[0].lstrip("0123456789")
        if self.text.startswith("(", self.at):  # process substitution
            self.at += 1
            self._nested(")")
            return
        if blank := _BLANK.match(self.text, self.at):
            self.at = blank.end()
        if self.at >= len(self.text) or self.text[self.at] in "\n;&|<>()":
            return
        target = self._word()
        if operator in ("<<", "<<-"):
            self._here_documents.append(target)
        elif ">" in operator and not (operator == ">&" and target.isdigit()):
            writes.append(target)

    def _skip_here_documents(self) -> None:
        for delimiter in self._here_documents:
            while self.at < len(self.text):
                start = self.at
                self._to_end_of_line()
                line = self.text[start : self.at].strip("\t\r")
                self.at += 1
                if line == delimiter:
                    break
        self._here_documents.clear()

    def _word(self) -> str:
        read: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if plain := _PLAIN.match(self.text, self.at):
                read.append(plain[0])
                self.at = plain.end()
            elif char == "'":
                read.append(self._single_quoted())
            elif char == '"':
                read.append(self._double_quoted())
            elif char == "\\":
                read.append(self.text[self.at + 1 : self.at + 2].replace("\n", ""))
                self.at += 2
            elif char in "$`" and char != self._closing:
                read.append(self._expansion())
            else:
                break
        return "".join(read)

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.at + 1)
        end = len(self.text) if end < 0 else end
        read = self.text[self.at + 1 : end]
        self.at = end + 1
        return read

    def _double_quoted(self) -> str:
        read: list[str] = []
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            char = self.text[self.at]
            if plain := re.compile(_IN_DOUBLE_QUOTES).match(self.text, self.at):
                read.append(plain[0])
                self.at = plain.end()
            elif char == "\\":
                escaped = self.text[self.at + 1 : self.at + 2]
                if escaped in '$`"\\':
                    read.append(escaped)
                elif escaped != "\n":
                    read.append(f"\\{escaped}")
                self.at += 2
            else:
                read.append(self._expansion())
        self.at += 1
        return "".join(read)

    def _expansion(self) -> str:
        """Return the text of an expansion (``$`` or a backtick), and note the programs of a substitution."""
        start = self.at
        if self.text[start] == "`":
            self.at += 1
            self._nested("`")
        elif self.text.startswith("$(", start):
            self.at += 2
            self._nested(")")
        elif self.text.startswith("${", start) and start < self._last_brace:
            self.at = self.text.index("}", start) + 1
        else:
            parameter = re.compile(_PARAMETER).match(self.text, start)
            if parameter is None or parameter[0] in ('$"', "$'", "$ ", "$\n", "$\t", "$`"):
                self.at += 1
            else:
                self.at = parameter.end()
        return self.text[start : self.at]

    def _finish(self, words: Sequence[str], writes: Sequence[str], *, in_shell: bool) -> None:
        start = 0
        while start < len(words) and (
            words[start] in _BEFORE_A_COMMAND or _ASSIGNMENT.match(words[start])
        ):
            start += 1
        rest = words[start:]
        if rest and rest[0] in _NO_COMMAND:
            rest = ()
        if rest or writes:
            program = Program(tuple(rest), tuple(writes), in_shell)
            self.found += _unwrapped(program, self.depth, self._allowance)


def _without_assignments(words: Sequence[str]) -> Sequence[str]:
    at = 0
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return words[at:]


def _unwrapped(program: Program, depth: int, allowance: _Allowance) -> list[Program]:
    """Return ``program``, or the program it wraps; nothing if they are nested too deeply."""
    runners = 0
    while program.name in _RUNNERS:
        runners += 1
        if runners > _DEEPEST:
            return []
        if program.name == "command" and program.arguments[:1] in (("-v",), ("-V",)):
            return [program._replace(words=())] if program.writes else []
        inner = _behind_options(program.arguments, _RUNNERS[program.name])
        in_shell = program.in_shell and program.name in _IN_THE_SAME_SHELL
        program = program._replace(words=tuple(inner), in_shell=in_shell)
    if program.name in _SHELLS:
        return _of_shell(program, depth, allowance)
    if program.name in ("su", "runuser") and "-c" in program.arguments[:-1]:
        text = program.arguments[program.arguments.index("-c") + 1]
        return _of_text(program, text, depth, allowance, in_shell=False)
    if program.name == "eval":
        text = " ".join(program.arguments)
        return _of_text(program, text, depth, allowance, in_shell=program.in_shell)
    if program.name in (".", "source"):
        return [program._replace(words=program.arguments)]
    return [program] if program.words or program.writes else []


def _of_shell(program: Program, depth: int, allowance: _Allowance) -> list[Program]:
    """Return the programs that ``bash -c TEXT`` or ``bash SCRIPT`` runs."""
    arguments = program.arguments
    at = 0
    has_text = False
    while at < len(arguments) and arguments[at][:1] in ("-", "+"):
        has_text = has_text or (not arguments[at].startswith("--") and "c" in arguments[at])
        at += 2 if arguments[at] in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file") else 1
    if at >= len(arguments):
        return [program]
    if has_text:
        return _of_text(program, arguments[at], depth, allowance, in_shell=False)
    return [program._replace(words=arguments[at:], in_shell=False)]


def _of_text(
    program: Program, text: str, depth: int, allowance: _Allowance, *, in_shell: bool
) -> list[Program]:
    inner = _programs(text, depth + 1, allowance)
    redirected = [Program((), program.writes, in_shell)] if program.writes else []
    return [*(one._replace(in_shell=one.in_shell and in_shell) for one in inner), *redirected]


def _behind_options(arguments: Sequence[str], runner: _Runner) -> Sequence[str]:
    at = 0
    while at < len(arguments) and (
        arguments[at].startswith("-") or _ASSIGNMENT.match(arguments[at])
    ):
        if arguments[at] == "--":
            at += 1
            break
        at += 2 if arguments[at] in runner.valued else 1
    return _without_assignments(arguments[at + runner.operands :])
