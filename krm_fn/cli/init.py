"""``inject-proxy init``: a first ProxyConfig for a repository, made of what is there.

No password is written: a Secret holds it, and a comment has the command that creates one.
"""

from __future__ import annotations

import os
import sys
import textwrap
from argparse import Namespace
from collections.abc import Sequence

from krm_fn import config
from krm_fn.cli import streams
from krm_fn.cli.config import config_above, config_of
from krm_fn.cli.files import real_path
from krm_fn.cli.found_proxies import (
    COMMAND_LINE,
    SHELL,
    FoundProxy,
    ProxyPlace,
    find_proxies,
    note_proxy,
)
from krm_fn.cli.selection import KUSTOMIZATIONS, LeftAlone, Selection, select
from krm_fn.cli.streams import Answer, ContentChange
from krm_fn.config import ProxyConfig
from krm_fn.errors import ConfigError, InputError, UsageError
from krm_fn.explain.facts import lines_of_facts
from krm_fn.krm.masking import shown_line
from krm_fn.krm.results import count
from krm_fn.light_typing import Any
from krm_fn.lint.manifests import ReadableManifests
from krm_fn.noproxy import mistake, parse
from krm_fn.pipeline import run_checked
from krm_fn.yamledit.render import block_text

_NAME = "proxy.yaml"
_EXAMPLE = FoundProxy("http://proxy.example.com:3128", "http://proxy.example.com:3128")
_ABOUT_FACTS = (
    "No manifest says this, which NO_PROXY should cover. Write what is true, and remove the `#`:"
)
_NAMED = 3
"""How many places a comment names."""
_ABOUT_LIST = """\
# A run adds the networks of Clusters and services. Add those of the nodes, of registries and of other hosts inside:
"""
_EXAMPLE_LIST = "# noProxy: [10.20.0.0/16, registry.corp.example]\n"
_SECRET = """\
# The URLs hold a user or a password, so they are in a Secret that a run reads beside this file. Create it with the
# URLs in the place of these, and keep it out of Git, or encrypt it:
#
#   kubectl create secret generic inject-proxy --dry-run=client --output yaml \\
#     --from-file proxy.yaml=/dev/stdin > inject-proxy.yaml <<'END'
#   http_proxy: {http}
#   https_proxy: {https}
#   END
from: [{{kind: Secret, name: inject-proxy}}]
"""  # noqa: S105


def run(given: Namespace) -> Answer:
    """Look at a folder, ask on a terminal, and write or print a ProxyConfig."""
    if not os.path.isdir(given.folder):
        raise UsageError(f'"{given.folder}" must be a folder: the one with the manifests')
    selection = select([given.folder], given.exclude, {LeftAlone.RESOURCE_LIST})
    manifests = ReadableManifests(selection.manifests, selection.paths)
    file = os.path.normpath(os.path.join(given.folder, _NAME))
    asks = not (given.yes or given.print)
    if not given.print:
        files = [located.ref.file_path for located in manifests.configs()]
        above = config_above(manifests, [given.folder])
        if above:
            files.append(above.file)
        if files:
            raise UsageError(
                f'"{files[0]}" holds a ProxyConfig already; `--print` prints a new one'
            )
    if asks and not (streams.is_terminal(sys.stdin) and streams.is_terminal(sys.stderr)):
        raise UsageError("there is no terminal to ask on: `--yes` or `--print` asks nothing")
    proxies = _proxies(given, manifests, selection)
    networks: list[str] = []
    if asks:
        proxies = proxies or _proxy_of_answer()
        answer = _answer("Networks of your nodes and of other hosts inside, such as 10.20.0.0/16")
        networks = [entry for entry in parse(answer) if not mistake(entry)]
    text = _head(selection) + textwrap.indent(_spec(proxies, networks, manifests), "  ")
    content = text.encode(errors="backslashreplace")
    found = ", ".join(proxy.https for proxy in proxies) or "no proxy"
    lines = [f"inject-proxy init: found {found}"]
    if given.print:
        return Answer([content], lines)
    lines += [f"created {file}", f"next: inject-proxy run --diff {given.folder}"]
    return Answer((), lines, changes={real_path(file): ContentChange(None, content)})


def _proxies(
    given: Namespace, manifests: ReadableManifests, selection: Selection
) -> list[FoundProxy]:
    """Return the proxies that the command line, or else the shell, and the repository name."""
    options = {
        "HTTP_PROXY": given.http_proxy,
        "HTTPS_PROXY": given.https_proxy,
        "NO_PROXY": given.no_proxy,
    }
    variables = {name: value for name, value in options.items() if value}
    if not variables:
        return find_proxies(manifests, selection.others, os.environ, SHELL)
    proxies = find_proxies(manifests, selection.others, variables, COMMAND_LINE)
    if not proxies or COMMAND_LINE not in proxies[0].places:
        raise UsageError(
            "`--http-proxy` or `--https-proxy` must be a URL, such as http://proxy.corp.example:3128"
        )
    return proxies


def _proxy_of_answer() -> list[FoundProxy]:
    url = _answer("URL of the proxy, such as http://proxy.corp.example:3128")
    found: dict[tuple[str, str], FoundProxy] = {}
    note_proxy(found, {"HTTP_PROXY": url}, ProxyPlace("your answer"))
    if url and not found:
        raise UsageError("that is no URL of a proxy: it must begin with http:// or https://")
    return list(found.values())


def _answer(question: str) -> str:
    sys.stderr.write(f"{question} [later]: ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise UsageError("no answer came, so nothing was written: `--yes` asks nothing")
    return line.strip()


def _spec(
    proxies: Sequence[FoundProxy], networks: Sequence[str], manifests: ReadableManifests
) -> str:
    """Return the text of `spec`: the first proxy is for all; another one is for its Clusters, or only in a comment."""
    main = proxies[0] if proxies else _EXAMPLE
    places = [*main.places]
    entries = [*main.entries]
    overrides = []
    text = "" if proxies else "# Write the URL of your proxy here.\n"
    for other in proxies[1:]:
        matches = _matches(other, proxies)
        for match in matches:
            own_list = {"noProxy": other.entries} if other.entries else {}
            overrides.append({"match": match, **_urls(other), **own_list})
        if matches:
            places += other.places
        else:
            entries += other.entries  # a run replaces the lists of those places by the common one
            text += f"# Another proxy is {other.https}, in {_named(other.places)}.\n"
    if proxies:
        text += f"# Found in {_named(main.places)}.\n"
    text += _urls_or_secret(main) + _ABOUT_LIST
    no_proxy = list(dict.fromkeys([*entries, *networks]))
    text += block_text({"noProxy": no_proxy}) if no_proxy else _EXAMPLE_LIST
    if overrides:
        text += block_text({"overrides": overrides})
    for line in _missing_facts(config_of({**_urls(main), "noProxy": no_proxy}), manifests):
        text += f"# {line}\n"
    chosen = _matchers(places)
    if chosen:
        text += "# Workloads that have a proxy today, and get it only where they are chosen:\n"
        text += block_text({"targets": {"workloads": {"choose": chosen}}})
    return text


def _urls(proxy: FoundProxy) -> dict[str, str]:
    return {"httpProxy": proxy.http, "httpsProxy": proxy.https}


def _urls_or_secret(proxy: FoundProxy) -> str:
    """Return the fields of a proxy; one with a password is in a Secret."""
    if not proxy.has_password:
        return block_text(_urls(proxy))
    http, https = (url.replace("://", "://USER:PASSWORD@") for url in (proxy.http, proxy.https))
    return _SECRET.format(http=http, https=https)


def _matches(proxy: FoundProxy, proxies: Sequence[FoundProxy]) -> list[dict[str, list[str]]]:
    """Return one match for the Clusters of each namespace that have this proxy alone; [] where nothing tells them."""
    shared = any(proxy.clusters & other.clusters for other in proxies if other is not proxy)
    is_known = all(place.memberships for place in proxy.places)
    if shared or not is_known or proxy.has_password:
        return []
    names: dict[str, list[str]] = {}
    for namespace, name in sorted(proxy.clusters):
        names.setdefault(namespace, []).append(name)
    if "" in names:  # without a namespace, a match fits the name in all of them
        return []
    return [
        {"clusters": of_namespace, "namespaces": [name]} for name, of_namespace in names.items()
    ]


def _matchers(places: Sequence[ProxyPlace]) -> list[dict[str, list[str]]]:
    """Return a matcher for each object that gets the proxy only where it is chosen."""
    matchers = []
    for ref in dict.fromkeys(place.ref for place in places if not place.is_chosen):
        matcher = {"kinds": [ref.kind], "names": [ref.name]}
        if ref.namespace:
            matcher["namespaces"] = [ref.namespace]
        matchers.append(matcher)
    return matchers


def _missing_facts(proxy_config: dict[str, Any], manifests: ReadableManifests) -> list[str]:
    """Return the lines of comments about what a run would have to know of the Clusters, and no manifest says."""
    try:
        wanted = config.load(proxy_config) or ProxyConfig()
        outcome = run_checked(manifests, wanted)
    except (ConfigError, InputError):  # `run` says what is wrong
        return []
    unknown = [result for result in outcome.results if result.fact]
    if not unknown:
        return []
    return [_ABOUT_FACTS, *lines_of_facts(unknown)]


def _head(selection: Selection) -> str:
    """Return the beginning of the file; kustomize finds the function by an annotation."""
    about = (
        "# Written by `inject-proxy init`. `inject-proxy explain` shows who gets what, and why.\n"
    )
    proxy_config = config_of({})
    del proxy_config["spec"]
    if any(os.path.basename(name) in KUSTOMIZATIONS for name in selection.files):
        about += "# In kustomize: name this file under `transformers`.\n"
        proxy_config["metadata"]["annotations"] = {
            "config.kubernetes.io/function": "exec: {path: inject-proxy}"
        }
    return f"{about}{block_text(proxy_config)}spec:\n"


def _named(places: Sequence[ProxyPlace]) -> str:
    """Return the names of the first places, and how many others there are."""
    names = [shown_line(place.name) for place in places[:_NAMED]]
    if len(places) > _NAMED:
        names.append(count(len(places) - _NAMED, "other place"))
    return ", ".join(names)
