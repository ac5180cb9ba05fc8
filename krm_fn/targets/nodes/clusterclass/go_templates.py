r"""The Go templates of the patches: files and commands of a node, out of our variable and the network of its Cluster.

Each template renders to one JSON value, made by ``toJson``, so that no character of a value can break it; characters
that systemd or a shell would read otherwise are escaped before, as in ``escaping``.

The templates hold the name of our variable (``class_data.VARIABLE``), and the names of ``products.cluster_api`` that
stand for the network of a Cluster; a test holds them against each other.

Sources: Cluster API ``internal/controllers/topology/cluster/patches/inline`` (``text/template`` with the hermetic
functions of sprig, the result read as YAML), and "Writing a ClusterClass" for the builtin variables.
"""

from __future__ import annotations

import json

from krm_fn.formats.assignments import LineForm
from krm_fn.patch import Data
from krm_fn.targets.nodes.node_files import BY_PATH

# Makes ``$http``, ``$https`` and ``$no``: each is a name and its value.
_VARIABLES = """\
{{- $network := .builtin.cluster.network | default dict }}
{{- $entries := list }}
{{- range .injectProxy.noProxy | default list }}
{{- if eq . "builtin.cluster.network.pods" }}
{{- $entries = concat $entries ($network.pods | default list) }}
{{- else if eq . "builtin.cluster.network.services" }}
{{- $entries = concat $entries ($network.services | default list) }}
{{- else if eq . "builtin.cluster.network.services.first" }}
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
{{- $entries = append $entries (replace "builtin.cluster.network.domain" ($network.serviceDomain | default "cluster.local") .) }}
{{- end }}
{{- end }}
{{- $http := list "HTTP_PROXY" .injectProxy.httpProxy }}
{{- $https := list "HTTPS_PROXY" .injectProxy.httpsProxy }}
{{- $no := list "NO_PROXY" ($entries | uniq | join ",") }}
"""  # noqa: E501
# systemd reads a quoted word: backslash and quote are escaped for it, and `%`, which begins a specifier, is doubled.
# The backslash goes first, so that it does not escape those of the others. In a Go template `...` is a raw string.
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
# `EnvironmentFile=` knows no specifiers, but escapes `$` and the backtick as a shell does. A raw string of Go cannot
# hold a backtick, so that one is in double quotes.
_ENVIRONMENT_FILE = r"""{{- $content := "" }}
{{- range list $http $https $no }}
{{- $name := first . }}
{{- with last . }}
{{- $value := . | replace `\` `\\` | replace `"` `\"` | replace "$" `\$` | replace "`" "\\`" }}
{{- $content = printf "%s%s=\"%s\"\n%s=\"%s\"\n" $content $name $value ($name | lower) $value }}
{{- end }}
{{- end }}
"""
# In single quotes of a shell a quote alone means something: it ends the word, stands in double quotes, and begins it
# again. The command is one JSON text, so that YAML reads it as it is.
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

# A command that exports all variables that are set.
EXPORTS = _VARIABLES + _EXPORTS

# The members of a file beside its content, in the order in which a patch writes them.
_ATTRIBUTES = ("path", "owner", "permissions")


def file(file_entry: Data) -> str:
    """Return the template of an entry of ``files``, given the entry that a target writes for some proxy."""
    members = "dict"
    for name in _ATTRIBUTES:
        if name in file_entry:
            members += f" {_quoted(name)} {_quoted(file_entry[name])}"
    if "contentFrom" in file_entry:
        # Of a Secret whose name is in the variable, or has that of the Cluster.
        secret = file_entry["contentFrom"]["secret"]
        name = f"(.injectProxy.secret | default (print .builtin.cluster.name {_quoted(secret['name'])}))"
        content_from = f'(dict "secret" (dict "name" {name} "key" {_quoted(secret["key"])}))'
        return f'{{{{ {members} "contentFrom" {content_from} | toJson }}}}\n'
    members += ' "content" $content'
    if "append" in file_entry:
        members += ' "append" true'
    return f"{_VARIABLES}{_content(file_entry)}{{{{- {members} | toJson }}}}\n"


def _content(file_entry: Data) -> str:
    """Return the template that makes ``$content`` of a file."""
    row = BY_PATH.get(file_entry["path"])
    if row is not None and row.lines is not None:
        return _line_file(row.lines)
    if "[Service]" in file_entry["content"]:
        return _DROP_IN
    return _ENVIRONMENT_FILE


def _line_file(form: LineForm) -> str:
    """Return the template that makes the content of a file whose lines have a form."""
    constants = [_line(form, name, value) for name, value in form.constants.items()]
    text = f"{{{{- $content := {_quoted(''.join(constants))} }}}}\n"
    escaped = ""
    for character, escape in form.escapes.items():
        escaped += f" | replace {_quoted(character)} {_quoted(escape)}"
    for pair, variable in (("$http", "HTTP_PROXY"), ("$https", "HTTPS_PROXY"), ("$no", "NO_PROXY")):
        names = [form.names[name] for name in (variable, variable.lower()) if name in form.names]
        if not names:
            continue
        lines = _quoted("%s" + "".join(_line(form, name, "%s") for name in names))
        values = " $value" * len(names)
        text += f"{{{{- with last {pair} }}}}\n{{{{- $value := .{escaped} }}}}\n"
        text += f"{{{{- $content = printf {lines} $content{values} }}}}\n{{{{- end }}}}\n"
    return text


def _line(form: LineForm, name: str, value: str) -> str:
    return form.line.format(name=name, value=form.quoted.format(value)) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
