"""Judge the lists and the URLs of a ProxyConfig."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn import placeholders
from krm_fn.config import ProxyConfig
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.lint.urls import judge_pair, judge_url
from krm_fn.lint.values import Problem, Reader, judge_list
from krm_fn.noproxy import Audience, Entry, Style, entries
from krm_fn.patch import Pointer

_FILLED_IN_LATER = Problem(
    "ValueLost",
    "a later step fills in the URL of the proxy, so nobody escapes it: it must hold no `%`, which systemd reads as a "
    "specifier in a drop-in",
)


def judge_config(
    wanted: ProxyConfig, config_ref: ObjectRef, audience: Audience = Audience.NODE
) -> Iterator[Result]:
    """Yield what is wrong with the lists and the URLs of a ProxyConfig; what composing a list corrects is not wrong."""
    for path, problems in (*_of_urls(wanted), *_of_lists(wanted, audience)):
        for problem in problems:
            yield Result.of(problem.code, problem.message, path).about(config_ref)


def _of_urls(wanted: ProxyConfig) -> Iterator[tuple[Pointer, list[Problem]]]:
    """Yield the field and the problems of the proxies of ``spec``, and of each override that changes one."""
    yield ("spec",), _of_proxies(wanted.http_proxy, wanted.https_proxy)
    for number, override in enumerate(wanted.overrides):
        http_proxy, https_proxy = override.http_proxy, override.https_proxy
        if http_proxy is None and https_proxy is None:
            continue
        if http_proxy is None:
            http_proxy = wanted.http_proxy
        if https_proxy is None:
            https_proxy = wanted.https_proxy
        yield ("spec", "overrides", str(number)), _of_proxies(http_proxy, https_proxy)


def _of_proxies(http_proxy: str, https_proxy: str) -> list[Problem]:
    problems = judge_pair(http_proxy, https_proxy)
    for url in dict.fromkeys((http_proxy, https_proxy)):
        if placeholders.is_template(url):
            problems.append(_FILLED_IN_LATER)
        elif url:
            problems += judge_url(url)
    return problems


def _of_lists(
    wanted: ProxyConfig, audience: Audience
) -> Iterator[tuple[Pointer, Iterable[Problem]]]:
    """Yield the field and the problems of ``spec.noProxy``, and of the list of each override."""
    lists: list[tuple[Pointer, tuple[Entry, ...]]] = [(("spec", "noProxy"), wanted.no_proxy)]
    for number, override in enumerate(wanted.overrides):
        lists.append((("spec", "overrides", str(number), "noProxy"), override.no_proxy or ()))
    for path, entries_of_list in lists:
        texts = tuple(entry.text for entry in entries_of_list)
        if wanted.policy.style is Style.PORTABLE:
            texts = entries.normalise(texts)
        yield path, judge_list(",".join(texts), Reader(audience), has_proxy=False)
