r"""The Go templates of the patches: what a node gets, out of the variable and what Cluster API knows of the Cluster.

Texts only. Each template renders to one JSON value, made by ``toJson``, so that no character of a
value can break it; what systemd or a shell would read otherwise is escaped before, as in ``escaping``.

Sources: Cluster API ``internal/controllers/topology/cluster/patches/inline`` (``text/template`` with the hermetic
functions of sprig, the result read as YAML), and "Writing a ClusterClass" for the builtin variables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from krm_fn.formats.line_files import LineForm
from krm_fn.patch import Data
from krm_fn.targets.nodes.clusterclass.names import VARIABLE
from krm_fn.targets.nodes.clusterclass.settings import (
    ADDRESSES,
    DEFAULT_DOMAIN,
    DOMAIN,
    PODS,
    SERVICES,
)
from krm_fn.targets.nodes.node_files import BY_PATH

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


ATTRIBUTES = ("path", "owner", "permissions")
"""The members of a file beside its content, in the order in which a patch writes them."""


def file(entry: Data) -> str:
    """Return the template of an entry of ``files`` that a target writes for some proxy."""
    members = " ".join(
        f"{_quoted(key)} {_quoted(entry[key])}" for key in ATTRIBUTES if key in entry
    )
    if "contentFrom" in entry:
        return _of_secret(members, entry["contentFrom"]["secret"])
    row = BY_PATH.get(entry["path"])
    if row is not None and row.lines is not None:
        text = _line_file(row.lines)
    elif "[Service]" in entry["content"]:
        text = _DROP_IN
    else:
        text = _ENVIRONMENT_FILE
    more = ""
    if "append" in entry:
        more = ' "append" true'
    return f'{_start()}{text}{{{{- dict {members} "content" $content{more} | toJson }}}}\n'


def _of_secret(members: str, secret: Mapping[str, str]) -> str:
    """Return a file with content from a Secret: ``secret`` of the variable, else the Cluster's name and a suffix."""
    suffix = _quoted(secret["name"])
    name = f"(.{VARIABLE}.secret | default (print .builtin.cluster.name {suffix}))"
    source = f'(dict "name" {name} "key" {_quoted(secret["key"])})'
    return f'{{{{ dict {members} "contentFrom" (dict "secret" {source}) | toJson }}}}\n'


def _line_file(form: LineForm) -> str:
    """Return what makes the content of a file whose lines have a form."""
    head = ""
    for name, value in form.constants.items():
        head += _line(form, name, value)
    text = f"{{{{- $content := {_quoted(head)} }}}}\n"
    pipe = ""
    for old, new in form.escapes.items():
        pipe += f" | replace {_quoted(old)} {_quoted(new)}"
    for expression, variable in (
        ("$http", "HTTP_PROXY"),
        ("$https", "HTTPS_PROXY"),
        ("$no", "NO_PROXY"),
    ):
        lines = ""
        values = ""
        for name in (variable, variable.lower()):
            if name in form.names:
                lines += _line(form, form.names[name], "%s")
                values += " $value"
        if lines:
            lines = _quoted(f"%s{lines}")
            text += f"{{{{- with last {expression} }}}}\n{{{{- $value := .{pipe} }}}}\n"
            text += f"{{{{- $content = printf {lines} $content{values} }}}}\n{{{{- end }}}}\n"
    return text


def _line(form: LineForm, name: str, value: str) -> str:
    quoted = form.quoted.format(value)
    return form.line.format(name=name, value=quoted) + "\n"


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
        text = text.replace(f'"{name}"', f'"{value}"')
        text = text.replace(f".{name}.", f".{value}.")
    return text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
