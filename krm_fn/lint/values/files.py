"""Rules about the file on a node that a value is in: its permissions, and who else writes it.

Plain strings in, problems out; which object they are in is for the caller to know.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.noproxy.lint_rules import Problem, problem


def lint_permissions(
    permissions: str, *, has_password: bool, ignition: bool = False, is_for_all: bool = False
) -> list[Problem]:
    """Return NP030: the problem of permissions as written ("0640").

    "" means "0644", the default on the node. A file is ``is_for_all`` where programs of every user read it.
    """
    found = []
    if ignition and permissions and not permissions.startswith("0"):
        message = (
            f'`permissions` "{permissions}" must begin with 0, Ignition reads a decimal '
            f'number: write "0{permissions}"'
        )
        found.append(problem("NP030", "", message, corrected=f"0{permissions}"))
    if ignition and not permissions:
        message = (
            "`permissions` must be set with Ignition, "
            'because Cluster API creates no node without them: write "0640"'
        )
        found.append(problem("NP030", "", message, corrected="0640"))
    others = (permissions or "0644")[-1:]
    if has_password and others != "0":
        remedy = 'write "0640" or "0600"'
        if is_for_all:
            remedy = "programs of every user read this one, so write a proxy without a password"
        message = f"`permissions` must not let others read a file with a password: {remedy}"
        found.append(problem("NP030", "", message))
    return found


def lint_writers(path: str, writers: Sequence[str]) -> list[Problem]:
    """Return NP031: the problem of several writers of the file ``path``, which the message names."""
    if len(set(writers)) < 2:
        return []
    names = " and ".join(dict.fromkeys(writers))
    return [
        problem(
            "NP031",
            "",
            f'file "{path}" must have one writer, not {names}: the later one wins; switch one off',
        )
    ]
