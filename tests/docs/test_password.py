"""The steps of docs/howto/password.md work as they are written: the real SOPS and the real kubectl are the judges."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from explained import CLUSTER
from function_configs import list_with_config
from krm_fn.pipeline.run import run
from markdown import code
from support import ROOT, TIME_LIMIT, need, shell

PAGE = (ROOT / "docs" / "howto" / "password.md").read_text(encoding="utf-8")
SYSTEMS = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
NODES = CLUSTER.replace("NAME", "prod").replace("namespace: org", "namespace: clusters").removesuffix("---\n")


class Repository:
    """A clone with the files of the page, and the key to it."""

    def __init__(self, folder: Path) -> None:
        need("sops")
        self.folder = folder / "clone"
        key = folder / "key.txt"
        made = subprocess.run(
            [need("age-keygen"), "-o", str(key)], capture_output=True, text=True, check=True, timeout=TIME_LIMIT
        )
        self._env = {"SOPS_AGE_KEY_FILE": str(key)}
        public = made.stderr.partition("Public key: ")[2].strip()
        (self.folder / "clusters" / "prod").mkdir(parents=True)
        (self.folder / "clusters" / "prod" / "cluster.yaml").write_text(NODES)
        for text in code(PAGE, "yaml", "Nodes: SOPS"):
            named = re.match(r"# (\S+)\n", text)
            if named:
                (self.folder / named[1]).write_text(text.replace("age1...", public))

    def does(self, script: str) -> subprocess.CompletedProcess[str]:
        return shell(script, self.folder, **self._env)

    def done(self, script: str) -> str:
        done = self.does(script)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def text(self) -> str:
        """All that is in the clone."""
        return "".join(path.read_text() for path in sorted(self.folder.rglob("*.yaml")))

    def secret(self) -> dict[str, Any]:
        text = self.done("sops decrypt clusters/prod/systemd-proxy.yaml")
        secret: dict[str, Any] = yaml.safe_load(text)
        return secret


@pytest.mark.judged
def test_the_steps_of_sops_leave_no_password_and_notice_a_new_one(tmp_path: Path) -> None:
    clone = Repository(tmp_path)
    encrypt_config, encrypt_secret, write, check = code(PAGE, "sh", "Nodes: SOPS")

    clone.done(encrypt_config + encrypt_secret + write)

    first = clone.secret()
    assert 'HTTP_PROXY=http://user:p%%40ss@proxy.corp.example:3128"' in first["stringData"]["containerdProxy"]
    assert first["metadata"]["name"] in (clone.folder / "clusters" / "prod" / "cluster.yaml").read_text()
    assert not [form for form in ("p%40ss", "p%%40ss", "p@ss") if form in clone.text]

    clone.done(check + encrypt_secret)
    for field in ("httpProxy", "httpsProxy"):
        clone.done(f"""sops set proxy.enc.yaml '["spec"]["{field}"]' '"http://user:n3w@proxy.corp.example:3128"'""")
    due = clone.does(check)
    assert due.returncode == 1
    assert "ProxyMissing" in due.stderr

    clone.done(encrypt_secret + write)

    second = clone.secret()
    assert "user:n3w@" in second["stringData"]["kubeletProxy"]
    assert second["metadata"]["name"] != first["metadata"]["name"]
    assert not [form for form in ("p%40ss", "n3w@") if form in clone.text]


WEB = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n"
    "  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: web}]}\n"
)
PASSWORD = "s3cr3t"
TITLE = "Workloads refer to a Secret"


@pytest.mark.parametrize("number", [0, 1, 2], ids=["External Secrets", "Sealed Secrets", "SOPS"])
@pytest.mark.parametrize("by_init", [False, True], ids=["the file of the page", "the file of init"])
@pytest.mark.judged
def test_the_secret_is_made_in_the_namespace_and_no_file_holds_the_password(
    tmp_path: Path, number: int, by_init: bool
) -> None:
    need("kustomize")
    named, sources = {}, []
    for text in code(PAGE, "yaml", TITLE):
        name = re.match(r"# (\S+)\n", text)
        if name:
            named[name[1]] = text
        else:
            sources.append(text)
    for name, text in {**named, "shop/web.yaml": WEB, "proxy-secret/secret.yaml": sources[number]}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace("user:p%40ss", f"user:{PASSWORD}"))
    if by_init:
        (tmp_path / "proxy.yaml").unlink()
        web = tmp_path / "shop" / "web.yaml"
        url = f"http://user:{PASSWORD}@proxy.corp.example:3128"
        env = f"[{{name: web, image: web, env: [{{name: HTTPS_PROXY, value: '{url}'}}]}}]"
        web.write_text(WEB.replace("[{name: web, image: web}]", env))
        done = shell("inject-proxy init --yes .", tmp_path)
        assert done.returncode == 0, done.stderr
        assert "howto/password.md" in done.stderr
        assert PASSWORD not in (tmp_path / "proxy.yaml").read_text() + done.stderr
        for file in tmp_path.rglob("*.yaml"):
            file.write_text(re.sub(r"(name: )inject-proxy\b", r"\1proxy", file.read_text()))
    key = tmp_path / "key.txt"
    if number == 2:
        *_, encrypt = [text for text in code(PAGE, "sh", TITLE) if text.startswith("sops")]
        made = shell(f"age-keygen -o {key}", tmp_path)
        public = made.stderr.partition("Public key: ")[2].strip()
        assert shell(encrypt.replace("age1...", public), tmp_path).returncode == 0
    *_, write = code(PAGE, "sh", TITLE)
    run_command, build = write.strip().splitlines()
    first = shell(run_command, tmp_path)
    assert first.returncode == 0, first.stderr
    assert "SecretMissing" not in first.stderr
    texts = {file: file.read_text() for file in tmp_path.rglob("*.yaml")}
    assert not [file for file, text in texts.items() if PASSWORD in text]
    assert shell(run_command, tmp_path).returncode == 0
    assert {file: file.read_text() for file in tmp_path.rglob("*.yaml")} == texts

    built = shell(build, tmp_path)
    assert built.returncode == 0, built.stderr
    items = {item["kind"]: item for item in yaml.safe_load_all(built.stdout)}
    (container,) = items.pop("Deployment")["spec"]["template"]["spec"]["containers"]
    assert [entry["name"] for entry in container["env"] if "value" in entry] == ["NO_PROXY", "no_proxy"]
    names = {entry["valueFrom"]["secretKeyRef"]["name"] for entry in container["env"] if "valueFrom" in entry}
    ((_, secret),) = items.items()
    assert ({secret["metadata"]["name"]}, secret["metadata"]["namespace"]) == (names, "shop")
    if number == 2:
        (tmp_path / "built.yaml").write_text(yaml.safe_dump(secret))  # the namespace of kustomize in it
        decrypted = shell("sops decrypt built.yaml", tmp_path, SOPS_AGE_KEY_FILE=str(key))
        assert PASSWORD in decrypted.stdout, decrypted.stderr


def ran(config: dict[str, Any], *more: dict[str, Any]) -> tuple[list[Any], list[str]]:
    outcome = run(list_with_config(config["spec"], *yaml.safe_load_all(NODES), *more))
    assert outcome.exit_code == 0
    return yaml.safe_load(outcome.output)["items"], [one.code for one in outcome.results]


def test_an_external_secret_makes_what_the_nodes_take() -> None:
    texts = code(PAGE, "yaml", "Nodes: External Secrets and Vault")
    config, external = (yaml.safe_load(text) for text in texts)
    url = "http://user:p%40ss@proxy.corp.example:3128"
    template = external["spec"]["target"]["template"]["data"]
    filled = {
        key: text.replace('{{ .url | replace "%" "%%" }}', url.replace("%", "%%")) for key, text in template.items()
    }

    items, said = ran(config, external)

    files = items[1]["spec"]["kubeadmConfigSpec"]["files"]
    assert {one["contentFrom"]["secret"]["name"] for one in files} == {external["metadata"]["name"]}
    assert {one["contentFrom"]["secret"]["key"] for one in files} == set(template)
    assert items[2] == external
    assert "SystemdSecretMissing" not in said

    declared = {**config["spec"], "httpProxy": url, "httpsProxy": url, "only": ["nodes", "giantswarm.systemdProxy"]}
    declared["targets"] = {**declared["targets"], "giantswarm": {"generate": ["systemdProxy"]}}
    *_, ours = ran({**config, "spec": declared})[0]
    assert {key: without_list(text) for key, text in filled.items()} == {
        key: without_list(text) for key, text in ours["stringData"].items()
    }


def without_list(drop_in: str) -> str:
    return re.sub(r"(?i)(no_proxy=)[^\"]*", r"\1", drop_in)


def test_the_recipe_of_giant_swarm_reads_the_file_in_a_plain_folder(tmp_path: Path) -> None:
    need("kubectl")
    (config,) = code(SYSTEMS, "yaml", "Giant Swarm")
    (command,) = code(SYSTEMS, "sh", "Giant Swarm")
    (tmp_path / "proxy.yaml").write_text(config)
    (tmp_path / "clusters").mkdir()
    (tmp_path / "clusters" / "prod.yaml").write_text(NODES)
    url = "http://user:p%40ss@proxy.corp.example:3128"
    (tmp_path / "secret-values.yaml.patch").write_text(
        f"proxy:\n  http: {url}\n  https: {url}\n  noProxy: .corp.example\n"
    )

    done = shell(command, tmp_path)

    assert done.returncode == 0, done.stderr
    written = {one["metadata"]["name"] for one in yaml.safe_load_all((tmp_path / "clusters" / "prod.yaml").read_text())}
    assert {"prod-systemd-proxy", "prod-cluster-values"} <= written
    assert "p%40ss" not in done.stdout + done.stderr


def test_one_secret_holds_the_proxy_of_every_system(tmp_path: Path) -> None:
    title = "One place for user and password"
    for text in code(PAGE, "yaml", title):
        name, _, content = text.removeprefix("# ").partition("\n")
        (tmp_path / name).write_text(content)
    (tmp_path / "clusters").mkdir()
    (tmp_path / "clusters" / "nodes.yaml").write_text(
        "apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\nkind: TalosConfigTemplate\nmetadata: {name: workers}\n"
        "spec: {template: {spec: {generateType: worker}}}\n"
    )

    (command,) = code(PAGE, "sh", title)
    done = shell(command, tmp_path)

    assert done.returncode == 0, done.stderr
    written = (tmp_path / "clusters" / "nodes.yaml").read_text()
    assert "http://user:p%40ss@proxy.corp.example:3128" in written
    assert ".corp.example,10.0.0.0/8" in written
    assert "p%40ss" not in done.stderr
