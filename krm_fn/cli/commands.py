"""The commands, and the module of each: what has to be known before a command is loaded."""

from __future__ import annotations

MODULES = {
    "init": "init",
    "run": "run",
    "explain": "explain",
    "lint": "lint",
    "check-image": "check_image",
    "import": "import_",
    "export": "export",
    "targets": "targets",
    "schema": "schema",
    "completion": "completion",
    "help": "help",
}
"""Name of a command -> module of `krm_fn.cli`, in the order of the help text."""

SUMMARIES = {
    "init": "writes a first ProxyConfig, made of what manifests and the shell say about a proxy",
    "run": "writes the proxy of a ProxyConfig into files and folders of manifests, in place",
    "explain": "who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it",
    "lint": "checks a NO_PROXY list, or what manifests say about a proxy, and fixes it",
    "check-image": "reports what of a proxy the inputs of an image build would leave in the image",
    "import": "a ProxyConfig made of the values of another system, on standard output",
    "export": "writes the proxy of a ProxyConfig into a file of another system, or prints it as a command line",
    "targets": "lists the places that hold a proxy, or prints the page of one",
    "schema": "prints the JSON Schema of a ProxyConfig",
    "completion": "prints a script that completes commands, options and values in a shell",
    "help": "prints what there is, the help text of a command, or what a code means",
}
"""Name of a command -> what it does, in one line without a full stop."""
