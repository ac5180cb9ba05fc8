"""Shell commands of a KubeadmConfigSpec that export a proxy or restart containerd: what they set, and how to edit them.

The law of this room: one list, ``preKubeadmCommands``; a command that does anything else is told and left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.patch import ListEdit, Operation, Pointer
from krm_fn.results import Change, Finding, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets import _exports, _kubeadm, _restart
from krm_fn.targets._kubeadm import ConfigSpec, find
from krm_fn.targets._seen import Seen
from krm_fn.targets._shape import wrong_type

_KEY = "preKubeadmCommands"


def propose(obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]) -> Iterator[Change | Finding]:
    """Yield what has to change in the commands of ``obj``, an object of one of ``_kubeadm.KINDS``.

    Args:
        obj: plain data of any shape.
        settings: the proxy; all empty means none.
        options: ``exports`` and ``restart`` (booleans, true where they are missing).
    """
    spec = find(obj, wanted=bool(settings.variables()))
    if not isinstance(spec, ConfigSpec):
        yield from () if spec is None else (spec,)
        return
    yield from spec.findings(settings)
    commands = spec.entries(_KEY)
    if isinstance(commands, Finding):
        yield commands
        return
    edit = ListEdit((*spec.path, _KEY), commands)
    yield from _kubeadm.at_new_places(list(_edit_commands(spec, edit, settings, options)), edit)


def observe(obj: Mapping[str, Any]) -> Iterator[Seen]:
    """What ``preKubeadmCommands`` leave exported to kubeadm: cloud-init and Ignition run them as one script."""
    spec = find(obj)
    commands = spec.entries(_KEY) if isinstance(spec, ConfigSpec) else None
    if not isinstance(spec, ConfigSpec) or isinstance(commands, Finding):
        return
    texts = [command if isinstance(command, str) else "" for command in commands or ()]
    for one in _exports.live(texts):
        path, place = (*spec.path, _KEY, str(one.index)), f"the exports in `{_KEY}`"
        seen = Seen(one.name, one.value, path, texts[one.index], place, one.why, is_lost=one.is_lost)
        yield spec.through_jinja(seen)


def _edit_commands(
    spec: ConfigSpec, edit: ListEdit, settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    yield from _other_commands(edit, settings)
    try:
        _plan(edit, settings.variables(), options, with_restart=bool(settings.variables()) and not spec.ignition)
    except ValueError as error:
        yield Finding(Severity.ERROR, f"{error}; change the proxy settings", edit.path)
        return
    yield from (_change(spec.rooted(operation), edit) for operation in edit.operations())
    yield from _limits(spec, edit, settings)


def _plan(edit: ListEdit, variables: Mapping[str, str], options: Mapping[str, Any], *, with_restart: bool) -> None:
    """Note in ``edit`` what the list is to become."""
    texts = _texts(edit)
    ours = [index for index, text in enumerate(texts) if _restart.is_ours(text)]
    wanted = with_restart and options.get("restart", True)
    for number, index in enumerate(ours):
        if number or not wanted:
            edit.removed.add(index)
        elif texts[index] != _restart.COMMAND:
            edit.replaced[index] = _restart.COMMAND
    if wanted and not ours and not _restart.is_restarted(texts):
        edit.appended.append(_restart.COMMAND)
    exports = variables if options.get("exports", True) else {}
    planned = _exports.plan(texts, exports, in_one_block=not edit.appended)
    edit.replaced.update(planned.rewritten)
    edit.removed.update(planned.removed)
    edit.appended += [_exports.export(name, exports[name]) for name in planned.missing]


def _texts(edit: ListEdit) -> list[str]:
    """The commands; "" for an entry that is none."""
    return [command if isinstance(command, str) else "" for command in edit.old or ()]


def _other_commands(edit: ListEdit, settings: ProxySettings) -> Iterator[Finding]:
    """Entries that are no commands, and commands that set a proxy variable and do something else as well."""
    wanted = settings.variables()
    for index, command in enumerate(edit.old or ()):
        place = (*edit.path, str(index))
        if not isinstance(command, str):
            yield wrong_type(place, command, "a string")
        elif (found := _exports.assigned(command)) and not _exports.only_exports(command):
            harmless = all(wanted.get(name) == value for name, value in found)
            names = _kubeadm.names(dict(found))
            message = f"this command sets {names} and does more than that, or is not closed, so it is left as it is"
            advice = "" if harmless else "; change it by hand, or move the export into a command of its own"
            yield Finding(Severity.INFO if harmless else Severity.WARNING, message + advice, place)


def _limits(spec: ConfigSpec, edit: ListEdit, settings: ProxySettings) -> Iterator[Finding]:
    """What Cluster API or cloud-init would make of the exports as they are to be."""
    texts = {index: text for index, text in enumerate(_texts(edit)) if index not in edit.removed}
    texts |= edit.replaced | dict(enumerate(edit.appended, start=len(edit.old or ())))
    exports = {index: text for index, text in texts.items() if _exports.only_exports(text)}
    if exports:
        yield from spec.jinja(settings, edit.path)
    for index, text in exports.items():
        yield from spec.too_long((*edit.path, str(index)), text, "shorten `noProxy`, or set `exports` to false")


def _change(operation: Operation, edit: ListEdit) -> Change:
    old: Sequence[Any] = edit.old or ()
    gone: Sequence[Any] = ()
    if operation.op != "add":
        gone = old if _is_list(operation, edit.path) else [old[int(operation.path[-1])]]
    new = [] if operation.op == "remove" else edit.appended if _is_list(operation, edit.path) else [operation.value]
    verb, commands = ("sets", new) if new else ("removes", gone)
    exported = [name for command in commands for name in _exports.exported(command)]
    parts = [f"{verb} {_kubeadm.names(exported)} for kubeadm"] if exported else []
    if any(_restart.is_ours(command) for command in commands):
        parts.insert(0, "restarts containerd" if new else "removes the restart of containerd")
    return Change(operation, " and ".join(parts))


def _is_list(operation: Operation, path: Pointer) -> bool:
    """True if the operation writes the whole list, alone or with the mappings above it."""
    return len(operation.path) <= len(path)
