"""Values and lines of nodes against the programs that read them: systemd reads the drop-ins, ``sh`` the commands.

A case is a ResourceList with a KubeadmConfigTemplate, whose drop-in and commands are random, and a ProxyConfig with
hostile characters in its URL. Without a warning about a place, systemd and ``sh`` must see the variables that are
declared.
"""

from __future__ import annotations

from random import Random
from typing import Any
from urllib.parse import quote

import yaml

from fuzz.program import RUNS, Broken, function
from fuzz.stored import read
from judges import shell_environment, systemd_environment
from krm_fn.pipeline.outcome import Outcome
from revealed import NEW

PATH = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
LINES = [
    *("[Service]", "[Service]", "[Unit]", "# a comment", "; another", "", "Environment=", "LimitNOFILE=1"),
    *("Description=a \\", "b"),
    *('Environment="HTTP_PROXY=http://old:1"', "Environment=NO_PROXY=a,b"),
    "Environment='https_proxy=x y' A=b \"C=d e\"",
    *('Environment="A=%%b" \\', '  "http_proxy=c"', "Environment=A=b HTTP_PROXY=", "UnsetEnvironment=A"),
    "Environment=A=\\x41",
    *('Environment="no_proxy=a\\\\b"', "Environment = B=c", "\tEnvironment=D=e", 'Environment="E=f\'g"'),
    "PassEnvironment=HOME",
]
COMMANDS = [
    *("true", ": x", "# a comment", "export FOO=1", "export HTTP_PROXY=old", "export no_proxy=a NO_PROXY=b"),
    "FOO='a b'; true",
    *("echo apt-get >/dev/null", "export A=\"b c\" B='d'", "if true; then export http_proxy=x; fi", "{ :; }"),
    "export PATH",
]
"""Lines that ``sh`` runs here as they are: they do no harm."""
CHARACTERS = "%$\"'\\`!#;&|<>(){}[]*?~^, =+-_.:/@äé😀 \t"


def make(random: Random) -> bytes:
    """Return a list with one template and a proxy whose user, password and path hold any character."""
    drop_in = "\n".join(random.choice(LINES) for _ in range(random.randrange(6)))
    spec: dict[str, Any] = {"preKubeadmCommands": [random.choice(COMMANDS) for _ in range(random.randrange(5))]}
    if random.random() < 0.7:
        spec["files"] = [{"path": PATH, "content": drop_in + random.choice(["", "\n", "\n\n"])}]
    template = {
        "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1",
        "kind": "KubeadmConfigTemplate",
        "metadata": {"name": "md"},
        "spec": {"template": {"spec": spec}},
    }
    user, password = (_word(random) for _ in range(2))
    url = f"http://{user}:{NEW}{password}@proxy.corp.example:3128"
    direct = ["10.0.0.0/8", random.choice([".corp.example", "[::1]", "*"])]
    wanted: dict[str, Any] = {"httpProxy": url, "noProxy": direct}
    if random.random() < 0.5:
        wanted["httpsProxy"] = url
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "proxy"},
        "spec": {**wanted, "noProxyPolicy": {"style": "Verbatim"}},
    }
    head = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    return yaml.safe_dump(
        {**head, "items": [template], "functionConfig": config}, sort_keys=False, allow_unicode=True
    ).encode()


def _word(random: Random) -> str:
    text = "".join(random.choice(CHARACTERS) for _ in range(random.randrange(5)))
    return quote(text, safe="" if random.random() < 0.5 else CHARACTERS[:-7].replace("/", "").replace("@", ""))


def judge(data: bytes) -> None:
    """Let systemd and ``sh`` read what a run makes of the list; raises ``Broken`` where they see anything else."""
    outcome = function(data)
    if outcome is None or outcome.exit_code:
        return
    try:
        after = read(outcome.output)
        given = after["functionConfig"]["spec"]
        spec = after["items"][0]["spec"]["template"]["spec"]
    except (KeyError, IndexError, TypeError, yaml.YAMLError):
        return
    wanted = _variables(given)
    for file in spec.get("files", []):
        if file.get("path") == PATH and not _warns(outcome, "files"):
            RUNS["judged by systemd"] += 1
            _compare("systemd", systemd_environment(file["content"]), wanted)
    if not _warns(outcome, "preKubeadmCommands"):
        RUNS["judged by sh"] += 1
        commands = [line for line in spec.get("preKubeadmCommands", []) if not line.startswith("systemctl ")]
        _compare("sh", shell_environment("sh", commands), wanted)


def _variables(given: dict[str, Any]) -> dict[str, str]:
    """The variables of a ProxyConfig in the style Verbatim."""
    values = {"http_proxy": given.get("httpProxy"), "https_proxy": given.get("httpsProxy")}
    values["no_proxy"] = ",".join(given.get("noProxy", []))
    both = [*values.items(), *((name.upper(), value) for name, value in values.items())]
    return {name: value for name, value in both if value}


def _warns(outcome: Outcome, field: str) -> bool:
    """Whether a result says that a place is not, or not only, as wanted."""
    return any(
        result.code and (field in result.path or not result.path)
        for result in outcome.results
        if result.ref.name == "md"
    )


def _compare(judge_name: str, seen: dict[str, str], wanted: dict[str, str]) -> None:
    wrong = {name: seen.get(name) for name, value in wanted.items() if seen.get(name) != value}
    if wrong:
        raise Broken(f"{judge_name} sees what the ProxyConfig declares", f"{wrong} in place of {wanted}")
