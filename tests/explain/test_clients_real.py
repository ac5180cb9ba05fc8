"""Each row of `explain/clients.py` against the client it is about, wherever that client is installed.

A request is never sent to the host it names. A matcher is called in this process or in a program
of its own; a client whose matcher cannot be called runs where nothing but loopback exists.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import aiohttp.helpers
import botocore.utils
import httplib2
import httpx
import kubernetes.client.rest
import pytest
import requests
import websocket
import yarl

from krm_fn.explain.clients import CLIENTS
from real_clients.cases import CASES, Case
from support import CACHE, ROOT, missing, need, run

pytestmark = pytest.mark.judged

PROGRAMS = ROOT / "tests" / "real_clients"
PROXY = "http://proxy.invalid:3128"
APT_HELPER = Path("/usr/lib/apt/apt-helper")


LEFT_OUT = {
    ("axios-1.15", "127.0.0.1", "::1"),
    ("axios", "127.0.0.1", "::1"),
    ("kubernetes-python", "[fd00::1]", "fd00::1"),
    ("ruby", "fd00::1", "10.96.0.1"),
    ("ruby", "::1", "10.96.0.1"),
}
"""Client, entry and host that a row does not tell: other names of loopback, ports behind brackets, parts of IPv6."""


def is_left_out(client: str, case: Case) -> bool:
    entries = [entry.strip() for entry in case.no_proxy.split(",")]
    return any((client, entry, case.host) in LEFT_OUT for entry in entries)


def disagreements(
    client: str, answers: Callable[[list[Case]], list[bool]], asked: list[Case] | None = None
) -> list[tuple[Case, bool]]:
    """The cases in which the row does not say what the client did, with what the client did."""
    asked = asked or CASES
    model = CLIENTS[client]
    return [
        (case, direct)
        for case, direct in zip(asked, answers(asked), strict=True)
        if not is_left_out(client, case) and model.goes_direct(case.no_proxy, case.host, case.port) != direct
    ]


def by_list(asked: list[Case]) -> list[tuple[str, list[str]]]:
    return [(text, [case.url for case in group]) for text, group in itertools.groupby(asked, lambda c: c.no_proxy)]


def ask(*argv: str | Path, env: dict[str, str] | None = None) -> Callable[[list[Case]], list[bool]]:
    """The answers of a program that reads questions as JSON and answers each with a list of booleans."""

    def answers(asked: list[Case]) -> list[bool]:
        questions = [{"no_proxy": text, "urls": urls} for text, urls in by_list(asked)]
        done = run(argv, json.dumps(questions).encode(), env=env)
        assert done.returncode == 0, done.stderr.decode()
        return list(itertools.chain.from_iterable(json.loads(done.stdout)))

    return answers


def version(tool: str) -> tuple[int, int]:
    text = run([tool, "--version"]).stdout.decode()
    match = re.search(r"(\d+)\.(\d+)", text)
    assert match, text
    return int(match[1]), int(match[2])


@pytest.fixture(scope="session")
def own_network() -> list[str]:
    """The beginning of a command that sees no network but loopback."""
    beginning = [need("unshare"), "--map-root-user", "--net", "--mount", "--"]
    if subprocess.run([*beginning, "true"], capture_output=True, check=False).returncode:
        missing("a network namespace of one's own", "allow unprivileged user namespaces, or run the tests as root")
    return beginning


@pytest.fixture(scope="session")
def go_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("go") / "consumer"
    built = run([need("go"), "build", "-o", program, PROGRAMS / "main.go"], env={"GOFLAGS": "-mod=mod"})
    assert built.returncode == 0, built.stderr.decode()
    return program


def test_go_says_the_same(go_program: Path) -> None:
    assert disagreements("go", ask(go_program)) == []


def test_the_package_behind_go_says_the_same() -> None:
    assert disagreements("go", ask(need("httpproxy"))) == []


VERSIONS = {
    "curl": {(8, 18): "curl-8.18", (8, 9): "curl-8.9", (7, 87): "curl", (0, 0): "curl-old"},
    "wget": {(1, 20): "wget", (0, 0): "wget-old"},
}


@pytest.mark.parametrize("tool", VERSIONS)
def test_a_tool_says_the_same(own_network: list[str], tool: str) -> None:
    client = next(name for since, name in VERSIONS[tool].items() if version(need(tool)) >= since)
    assert disagreements(client, in_own_network(own_network, need(tool))) == []


def test_apt_says_the_same(own_network: list[str]) -> None:
    if not APT_HELPER.exists():
        pytest.skip("this is no Debian: apt-helper is not there")
    some = CASES[::12]  # apt-helper takes one URL at a time
    assert disagreements("apt", in_own_network(own_network, str(APT_HELPER)), some) == []


def in_own_network(beginning: list[str], tool: str) -> Callable[[list[Case]], list[bool]]:
    return ask(*beginning, sys.executable, PROGRAMS / "own_network.py", tool, *our_namespaces())


def our_namespaces() -> list[str]:
    return [str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in ("net", "mnt")]


def test_the_program_that_needs_a_network_of_its_own_refuses_to_run_in_ours() -> None:
    done = run([sys.executable, PROGRAMS / "own_network.py", "curl", *our_namespaces()], b"[]")
    assert done.returncode == 1
    assert b"refuses to run" in done.stderr


def test_ruby_says_the_same() -> None:
    assert disagreements("ruby", ask(need("ruby"), PROGRAMS / "matcher.rb")) == []


def test_perl_says_the_same() -> None:
    perl = need("perl")
    if run([perl, "-MLWP::UserAgent", "-e", "1"]).returncode:
        missing("Perl's LWP", "`apt-get install libwww-perl`")
    assert disagreements("lwp", ask(perl, PROGRAMS / "matcher.pl")) == []


@pytest.mark.parametrize("package", ["undici", "proxy-from-env", "axios-1.15", "axios"])
def test_a_package_of_node_says_the_same(package: str) -> None:
    node, modules = need("node"), CACHE / "node_modules"
    if not (modules / package).is_dir():
        missing(f"the package {package}", "`make judged` installs it where npm is there")
    env = {"NODE_PATH": str(modules)}
    matcher = modules / package / "lib" / "helpers" / "shouldBypassProxy.js"
    helper = [matcher] if package.startswith("axios") else []
    assert disagreements(package, ask(node, PROGRAMS / "matcher.cjs", package, *helper, env=env)) == []


def test_java_says_the_same() -> None:
    java = need("java")
    need("javac")  # `java Matcher.java` compiles

    def answers(asked: list[Case]) -> list[bool]:
        lines = "".join("\t".join([text, *urls]) + "\n" for text, urls in by_list(asked))
        done = run([java, PROGRAMS / "Matcher.java"], lines.encode())
        assert done.returncode == 0, done.stderr.decode()
        return [word == "true" for word in done.stdout.decode().split()]

    assert disagreements("java", answers) == []


@pytest.fixture(scope="module")
def environment() -> Iterator[Callable[[str], None]]:
    """Sets ``no_proxy``, and nothing else that a client reads."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.lower().endswith("_proxy") or name == "REQUEST_METHOD"]:
            patch.delenv(name)
        patch.setenv("http_proxy", PROXY)
        yield lambda text: patch.setenv("no_proxy", text)


def aiohttp_goes_direct(case: Case) -> bool:
    try:
        aiohttp.helpers.get_env_proxy_for_url(yarl.URL(case.url))
    except LookupError:
        return True
    return False


def requests_goes_direct(case: Case) -> bool:
    url = requests.Request("GET", case.url).prepare().url
    return bool(requests.utils.should_bypass_proxies(url, no_proxy=None))


PYTHON: dict[str, Callable[[Case], object]] = {
    "urllib": lambda case: urllib.request.proxy_bypass(urllib.request.Request(case.url).host),  # noqa: S310 -- unopened
    "requests": requests_goes_direct,
    "aiohttp": aiohttp_goes_direct,
    "botocore": lambda case: botocore.utils.should_bypass_proxies(case.url),
    "kubernetes-python": lambda case: kubernetes.client.rest.should_bypass_proxies(case.url, case.no_proxy),
    "httplib2": lambda case: httplib2.proxy_info_from_environment("http").bypass_host(case.host),
    "websocket-client": lambda case: websocket._url._is_no_proxy_host(case.host, None),
}


@pytest.mark.parametrize("client", PYTHON)
def test_a_client_of_python_says_the_same(client: str, environment: Callable[[str], None]) -> None:
    def answers(asked: list[Case]) -> list[bool]:
        directs = []
        for case in asked:
            environment(case.no_proxy)
            directs.append(bool(PYTHON[client](case)))
        return directs

    assert disagreements(client, answers) == []


@pytest.fixture(scope="module")
def httpx_verdict(environment: Callable[[str], None]) -> Callable[[Case], str]:
    """``direct``, ``proxy`` or ``breaks``, by the one way in which httpx finds out: making a client."""
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    def verdict(case: Case) -> str:
        environment(case.no_proxy)
        try:
            with httpx.Client(verify=trust) as client:
                transport = client._transport_for_url(httpx.URL(case.url))
                return "direct" if transport is client._transport else "proxy"
        except httpx.InvalidURL:
            return "breaks"

    return verdict


def model_of_httpx(case: Case) -> str:
    model = CLIENTS["httpx"]
    if model.breaks_on(case.no_proxy):
        return "breaks"
    return "direct" if model.goes_direct(case.no_proxy, case.host, case.port) else "proxy"


def test_httpx_says_the_same_and_breaks_on_the_same(httpx_verdict: Callable[[Case], str]) -> None:
    assert [(case, httpx_verdict(case)) for case in CASES if httpx_verdict(case) != model_of_httpx(case)] == []
