"""Judge the lists and the URLs of a ProxyConfig."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn import placeholders
from krm_fn.config import Override, ProxyConfig
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.lint.urls import judge_pair, judge_url
from krm_fn.lint.values import Problem, Reader, judge_list
from krm_fn.noproxy import Audience, Style, entries
from krm_fn.patch import Pointer

_FILLED_IN_LATER = Problem(
    "ValueLost",
    "a later step fills in the URL of the proxy, so nobody escapes it: it must hold no `%`, which systemd reads as a "
    "specifier in a drop-in",
)


def judge_config(
    config: ProxyConfig, config_ref: ObjectRef, audience: Audience = Audience.NODE
) -> Iterator[Result]:
    """Yield what is wrong with the lists and the URLs of a ProxyConfig; what composing a list corrects is not wrong."""
    places: list[tuple[Pointer, ProxyConfig | Override]] = [(("spec",), config)]
    for number, override in enumerate(config.overrides):
        places.append((("spec", "overrides", str(number)), override))
    for path, place in places:
        http_proxy, https_proxy = place.http_proxy, place.https_proxy
        if http_proxy is not None or https_proxy is not None:
            if http_proxy is None:
                http_proxy = config.http_proxy
            if https_proxy is None:
                https_proxy = config.https_proxy
            for problem in _of_proxies(http_proxy, https_proxy):
                yield Result.of(problem.code, problem.message, path).about(config_ref)
        texts = tuple(entry.text for entry in place.no_proxy or ())
        if config.policy.style is Style.PORTABLE:
            texts = entries.normalise(texts)
        no_proxy = ",".join(texts)
        for problem in judge_list(no_proxy, Reader(audience), has_proxy=False):
            result = Result.of(problem.code, problem.message, (*path, "noProxy"))
            yield result.about(config_ref)


def _of_proxies(http_proxy: str, https_proxy: str) -> list[Problem]:
    problems = judge_pair(http_proxy, https_proxy)
    for url in dict.fromkeys((http_proxy, https_proxy)):
        if placeholders.is_template(url):
            problems.append(_FILLED_IN_LATER)
        elif url:
            problems += judge_url(url, Reader(Audience.NODE))
    return problems
