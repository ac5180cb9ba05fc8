"""How products spell the three keys of a proxy, in the order of HTTP_PROXY, HTTPS_PROXY, NO_PROXY."""

from __future__ import annotations

from collections.abc import Iterator

UPPER = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
SNAKE = ("http_proxy", "https_proxy", "no_proxy")
CAMEL = ("httpProxy", "httpsProxy", "noProxy")
# The six names this program owns, in the order in which it writes them.
PROXY_VARIABLES = tuple(name for pair in zip(UPPER, SNAKE, strict=True) for name in pair)
# Values of Giant Swarm's charts.
SHORT = ("http", "https", "noProxy")

# What names a Secret with user and password beside a URL of GitHub's runners.
CREDENTIAL_SECRET = "credentialSecretRef"  # noqa: S105 -- the name of a field


# A word of so many letters hardly ever occurs in Base64 by chance.
_LONG_NAME = 4
_ASSIGNED = r"(?=[ \t]*[=:][ \t]*)"
_SPACED = r"(?=[ \t]*=[ \t]*|[ \t]+)"
# Patterns of settings by which one program alone gets a proxy, which count more there than the six variables.
#
# What a person calls the setting is the last word.
PROGRAM_SETTINGS = (
    rf"\b(?:Acquire::)?https?::Proxy{_SPACED}",  # apt.conf(5)
    rf"\bhttps?\.(?:https?://[^\s\"'=]{{1,99}}\.)?proxy{_SPACED}",  # git-config(1)
    rf"\bproxy\.https?{_ASSIGNED}",  # snap: system options
    rf"\bDD_PROXY_HTTPS?{_ASSIGNED}",  # the agent of Datadog: pkg/config
    rf"\bset[ \t]+(?:-[\w-]+[ \t]+)*(?:global\.)?(?:https?-?)?proxy{_SPACED}",  # npm, yarn, pip: config
    rf"(?<![\w-])--(?:(?:https?-?)?proxy|socks[45]a?(?:-hostname)?){_SPACED}",  # curl(1), pip, zypper
    rf"(?<=setopt[ =])['\"]?[\w*-]+\.proxy{_ASSIGNED}",  # dnf: config-manager
    r"(?<![\w.-])-(?-i:[fgijkqsvILNOS46#]*x)",  # curl(1): `-x URL`, `-sSLxURL`
    rf"\bproxy_hostname{_ASSIGNED}",  # rhsm.conf(5)
    rf"(?<![\w.:/-])proxy{_ASSIGNED}",  # dnf.conf(5), yum.conf(5), pip.conf, .curlrc
    r"(?:^|(?<=[{'\"]))[ \t]*proxy(?=[ \t]+)",  # .curlrc, and apt.conf(5) in braces
)
# Words of which one is in the text of each object that sets a proxy.
PROXY_NAMES = (
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "httpProxy",
    "httpsProxy",
    "HTTPProxy",
    "HTTPSProxy",
    "http-proxy",
    "https-proxy",
    "DD_PROXY_HTTP",
    "http.proxy",
    "https.proxy",
    "proxy.http",
    "proxyUrl",
    "proxyURL",
    "proxies",
    "http::Proxy",
    "https::Proxy",
    'Proxy "http',
    "--proxy",
    "--httpproxy",
    "--httpsproxy",
    "curl",
    "set proxy",
    "global.proxy",
    "proxy_hostname",
    "proxy=",
    "proxy =",
    "proxy http",
    'proxy "http',
    "proxy: http",
    'proxy: "http',
    "proxy: 'http",
    "%3",  # `proxy=http://` in a URL with data
    ";base64,",  # what is encoded may hold such a word
    "encoding: ",
)


def encoded_names() -> Iterator[str]:
    """Yield words of which one is in each text in Base64 that is gzip, or holds a long name of ``PROXY_NAMES``.

    Base64 writes three bytes as four letters, so a name has three forms, by the place where it begins. Of the letters
    at its ends those are left out that depend on what stands beside it.
    """
    from base64 import b64encode  # noqa: PLC0415 -- only a list with Secrets needs it

    yield "H4sI"  # RFC 1952, section 2.3.1
    for name in PROXY_NAMES:
        if len(name) < _LONG_NAME:
            continue
        for offset, start in enumerate((0, 2, 3)):
            content = b" " * offset + name.encode()
            yield b64encode(content).decode()[start : len(content) * 8 // 6]
