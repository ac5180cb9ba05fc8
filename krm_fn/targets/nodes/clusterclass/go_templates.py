r"""The Go templates of the patches: what a node gets, out of the variable and what Cluster API knows of the Cluster.

Texts only. Each template renders to one JSON value, made by ``toJson``, so that no character of a
value can break it; what systemd or a shell would read otherwise is escaped before, as in ``escaping``.

Sources: Cluster API ``internal/controllers/topology/cluster/patches/inline`` (``text/template`` with the hermetic
functions of sprig, the result read as YAML), and "Writing a ClusterClass" for the builtin variables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from krm_fn.products.node_files import LineForm
from krm_fn.targets.nodes.clusterclass.names import VARIABLE
from krm_fn.targets.nodes.clusterclass.settings import (
    ADDRESSES,
    DEFAULT_DOMAIN,
    DOMAIN,
    PODS,
    SERVICES,
)

_START = """\
{{- $network := .builtin.cluster.network | default dict }}
{{- $entries := list }}
{{- range .VARIABLE.noProxy | default list }}
{{- if eq . "PODS" }}
{{- $entries = concat $entries ($network.pods | default list) }}
{{- else if eq . "SERVICES" }}
{{- $entries = concat $entries ($network.services | default list) }}
{{- else if eq . "ADDRESSES" }}
{{- range $network.services | default list }}
{{- $address := splitList "/" . | first }}
{{- $parts := splitList "." $address }}
{{- if hasSuffix "::" $address }}
{{- $entries = append $entries (print $address "1") }}
{{- else if not (contains ":" $address) }}
{{- $entries = append $entries (print (initial $parts | join ".") "." (last $parts | atoi | add1)) }}
{{- end }}
{{- end }}
{{- else }}
{{- $entries = append $entries (replace "DOMAIN" ($network.serviceDomain | default "DEFAULT") .) }}
{{- end }}
{{- end }}
{{- $http := list "HTTP_PROXY" .VARIABLE.httpProxy }}
{{- $https := list "HTTPS_PROXY" .VARIABLE.httpsProxy }}
{{- $no := list "NO_PROXY" ($entries | uniq | join ",") }}
"""
_DROP_IN = r"""{{- $content := "[Service]\n" }}
{{- range list $http $https $no }}
{{- $name := first . }}
{{- with last . }}
{{- $value := . | replace `\` `\\` | replace `"` `\"` | replace "%" "%%" }}
{{- $content = printf "%sEnvironment=\"%s=%s\"\n" $content $name $value }}
{{- $content = printf "%sEnvironment=\"%s=%s\"\n" $content ($name | lower) $value }}
{{- end }}
{{- end }}
"""
_ENVIRONMENT_FILE = r"""{{- $content := "" }}
{{- range list $http $https $no }}
{{- $name := first . }}
{{- with last . }}
{{- $value := . | replace `\` `\\` | replace `"` `\"` | replace "$" `\$` | replace "`" "\\`" }}
{{- $content = printf "%s%s=\"%s\"\n%s=\"%s\"\n" $content $name $value ($name | lower) $value }}
{{- end }}
{{- end }}
"""
_EXPORTS = r"""{{- $exports := list "export" }}
{{- range list $http $https $no }}
{{- $name := first . }}
{{- with last . }}
{{- $value := . | replace `'` `'"'"'` }}
{{- $exports = append $exports (printf "%s='%s' %s='%s'" $name $value ($name | lower) $value) }}
{{- end }}
{{- end }}
{{- $exports | join " " | toJson }}
"""


_WORD = r"\"(?:[^\"\\]|\\.){0,600}\""  # a path, an owner or a mode
"""A text as ``_quoted`` writes it."""


def drop_in(attributes: Mapping[str, str]) -> str:
    """Return an entry of ``files``.

    A drop-in with these attributes (``path``, ``owner``, ``permissions``).
    """
    return (
        f'{_start()}{_DROP_IN}{{{{- dict {_members(attributes)} "content" $content | toJson }}}}\n'
    )


def line_file(attributes: Mapping[str, str], form: LineForm, *, is_appended: bool) -> str:
    """Return an entry of ``files`` with these attributes whose lines have a form."""
    head = [_line(form, name, value) for name, value in form.constants.items()]
    text = f"{{{{- $content := {_quoted(''.join(head))} }}}}\n"
    pipe = "".join(f" | replace {_quoted(old)} {_quoted(new)}" for old, new in form.escapes.items())
    for found, variable in (
        ("$http", "HTTP_PROXY"),
        ("$https", "HTTPS_PROXY"),
        ("$no", "NO_PROXY"),
    ):
        names = [form.names[name] for name in (variable, variable.lower()) if name in form.names]
        if names:
            lines = _quoted("%s" + "".join(_line(form, name, "%s") for name in names))
            text += f"{{{{- with last {found} }}}}\n{{{{- $value := .{pipe} }}}}\n"
            text += f"{{{{- $content = printf {lines} $content{' $value' * len(names)} }}}}\n{{{{- end }}}}\n"
    more = ' "append" true' if is_appended else ""
    return f'{_start()}{text}{{{{- dict {_members(attributes)} "content" $content{more} | toJson }}}}\n'


def _line(form: LineForm, name: str, value: str) -> str:
    return f"{form.line.format(name=name, value=form.quoted.format(value))}\n"


def environment_file(attributes: Mapping[str, str]) -> str:
    """Return an entry of ``files``: an environment file with these attributes, whose values are all in quotes."""
    return f'{_start()}{_ENVIRONMENT_FILE}{{{{- dict {_members(attributes)} "content" $content | toJson }}}}\n'


def secret_drop_in(attributes: Mapping[str, str], suffix: str, key: str) -> str:
    """Return a drop-in with content from a Secret.

    ``secret`` of the variable, else the Cluster's name and ``suffix``.
    """
    name = f"(.{VARIABLE}.secret | default (print .builtin.cluster.name {_quoted(suffix)}))"
    secret = f'(dict "name" {name} "key" {_quoted(key)})'
    return (
        f'{{{{ dict {_members(attributes)} "contentFrom" (dict "secret" {secret}) | toJson }}}}\n'
    )


def attributes_of(text: str) -> dict[str, str]:
    """Return the attributes of the file that one of our templates makes; empty for any other text."""
    found = re.search(rf"\{{\{{-? dict ((?:{_WORD} {_WORD} )+)\"content", text)
    words = [json.loads(word) for word in re.findall(_WORD, found[1])] if found else []
    return dict(zip(words[::2], words[1::2], strict=True))


def exports() -> str:
    """Return a command that exports all variables that are set."""
    return f"{_start()}{_EXPORTS}"


def _start() -> str:
    names = {
        "VARIABLE": VARIABLE,
        "PODS": PODS,
        "SERVICES": SERVICES,
        "ADDRESSES": ADDRESSES,
        "DOMAIN": DOMAIN,
        "DEFAULT": DEFAULT_DOMAIN,
    }
    text = _START
    for name, value in names.items():
        text = text.replace(f'"{name}"', f'"{value}"').replace(f".{name}.", f".{value}.")
    return text


def _members(attributes: Mapping[str, str]) -> str:
    return " ".join(f"{_quoted(key)} {_quoted(value)}" for key, value in attributes.items())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
