"""What the tasks of Ansible leave in the files of a machine.

It reads the modules that write files or run commands, with loops over lists that are in the
task; variables, conditions and includes are not worked out. The environment of a task is gone with the task.

Source: the documentation of ``ansible.builtin``, and of ``community.general.ini_file``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from krm_fn.errors import ExpansionError
from krm_fn.image_check import places, shell
from krm_fn.image_check._model import Leak, ScanResult, together
from krm_fn.image_check._words import LARGEST, Word, entries, text_of
from krm_fn.light_typing import Any

KIND = "tasks of Ansible"

_NESTED = ("block", "rescue", "always", "tasks", "pre_tasks", "post_tasks", "handlers")
_SIGNS = frozenset(
    {
        "hosts",
        "include",
        "include_tasks",
        "import_tasks",
        "import_playbook",
        "include_role",
        "import_role",
        "set_fact",
    }
    | {
        "apt",
        "yum",
        "dnf",
        "package",
        "service",
        "systemd",
        "get_url",
        "unarchive",
        "stat",
        "find",
        "debug",
        "block",
    }
)
_LOOPS = ("loop", "with_items")
_PAIR = re.compile(r"(?<!\w)(\w+)=(\"[^\"]*\"|'[^']*'|\S+)")
_ITEM = re.compile(r"\{\{\s*item(?:\.(\w+)|\[[\"'](\w+)[\"']\])?\s*\}\}")
_FREE = "cmd"

_Arguments = Mapping[str, Word]


def is_one(data: Any) -> bool:
    """Return whether a document is a list of tasks or plays."""
    return isinstance(data, list) and any(map(_is_task, data))


def _is_task(data: Any) -> bool:
    """Return whether something has a key that only tasks and plays have, with a namespace in front of it or without."""
    if not isinstance(data, dict):
        return False
    names = (str(key).rpartition(".")[2] for key in data)
    return any(name in _SIGNS or name in _MODULES for name in names)


def look(data: Any, file: str, texts: Mapping[str, str]) -> ScanResult:
    """Return what the tasks of a document leave, and what they remove.

    Args:
        data: a document that ``is_one``.
        file: its name.
        texts: name -> text of all files, among them those that tasks place.

    Raises:
        ExpansionError: loops make more of it than may be read.
    """
    parts: list[ScanResult] = []
    made_by_loops = 0
    for module, arguments, is_looped in _calls(data):
        made_by_loops += sum(map(len, arguments.values())) if is_looped else 0
        if made_by_loops > LARGEST:
            raise ExpansionError(f"loops expand to more than {LARGEST} characters")
        parts.append(_MODULES[module](arguments, file, texts))
    return together(KIND, parts)


def _tasks(data: Any) -> Iterator[dict[Any, Any]]:
    for task in entries(data):
        if isinstance(task, dict):
            yield task
            for name in _NESTED:
                yield from _tasks(task.get(name))


def _calls(data: Any) -> Iterator[tuple[str, dict[str, Word], bool]]:
    """Yield the modules that tasks call with their arguments, for each item of a loop, and whether it is one."""
    for task in _tasks(data):
        loop = next((task[name] for name in _LOOPS if isinstance(task.get(name), list)), [None])
        for key, given in task.items():
            module = str(key).rpartition(".")[2]
            if module not in _MODULES:
                continue
            for item in loop:
                arguments = _arguments(given, task.get("args"), item)
                if module == "file" or arguments.get("state") != "absent":
                    yield module, arguments, item is not None


def _arguments(given: Any, more: Any, item: Any) -> dict[str, Word]:
    """Return the arguments of a module in any of their forms, with those of its loop."""
    written: dict[str, Any] = dict(given) if isinstance(given, dict) else {}
    if isinstance(given, Word):
        written = {
            name: Word(value.strip("\"'"), given.line) for name, value in _PAIR.findall(given)
        }
        written[_FREE] = given
    written |= more if isinstance(more, dict) else {}
    return {
        str(name): Word(_ITEM.sub(lambda found: _of_item(item, found), value), value.line)
        for name, value in written.items()
        if isinstance(value, Word)
    }


def _of_item(item: Any, found: re.Match[str]) -> str:
    member = found[1] or found[2]
    value = item.get(member) if isinstance(item, dict) and member else item
    return str(value) if isinstance(value, Word) else found[0]


def _path(arguments: _Arguments) -> Word | None:
    return next((arguments[name] for name in ("path", "dest", "name") if name in arguments), None)


def _copied(arguments: _Arguments, file: str, texts: Mapping[str, str]) -> ScanResult:
    dest, src, content = (arguments.get(name) for name in ("dest", "src", "content"))
    if dest is None:
        return ScanResult()
    target = f"{dest}{PurePosixPath(src or '').name}" if dest.endswith("/") else str(dest)
    if content is not None:
        return places.placed(target, content, dest.line)
    source = _source(src or "", file, texts)
    if source and places.dest_of(target):
        return together(
            "",
            (places.placed(target, texts[source], dest.line), ScanResult(used=frozenset({source}))),
        )
    if "proxy" in target.lower() and places.dest_of(target):
        return ScanResult(left=(Leak(dest.line, (), target),))
    return ScanResult()  # elsewhere, a file speaks for itself


def _source(src: str, file: str, texts: Mapping[str, str]) -> str:
    """Return the file that a task copies: one of its role, or the only one with that name."""
    named = [name for name in texts if src and f"/{name}".endswith(f"/{src}")]
    role = str(PurePosixPath(file).parent.parent)
    likely = [name for name in named if name.startswith(f"{role}/")] or named
    return likely[0] if len(likely) == 1 else ""


def _line_in_file(arguments: _Arguments, file: str, texts: Mapping[str, str]) -> ScanResult:  # noqa: ARG001 -- all take the same arguments
    dest, text = _path(arguments), arguments.get("line") or arguments.get("block")
    return places.placed(dest, text, dest.line) if dest and text else ScanResult()


def _ini_file(arguments: _Arguments, file: str, texts: Mapping[str, str]) -> ScanResult:  # noqa: ARG001 -- all take the same arguments
    dest = _path(arguments)
    section, option, value = (arguments.get(name) for name in ("section", "option", "value"))
    if not dest:
        return ScanResult()
    return places.placed(dest, f"[{section}]\n{option}={value or ''}", dest.line)


def _repository(arguments: _Arguments, file: str, texts: Mapping[str, str]) -> ScanResult:  # noqa: ARG001 -- all take the same arguments
    name, proxy = arguments.get("file") or arguments.get("name"), arguments.get("proxy")
    dest = f"/etc/yum.repos.d/{name}.repo"
    return places.placed(dest, f"proxy={proxy}", proxy.line) if name and proxy else ScanResult()


def _without(arguments: _Arguments, file: str, texts: Mapping[str, str]) -> ScanResult:  # noqa: ARG001 -- all take the same arguments
    path = _path(arguments)
    if path and arguments.get("state") == "absent":
        return ScanResult(removed={str(path): path.line})
    return ScanResult()


def _command(arguments: _Arguments, file: str, texts: Mapping[str, str]) -> ScanResult:  # noqa: ARG001 -- all take the same arguments
    text = text_of(arguments.get(_FREE))
    return shell.look(text, first=text.line) if text is not None else ScanResult()


_MODULES: dict[str, Callable[[_Arguments, str, Mapping[str, str]], ScanResult]] = {
    "copy": _copied,
    "template": _copied,
    "lineinfile": _line_in_file,
    "blockinfile": _line_in_file,
    "ini_file": _ini_file,
    "yum_repository": _repository,
    "shell": _command,
    "command": _command,
    "raw": _command,
    "file": _without,
}
