"""A secret in every scalar, in any form, and every output of every command: none shows it, decoded or not."""

from __future__ import annotations

import base64
import gzip
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import yaml

from fuzz.folders import CONFIG, READING, WRITING
from fuzz.program import Broken, command
from fuzz.stored import any_data
from fuzz.structures import places
from fuzz.values import DROP_IN, URL
from revealed import NEW, OLD, reveals

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"token": OLD}}


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FORMS = [
    *(URL, f"x {URL} y", f"'{URL}'", URL.replace(":", "\\u003a", 1), quote(URL, safe=""), DROP_IN, _coded(DROP_IN)),
    *(_coded(URL), _coded(f"svc:{OLD}"), _coded(_coded(URL))),
    base64.b64encode(gzip.compress(DROP_IN.encode(), mtime=0)).decode(),
    _coded(json.dumps(SECRET)),
    json.dumps(SECRET),
    yaml.safe_dump(SECRET),
    f"export HTTP_PROXY={URL} && curl -U svc:{OLD} http://x",
    f'[[runners]]\n  environment = ["HTTP_PROXY={URL}"]\n',
    f"cluster:\n  proxy:\n    http: {URL}\n",
    f"#cloud-config\nwrite_files:\n- path: /x\n  encoding: b64\n  content: {_coded(DROP_IN)}\n",
]
"""How a scalar holds the secret, so that a reader can tell that it is one."""


NAMES = {"apiVersion", "kind", "name", "namespace", "class", "clusterName", "host", "serviceDomain", "baseDomain"}
"""Keys of what outputs name, or take as an entry: nobody can tell that a secret is one, and no API server takes it."""


def make(random: Random) -> bytes:
    """Return manifests with the secret in some of their scalars, the ProxyConfig, and the commands."""
    items = any_data(random).get("items") or []
    scalars = [(parent, key) for parent, key in places(items) if isinstance(parent[key], (str, int, float))]
    for parent, key in scalars:
        if random.random() < 0.3 and not _is_named(parent, key):
            before = parent[key]
            form = random.choice(FORMS)
            parent[key] = f"{before}\n{form}\n" if isinstance(before, str) and "\n" in before else form
    if random.random() < 0.3:
        items.append(SECRET)
    files = {"a.yaml": yaml.safe_dump_all(items, sort_keys=False), "proxy.yaml": yaml.safe_dump(CONFIG)}
    other = {**CONFIG, "spec": {"httpProxy": f"http://svc:{OLD}x{NEW}@other:1"}}
    steps = [*random.sample(READING, 4), random.choice(WRITING)]
    case = {"files": files, "old": yaml.safe_dump(other), "steps": steps}
    return yaml.safe_dump(case, sort_keys=False, width=100_000).encode()


def _is_named(parent: Any, key: Any) -> bool:
    """Whether messages name what is there: an identity, or an entry of a list of exceptions."""
    is_list = "NO_PROXY" in str(parent).upper() or "NOPROXY" in str(key).upper() or isinstance(parent, list)
    return key in NAMES or is_list or str(key).endswith(("-name", "/cluster", "clusterName"))


def judge(data: bytes) -> None:
    """Do the steps of a case; raises ``Broken`` where an output shows a secret."""
    case: dict[str, Any] = yaml.safe_load(data)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as top:
        folder = Path(top, "all")
        folder.mkdir()
        Path(top, "old.yaml").write_text(case["old"])
        for name, text in case["files"].items():
            (folder / name).write_text(text)
        for words in case["steps"]:
            done = command(b"", *words, cwd=folder)
            shown = reveals((done.stdout + b"\n" + done.stderr).decode(errors="replace"), 2)
            if shown:
                raise Broken(f"`{' '.join(words)}` shows no password", shown[:300])
