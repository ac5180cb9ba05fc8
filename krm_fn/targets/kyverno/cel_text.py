"""CEL expressions that give containers exactly the wanted proxy variables and keep all their others.

A JSON Patch writes the whole ``env`` of each container: the proxy variables first, so that others can refer to them,
then the entries of the container that are none of the six. A second evaluation gives the same list, and no entry of
the six keeps a ``valueFrom``. The expressions hold for MutatingPolicy and for MutatingAdmissionPolicy; they read
``variables.<name>`` of ``patch_variables`` and ``variables.proxy``, which ``entries`` writes.

Sources: the type ``JSONPatch`` and the libraries of CEL in Kubernetes (``k8s.io/apiserver/pkg/cel``); judged by
Kyverno's engine (``tests/kyverno/generated``).
"""

from __future__ import annotations

from collections.abc import Iterable

from krm_fn.settings import PROXY_VARIABLES

LISTS = ("initContainers", "containers")
"""The lists of a pod specification whose containers get the variables."""

_PATCH = """\
variables.podSpec.?{list}.orValue([])
  .filter(c, variables.chosen.size() == 0 || c.name in variables.chosen)
  .map(c, JSONPatch{{
    op: "add",
    path: variables.podSpecPath + "/{list}/"
      + string(variables.podSpec.{list}.map(one, one.name).indexOf(c.name)) + "/env",
    value: variables.proxy + c.?env.orValue([]).filter(e, !(e.name in variables.names))
  }})"""


def text(value: str, like: str = '"') -> str:
    """Return a literal that denotes a text, with the quotes of another literal.

    Args:
        value: any text.
        like: a string literal; its prefix and a triple of quotes are not kept.
    """
    quote = "'" if like.lstrip("rRbB").startswith("'") else '"'
    parts = []
    for char in value:
        if char in ("\\", quote):
            parts.append(f"\\{char}")
        elif char < " " or char == "\x7f":
            parts.append(f"\\x{ord(char):02x}")
        else:
            parts.append(char)
    return f"{quote}{''.join(parts)}{quote}"


def texts(values: Iterable[str]) -> str:
    """Return a list of literals, one in each line."""
    return _list_literal(map(text, values))


def entries(expressions: Iterable[tuple[str, str]]) -> str:
    """Return the expression of a list of entries of ``env``, as ``variables.proxy`` is one.

    Args:
        expressions: the name of each variable, and the expression of its value.
    """
    return _list_literal(
        f'{{"name": {text(name)}, "value": {expression}}}' for name, expression in expressions
    )


def patch_variables(*, pod_spec: str, path: str, chosen: str) -> dict[str, str]:
    """Return name -> expression of the variables that ``patch`` reads besides ``variables.proxy``.

    Args:
        pod_spec: an expression for the pod specification of the object.
        path: an expression for the JSON Pointer that leads to it.
        chosen: an expression for the names of the containers that get the variables; an empty list: all.
    """
    return {
        "names": texts(PROXY_VARIABLES),
        "podSpec": pod_spec,
        "podSpecPath": path,
        "chosen": chosen,
    }


def patch(containers: str) -> str:
    """Return the JSON Patch for the containers of one of ``LISTS``."""
    return _PATCH.format(list=containers)


def _list_literal(items: Iterable[str]) -> str:
    lines = ",\n".join(f"  {item}" for item in items)
    return f"[\n{lines}\n]"
