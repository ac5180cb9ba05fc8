"""Run the function of an old commit and that of the working copy over the same inputs, and list what differs.

Usage: compare.py COMMIT [FOLDER...]

The inputs are the ResourceLists of `testdata` and `examples` and, for each FOLDER, its ResourceLists and its plain
manifests under the ProxyConfigs below. Each input runs as it is, its output runs again, and once more with
`mode: Remove`. What is compared is the exit code and the list without `results`: messages may change, manifests may
not. Exit code 1 if anything differs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROXY = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: proxy
spec:
  httpProxy: http://user:p%40s@proxy.corp.example:3128
  httpsProxy: http://user:p%40s@proxy.corp.example:3128
  noProxy: .corp.example,10.0.0.0/8
"""
CONFIGS = {
    "small": PROXY,
    "nodes": PROXY
    + """\
  noProxyPolicy:
    style: GiantSwarm
  rollout:
    hashNames: true
  targets:
    containerdDropIn: {content: Secret}
    kubeletDropIn: {enabled: true}
    kubeadmCommands: {enabled: true}
    clusterClass: {enabled: true}
""",
    "override": PROXY
    + """\
  failOn: Warning
  overrides:
  - match: {roles: [Worker]}
    httpProxy: http://workers.corp.example:3128
""",
}

# Runs with the package of one commit: reads a JSON list of texts, writes the answers to them.
RUNNER = """\
import json, re, sys
sys.path.insert(0, sys.argv[1])
from krm_fn import errors
from krm_fn import pipeline

def run(text):
    try:
        outcome = pipeline.run(text.encode())
    except errors.InjectProxyError as error:
        return type(error).__name__, error.exit_code, text
    return "", outcome.exit_code, outcome.output.decode().partition("\\nresults:")[0] + "\\n"

def with_mode_remove(text):
    head, mark, rest = text.partition("functionConfig:")
    return head + mark + re.sub(r"^  spec:\\n", "  spec:\\n    mode: Remove\\n", rest, count=1, flags=re.MULTILINE)

def answers(text):
    once = run(text)
    return [once, run(once[2]), run(with_mode_remove(once[2]))]

json.dump([answers(text) for text in json.load(sys.stdin)], sys.stdout)
"""


def main(arguments: list[str]) -> int:
    """Compare both commits; return 1 if they differ."""
    commit, *folders = arguments
    inputs = dict(_inputs([ROOT / "testdata", ROOT / "examples", *map(Path, folders)]))
    with tempfile.TemporaryDirectory() as scratch:
        packed = ["git", "archive", commit, "krm_fn", "functionconfig"]
        archive = subprocess.run(packed, cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", scratch], input=archive.stdout, check=True)
        before = _answers(Path(scratch), list(inputs.values()))
    after = _answers(ROOT, list(inputs.values()))
    differing = [name for name, old, new in zip(inputs, before, after, strict=True) if old != new]
    lines = [*differing, f"{len(inputs)} inputs, {len(differing)} differ from {commit}"]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return bool(differing)


def _answers(package: Path, texts: list[str]) -> list[object]:
    """Return what the package in a folder answers to each ResourceList, in three runs."""
    command = [sys.executable, "-c", RUNNER, str(package)]
    ran = subprocess.run(command, input=json.dumps(texts), text=True, stdout=subprocess.PIPE, check=True, cwd="/")
    return list(json.loads(ran.stdout))


def _inputs(folders: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield a name and a ResourceList for each input."""
    for folder in folders:
        for path in sorted(folder.rglob("*.y*ml")):
            text = path.read_text(encoding="utf-8", errors="replace")
            name = str(path.relative_to(folder.parent))
            is_list = re.search(r"^kind: ResourceList", text, re.MULTILINE)
            if ROOT in path.parents:
                if is_list:
                    yield name, text
                continue
            for label, config in CONFIGS.items():
                listed = _with_config(text, config) if is_list else _listed(text, config)
                yield f"{name} ({label})", listed


def _with_config(listed: str, config: str) -> str:
    """Return a ResourceList with another FunctionConfig."""
    without = re.sub(r"^functionConfig:.*\n(?:[ #].*\n|\n)*", "", listed, flags=re.MULTILINE)
    return without.rstrip("\n") + "\n" + _function_config(config)


def _listed(manifests: str, config: str) -> str:
    """Return plain manifests as a ResourceList, line by line."""
    lines = ["apiVersion: config.kubernetes.io/v1", "kind: ResourceList", "items:"]
    for document in re.split(r"^---.*\n", manifests, flags=re.MULTILINE):
        if re.search(r"^\w", document, re.MULTILINE):
            first, *rest = document.strip("\n").splitlines()
            lines += [f"- {first}", *(f"  {line}" if line else "" for line in rest)]
    return "\n".join(lines) + "\n" + _function_config(config)


def _function_config(config: str) -> str:
    return "functionConfig:\n" + "".join(f"  {line}\n" for line in config.splitlines())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
