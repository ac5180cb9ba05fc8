"""``inject-proxy init``: a first ProxyConfig for a repository, made of the proxies that are there.

The file has 25 lines at most. No password is written: a line says how to create the Secret that holds it.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial

from krm_fn.cli import streams
from krm_fn.cli.config import config_above, config_of
from krm_fn.cli.files import real_path
from krm_fn.cli.found_proxies import (
    COMMAND_LINE,
    SHELL,
    FoundProxy,
    ProxyPlace,
    find_proxies,
)
from krm_fn.cli.selection import KUSTOMIZATIONS, LeftAlone, Selection, select
from krm_fn.cli.streams import Answer
from krm_fn.errors import UsageError
from krm_fn.krm.manifests import ContentChange
from krm_fn.krm.masking import redact, shown_line
from krm_fn.krm.results import some
from krm_fn.light_typing import Any, Fields, TypeVar
from krm_fn.noproxy import parse, why_wrong
from krm_fn.noproxy.entries import CLUSTER_NAMES, SHORT_NAMES
from krm_fn.patch import Data
from krm_fn.pipeline.audit import ReadableManifests
from krm_fn.pipeline.covered import targets_to_choose
from krm_fn.yamledit.render import AuthorScalar, Layout, block_text, flow

_Read = TypeVar("_Read")
_NAME = "proxy.yaml"
_ABOUT = "# Written by `inject-proxy init` from what is here: delete targets that need no proxy.\n"
# A match of an override, or a matcher of objects, as a ProxyConfig has it.
_Matcher = dict[str, list[str]]
# How many overrides, and how many matchers of workloads, are in the file.
_MOST = 3
_SECRET = [
    "the URLs have a user or a password, so a Secret must hold them. This makes its file, which is for Git only if it",
    "is encrypted: type the lines `http_proxy: URL` and `https_proxy: URL`, and Ctrl-D:",
    "  kubectl create secret generic inject-proxy --dry-run=client --output yaml \\",
    "  --from-file proxy.yaml=/dev/stdin > inject-proxy.yaml",
]
_SECRET_REF = [
    "the URLs have a user or a password, so workloads refer to the Secret `inject-proxy`: each namespace of theirs",
    "needs it, with the keys `http_proxy` and `https_proxy`. `howto/password.md` lets External Secrets, SOPS or Sealed",
    "Secrets make it, and says what nodes need. This prints it, which is for Git only if it is encrypted: type the",
    "lines `http_proxy=URL` and `https_proxy=URL`, and Ctrl-D:",
    "  kubectl create secret generic inject-proxy --from-env-file=/dev/stdin --dry-run=client --output yaml",
]


def run(args: Namespace) -> Answer:
    """Look at a folder, ask on a terminal, and write or print a ProxyConfig."""
    if not os.path.isdir(args.folder):
        raise UsageError(f'"{args.folder}" must be a folder: the one with the manifests')
    selection = select([args.folder], args.exclude, {LeftAlone.RESOURCE_LIST})
    manifests = ReadableManifests(selection.manifests, selection.paths)
    file = os.path.normpath(os.path.join(args.folder, _NAME))
    asks = not (args.yes or args.print)
    if not args.print:
        files = [located.ref.file_path for located in manifests.configs()]
        above = config_above(manifests, selection)
        if above:
            files.append(above.file)
        if files:
            raise UsageError(
                f'"{files[0]}" holds a ProxyConfig already; `--print` prints a new one'
            )
    if asks and not streams.can_ask():
        raise UsageError("there is no terminal to ask on: `--yes` or `--print` asks nothing")
    options = {
        "HTTP_PROXY": args.http_proxy,
        "HTTPS_PROXY": args.https_proxy,
        "NO_PROXY": ",".join(_entries(args.no_proxy or "")),
    }
    targets = targets_to_choose(manifests)
    find = partial(find_proxies, manifests, selection.others, targets)
    proxies = find(options, COMMAND_LINE) if any(options.values()) else find(os.environ, SHELL)
    networks: Sequence[str] = ()
    if asks:
        proxies = proxies or _answer(
            "URL of the proxy, such as http://proxy.corp.example:3128",
            lambda url: find({"HTTP_PROXY": url}, ProxyPlace("your answer")),
        )
        networks = _answer(
            "Networks of your nodes and domains inside, such as 10.20.0.0/16,.corp.example",
            _entries,
        )
    if not proxies:
        raise UsageError("no option, variable or manifest names a proxy: `--http-proxy URL` does")
    main = proxies[0]
    places = [shown_line(place.name) for place in main.places]
    lines = [f"inject-proxy init: found {main.https} in {some(places)}"]
    spec = _spec(proxies, networks, targets)
    content = _text(spec, selection).encode(errors="backslashreplace")
    if main.has_password:
        lines += _SECRET_REF if "secretRef" in spec else _SECRET
    if args.print:
        return Answer([content], lines)
    lines += [f"created {file}", f"next: inject-proxy run --diff {args.folder}"]
    return Answer((), lines, changes={real_path(file): ContentChange(None, content)})


def _answer(question: str, read: Callable[[str], _Read]) -> _Read:
    """Ask until an answer can be read, and return it as read; raises UsageError if there is none."""
    while True:
        line = streams.answer_to(f"{question}: ")
        if not line:
            raise UsageError("no answer came, so nothing was written: `--yes` asks nothing")
        try:
            return read(line.strip())
        except UsageError as error:
            sys.stderr.write(f"{error}\n")


def _entries(text: str) -> Sequence[str]:
    """Return the networks and domains of a list; raises UsageError for a wrong entry.

    A name without a dot is neither, but for names that every list holds.
    """
    entries = parse(text)
    for entry in entries:
        problem = why_wrong(entry)
        has_dot = "." in entry or ":" in entry
        if not problem and not has_dot and entry not in SHORT_NAMES | CLUSTER_NAMES:
            problem = f'entry "{entry}" must be a network or a domain, such as 10.20.0.0/16 or .corp.example'
        if problem:
            raise UsageError(problem)
    return entries


def _spec(proxies: Sequence[FoundProxy], networks: Sequence[str], targets: Fields) -> Fields:
    """Return `spec`: the first proxy is for all, and another one for its Clusters, if something tells them."""
    main = proxies[0]
    places = [*main.places, *main.replaced]
    entries = [*main.entries, *networks]
    overrides = []
    for other in proxies[1:]:
        matches = _matches(other, proxies)
        for match in matches:
            own_list = {"noProxy": other.entries} if other.entries else {}
            overrides.append({"match": match, **_urls(other), **own_list})
        if matches:
            places += other.places
        else:
            entries += other.entries  # a run replaces the lists of those places by the common one
    chosen = _matchers(places)
    spec: Fields = {**_urls(main)}
    if main.has_password and (chosen or targets):
        spec = {"secretRef": {"name": "inject-proxy"}}
    elif main.has_password:  # nodes alone, which refer to no Secret of a cluster
        spec = {"from": [{"kind": "Secret", "name": "inject-proxy"}]}
    if entries:
        spec["noProxy"] = list(dict.fromkeys(entries))
    if overrides:
        spec["overrides"] = overrides[:_MOST]
    if chosen:
        workloads = {**targets.get("workloads", {}), "choose": chosen[:_MOST]}
        targets = {**targets, "workloads": workloads}
    if targets:
        spec["targets"] = targets
    return spec


def _urls(proxy: FoundProxy) -> dict[str, str]:
    return {"httpProxy": proxy.http, "httpsProxy": proxy.https}


def _matches(proxy: FoundProxy, proxies: Sequence[FoundProxy]) -> list[_Matcher]:
    """Return one match for the Clusters of each namespace that have this proxy alone; [] where nothing tells them."""
    shared = any(proxy.clusters & other.clusters for other in proxies if other is not proxy)
    if proxy.has_password or shared or not all(place.memberships for place in proxy.places):
        return []
    names: dict[str, list[str]] = {}
    for namespace, name in sorted(proxy.clusters):
        names.setdefault(namespace, []).append(name)
    if "" in names:  # without a namespace, a match fits the name in all of them
        return []
    return [
        {"clusters": of_namespace, "namespaces": [name]} for name, of_namespace in names.items()
    ]


def _matchers(places: Sequence[ProxyPlace]) -> list[_Matcher]:
    """Return a matcher for the objects of each kind and namespace that get the proxy only where they are chosen."""
    names: dict[tuple[str, str], list[str]] = {}
    for ref in dict.fromkeys(place.ref for place in places if not place.is_chosen):
        if redact(ref.name) != ref.name:  # a name that holds a credential is not written
            continue
        names.setdefault((ref.kind, ref.namespace), []).append(ref.name)
    matchers = []
    for (kind, namespace), of_both in names.items():
        matcher = {"kinds": [kind], "names": of_both}
        if namespace:
            matcher["namespaces"] = [namespace]
        matchers.append(matcher)
    return matchers


def _text(spec: Data, selection: Selection) -> str:
    """Return the text of a ProxyConfig; kustomize finds the function by an annotation."""
    proxy_config = config_of(_compact(spec))
    if any(os.path.basename(name) in KUSTOMIZATIONS for name in selection.files):
        function = "exec: {path: inject-proxy}"
        proxy_config["metadata"]["annotations"] = {"config.kubernetes.io/function": function}
    return _ABOUT + block_text(proxy_config)


def _compact(value: Any) -> Any:
    """Return data in which a list of texts, and each mapping in a list, is on one line."""
    if isinstance(value, dict):
        return {name: _compact(member) for name, member in value.items()}
    if isinstance(value, list) and isinstance(value[0], dict):
        return [AuthorScalar(flow(item, Layout()), item) for item in value]
    if isinstance(value, list):
        return AuthorScalar(flow(value, Layout()), value)
    return value
