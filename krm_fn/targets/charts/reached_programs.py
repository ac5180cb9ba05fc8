"""Whether the values of a chart give the proxy to a program that does not read the variables by itself.

Each function takes the documents with values of a chart, the ones that win first, and looks at the one member that the
program reads: the name of a variable may be anywhere among values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from krm_fn.light_typing import Any
from krm_fn.patch import Data, list_at, lookup, text_at
from krm_fn.targets.charts.release_values import is_in_cluster

_RUNNERS = ("runners", "config")
_NO_COMMENT = re.compile(
    r"""("[^"\n]*"|'[^'\n]*')  # a text of TOML: "https://git.example/#a"
    |\#[^\n]*                  # a comment: # HTTPS_PROXY=...
    """,
    re.VERBOSE,
)
_ENVIRONMENT = re.compile(r"^[ \t]*environment[ \t]*=[ \t]*\[", re.MULTILINE)


def _find(documents: Sequence[Any], *path: str) -> Any:
    """Return the value at a path in the first document that has one, as Helm does for values that are no mappings."""
    for document in documents:
        value = lookup(document, path)
        if value is not None:
            return value
    return None


def _find_entry(entries: Any, name: str) -> Data:
    """Return the entry of a list of variables that sets one of them; an empty one if none does."""
    for entry in list_at(entries):
        if lookup(entry, "name") == name:
            return dict(entry)
    return {}


def _name_both_proxies(options: Any) -> bool:
    """Return whether options of Java name a proxy for each scheme: ``-Dhttp.proxyHost=proxy``."""
    return "http.proxyHost=" in str(options) and "https.proxyHost=" in str(options)


def _sonarqube_has_options(documents: Sequence[Any]) -> bool:
    """Look for both proxies among the properties of SonarQube, or the options of Java."""
    properties = _find(documents, "sonarProperties")
    if isinstance(properties, dict) and {"http.proxyHost", "https.proxyHost"} <= properties.keys():
        return True
    return _name_both_proxies(_find(documents, "jvmOpts"))


def _node_reads_variables(documents: Sequence[Any]) -> bool:
    """Look for the variable that makes Node.js read the others."""
    entries = _find(documents, "backstage", "extraEnvVars")
    return text_at(_find_entry(entries, "NODE_USE_ENV_PROXY"), "value") == "1"


def _all_jobs_have_environment(documents: Sequence[Any]) -> bool:
    """Look for the proxy in the ``environment`` of each table ``[[runners]]``, without comments."""
    config = str(_find(documents, *_RUNNERS) or "")
    plain = _NO_COMMENT.sub(lambda match: match[1] or "", config)
    _, *runners = plain.split("[[runners]]")
    for runner in runners:
        begin = _ENVIRONMENT.search(runner)
        if begin is None:
            return False
        entries, _, _ = runner[begin.end() :].partition("]")
        if "HTTPS_PROXY=" not in entries.upper():
            return False
    return bool(runners)


def _docker_has_proxy(documents: Sequence[Any]) -> bool:
    """Look for a daemon of Docker: the chart makes one without a proxy, and the author's own needs the variable."""
    if _find(documents, "containerMode", "type") == "dind":
        return False
    for field in ("containers", "initContainers"):
        for container in list_at(_find(documents, "template", "spec", field)):
            entry = _find_entry(lookup(container, "env"), "HTTPS_PROXY")
            # The name or the image tells the daemon: ``docker:27-dind``.
            is_docker = "dind" in text_at(container, "name") + text_at(container, "image")
            if is_docker and not (entry.get("value") or entry.get("valueFrom")):
                return False
    return True


def _monitoring_names_proxies(documents: Sequence[Any]) -> bool:
    """Look for the proxy of each program of Prometheus that calls out: remote write, and receivers of Alertmanager."""
    for entry in list_at(_find(documents, "prometheus", "prometheusSpec", "remoteWrite")):
        url = text_at(entry, "url")
        if url and not is_in_cluster(url) and not text_at(entry, "proxyUrl"):
            return False
    options = _find(documents, "alertmanager", "config", "global", "http_config")
    if lookup(options, "proxy_url") or lookup(options, "proxy_from_environment"):
        return True
    receivers = list_at(_find(documents, "alertmanager", "config", "receivers"))
    # The receiver "null" of the chart, a name alone, calls nobody.
    return not any(isinstance(receiver, dict) and len(receiver) > 1 for receiver in receivers)


# Chart with ``unreached`` -> whether its values reach all of its programs.
IS_REACHED: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "jenkins": lambda documents: _name_both_proxies(_find(documents, "controller", "javaOpts")),
    "backstage": _node_reads_variables,
    "gitlab-runner": _all_jobs_have_environment,
    "gha-runner-scale-set": _docker_has_proxy,
    "kube-prometheus-stack": _monitoring_names_proxies,
    "sonarqube": _sonarqube_has_options,
}
