"""The text of the ProxyConfig that `inject-proxy init` writes: what was found, and what is left to decide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn import config
from krm_fn.cli._init_found import Found, FoundProxy, ProxyPlace, document, matchers
from krm_fn.cli._outcome_lines import count
from krm_fn.krm.masking import shown_line
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.yamledit.render import block_text

_WIDTH = 100
_NAMED = 3
"""How many places a comment names."""
SECRET = "inject-proxy"  # noqa: S105 -- the name of an object
_KEY = "proxy.yaml"
_FUNCTION = "config.kubernetes.io/function"
_EXAMPLE = "http://proxy.example.com:3128"
_EXAMPLE_ENTRIES = ("10.20.0.0/16", "registry.corp.example")
_HOW_TO_CREATE = """\
The URLs hold a user or a password, so they are in a Secret that a run reads beside this file. Create it with the URLs \
in the place of these, and keep it out of Git, or encrypt it:

  kubectl create secret generic {name} --dry-run=client --output yaml --from-file {key}=/dev/stdin > {name}.yaml <<'END'
  http_proxy: {http}
  https_proxy: {https}
  END
"""


class RunSummary(NamedTuple):
    """What a run with the file does.

    ``targets`` has the number of objects that each target changes, ``warnings`` and ``errors`` the number of findings
    of a code, and ``missing`` each fact of `spec.clusterDefaults` that no manifest says, with the Clusters that lack
    it. ``charts`` are objects with charts that take a proxy, and get none because nobody chose them.
    """

    targets: Mapping[str, int]
    warnings: Mapping[str, int]
    errors: Mapping[str, int]
    missing: Mapping[str, Sequence[str]]
    charts: Sequence[ObjectRef] = ()


class _ProposedOverride(NamedTuple):
    """A proxy that is not the one of ``spec``, and each ``match`` that fits places of it only."""

    proxy: FoundProxy
    matches: Sequence[Mapping[str, list[str]]]


class Proposal:
    """The proxy that ``spec`` declares, and what becomes of the others.

    ``overrides`` are those that Clusters of their own have, ``alternatives`` the ones that nobody can tell apart.
    """

    def __init__(self, found: Found, chosen: int = 0) -> None:
        self.main = found.proxies[chosen] if found.proxies else FoundProxy(_EXAMPLE, _EXAMPLE)
        self.is_example = not found.proxies
        self.overrides: list[_ProposedOverride] = []
        self.alternatives: list[FoundProxy] = []
        for one in found.proxies:
            if one is self.main:
                continue
            matches = _matches(one, found)
            if matches and not one.has_password:
                self.overrides.append(_ProposedOverride(one, matches))
            else:
                self.alternatives.append(one)
        # A run replaces their lists by this one.
        for one in self.alternatives:
            self.main.entries.update(one.entries)
            self.main.doubtful.update(one.doubtful)

    @property
    def spec(self) -> dict[str, Any]:
        """The fields that count, with the URLs in place of a Secret: what a first look at the manifests needs."""
        return {**_urls(self.main), **self.fields}

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that count, but for the two URLs of ``spec``."""
        fields: dict[str, Any] = {}
        if self.main.entries:
            fields["noProxy"] = list(self.main.entries)
        if self.overrides:
            fields["overrides"] = []
            for one in self.overrides:
                fields["overrides"] += _entries(one, self.main)
        proxies = [self.main, *(one.proxy for one in self.overrides)]
        written = [place for proxy in proxies for place in proxy.places]
        chosen = list(
            matchers(place.ref for place in written if place.is_unknown and place.ref.name)
        )
        if chosen:
            fields["targets"] = {"workloads": {"workloads": chosen}}
        return fields


def _urls(proxy: FoundProxy) -> dict[str, str]:
    return {"httpProxy": proxy.http, "httpsProxy": proxy.https}


def _matches(proxy: FoundProxy, found: Found) -> list[dict[str, list[str]]]:
    """Return what only the places of a proxy fit: Clusters of their own, or rules of one policy; [] for nothing."""
    others = [one for one in found.proxies if one is not proxy]
    if all(place.clusters for place in proxy.places):
        matches = _matches_of_clusters(proxy, others, found.clusters)
        if matches:
            return matches
    rules = _rules(proxy)
    if not all(name for _, name in rules) or len({place.ref for place in proxy.places}) != 1:
        return []
    if any(rules & _rules(other) for other in others):
        return []
    return [{"objects": [proxy.places[0].ref.name], "rules": sorted(name for _, name in rules)}]


def _matches_of_clusters(
    proxy: FoundProxy, others: Sequence[FoundProxy], every: Iterable[tuple[str, str]]
) -> list[dict[str, list[str]]]:
    """Return one match for the Clusters of each namespace; [] where one of them has another proxy, too."""
    if any(proxy.clusters & other.clusters for other in others):
        return []
    # One match for several namespaces would also fit a Cluster of one that has the name of a Cluster of another.
    names: dict[str, list[str]] = {}
    for namespace, name in sorted(proxy.clusters):
        names.setdefault(namespace, []).append(name)
    # Without a namespace, a match fits the name in all of them.
    known = {*every, *(one for other in others for one in other.clusters)} - proxy.clusters
    if any(name in names.get("", ()) for _, name in known):
        return []
    matches: list[dict[str, list[str]]] = []
    for namespace, of_namespace in names.items():
        match = {"clusters": of_namespace}
        if namespace:
            match["namespaces"] = [namespace]
        matches.append(match)
    return matches


def _rules(proxy: FoundProxy) -> set[tuple[ObjectRef, str]]:
    return {(place.ref, place.rule) for place in proxy.places}


def _entries(one: _ProposedOverride, main: FoundProxy) -> list[dict[str, Any]]:
    """Return the entries of `spec.overrides` for a proxy."""
    settings: dict[str, Any] = _urls(one.proxy)
    no_proxy = [entry for entry in one.proxy.entries if entry not in main.entries]
    if no_proxy:
        settings["noProxy"] = no_proxy
    return [{"match": match, **settings} for match in one.matches]


def text(found: Found, proposal: Proposal, summary: RunSummary, *, is_for_kustomize: bool) -> str:
    """Return the text of the file.

    Args:
        found: what there is.
        proposal: the proxy that is declared.
        summary: what a run with it does.
        is_for_kustomize: whether there is a kustomization, which finds the function by an annotation.
    """
    lines = [
        "# Written by `inject-proxy init`. `inject-proxy explain` shows who gets what, and why."
    ]
    if is_for_kustomize:
        secret = f", and {SECRET}.yaml under `resources`" if proposal.main.has_password else ""
        lines.append(f"# In kustomize: name this file under `transformers`{secret}.")
    lines.append("")
    head = {key: value for key, value in document({}).items() if key != "spec"}
    if is_for_kustomize:
        head["metadata"]["annotations"] = {_FUNCTION: "exec: {path: inject-proxy}"}
    lines += [*block_text(head).splitlines(), "spec:"]
    lines += _indented(_spec_lines(found, proposal, summary))
    return "".join(f"{line}\n" for line in lines)


def _spec_lines(found: Found, proposal: Proposal, summary: RunSummary) -> Iterator[str]:
    yield from _of_proxy(found, proposal)
    fields = proposal.fields
    yield from _of_list(fields.get("noProxy", []), proposal.main.doubtful)
    yield from _of_overrides(proposal)
    for one in proposal.alternatives:
        yield ""
        what = "Another proxy, with a password," if one.has_password else "Another proxy"
        yield from _comment(f"{what} is {_places(one.places)}. To take it instead:")
        if one.has_password:
            yield from _comment(_how_to_create(one))
        yield from (f"# {line}" for line in block_text(_declared(one)).splitlines())
    if "targets" in fields:
        yield ""
        yield from _comment(
            "Workloads that have a proxy today, and get it only where they are chosen."
        )
        yield from block_text({"targets": fields["targets"]}).splitlines()
    yield from _of_run(summary)
    yield from _of_charts(summary.charts)
    yield from _of_defaults(summary.missing)


def _of_proxy(found: Found, proposal: Proposal) -> Iterator[str]:
    main = proposal.main
    if proposal.is_example:
        yield from _comment(
            "No manifest and no variable of the shell names a proxy: write yours in the place of this one."
        )
    else:
        yield from _comment(f"Found {_places(main.places)}.")
    if found.unclear:
        places = count(found.unclear, "place")
        yield from _comment(
            f"{places} with a proxy could not be read: the value is elsewhere, or filled in later."
        )
    if found.clusters:
        names = [f"{namespace}/{name}".lstrip("/") for namespace, name in found.clusters]
        yield from _comment(f"Clusters: {_some(names)}.")
    if main.has_password:
        yield from _comment(_how_to_create(main))
    yield from block_text(_declared(main)).splitlines()


def _declared(proxy: FoundProxy) -> dict[str, Any]:
    """Return the fields of ``spec`` that declare a proxy: its URLs, or the Secret that holds them."""
    if proxy.has_password:
        return {"from": [{"kind": "Secret", "name": SECRET}]}
    return _urls(proxy)


def _how_to_create(proxy: FoundProxy) -> str:
    """Return the command that makes the Secret of a proxy with a password, which is not in it."""
    http, https = (url.replace("://", "://USER:PASSWORD@", 1) for url in (proxy.http, proxy.https))
    return _HOW_TO_CREATE.format(name=SECRET, key=_KEY, http=http, https=https)


def _of_list(entries: Sequence[str], doubtful: Mapping[str, str]) -> Iterator[str]:
    yield ""
    yield from _comment(
        "A run adds the networks of Clusters and services. No manifest names those of the nodes, of registries and "
        "of other hosts inside: add what is missing."
    )
    prefix = "" if entries else "# "
    yield f"{prefix}noProxy:"
    for entry in entries:
        yield from block_text([entry]).splitlines()
    for entry, rule in doubtful.items():
        yield from (f"# {line}   # {rule}" for line in block_text([entry]).splitlines())
    for entry in _EXAMPLE_ENTRIES:
        if entry not in entries:
            yield f"# - {entry}"


def _of_overrides(proposal: Proposal) -> Iterator[str]:
    if not proposal.overrides:
        return
    yield ""
    yield from _comment("These have another proxy today. The one above is for all others.")
    yield "overrides:"
    for one in proposal.overrides:
        yield from _comment(f"Found {_places(one.proxy.places)}.")
        for entry in _entries(one, proposal.main):
            yield from block_text([entry]).splitlines()


def _of_run(summary: RunSummary) -> Iterator[str]:
    yield ""
    targets = summary.targets
    if summary.errors:
        yield from _comment(f"A run fails: {_codes(summary.errors)}.")
    elif not targets:
        yield from _comment("A run changes nothing in the files that are here.")
    else:
        names = [f"{name} ({count(number, 'object')})" for name, number in targets.items()]
        yield from _comment(f"A run changes: {', '.join(names)}.")
        yield from _comment("To begin with some of them, or to roll nodes that have another proxy:")
        yield f"# only: [{next(iter(targets))}]"
        yield "# rollout: {hashNames: true}"
    if summary.warnings:
        yield from _comment(f"A run warns of: {_codes(summary.warnings)}.")
    if summary.errors or summary.warnings:
        yield from _comment("`inject-proxy help CODE` says what each one means, and what to do.")


def _codes(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{code} ({number})" for code, number in numbers.items())


def _of_charts(charts: Sequence[ObjectRef]) -> Iterator[str]:
    if charts:
        yield ""
        yield from _comment(
            "Charts that take a proxy get it where they are chosen. To choose those that have none:"
        )
        chosen = {"targets": {"charts": {"charts": list(matchers(charts))}}}
        yield from (f"# {line}" for line in block_text(chosen).splitlines())


def _of_defaults(missing: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if not missing:
        return
    clusters = sorted({name for names in missing.values() for name in names if name})
    yield ""
    whose = _some(clusters) if clusters else "the Clusters"
    yield from _comment(
        f"No manifest says this of {whose} (NP038). The values are examples: write yours."
    )
    yield "# clusterDefaults:"
    for name in missing:
        example = config.fields()[f"clusterDefaults.{name}"]["examples"][0]
        yield from (f"#   {line}" for line in block_text({name: example}).splitlines())


def _places(places: Sequence[ProxyPlace]) -> str:
    return f"in {count(len(places), 'place')}: {_some([place.name for place in places])}"


def _some(names: Sequence[str]) -> str:
    """Return the first names; they are those of the input, so none holds a line break or a credential here."""
    names = [shown_line(name) for name in names]
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return ", ".join(names)


def _comment(lines: str) -> Iterator[str]:
    """Yield the lines of a comment, long ones wrapped; a line that begins with a blank, such as YAML, stays."""
    for line in lines.splitlines():
        parts = [line]
        if not line.startswith(" "):
            parts = textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for part in parts or [""]:
            yield f"# {part}".rstrip()


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}" if line else ""
