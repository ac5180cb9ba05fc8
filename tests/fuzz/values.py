"""Hostile values: what stands in the place of any scalar or collection."""

from __future__ import annotations

import base64
import gzip
import json
from random import Random
from typing import Any

from revealed import OLD
from yaml_texts import AWKWARD

URL = f"http://svc:{OLD}@old.corp.example:3128"
DROP_IN = f'[Service]\nEnvironment="HTTP_PROXY={URL}"\n'

TEXTS = [
    *AWKWARD,
    *("${TEMPLATE}", "${A:=http://h:1}", "$(touch x)", "`id`", "{{ .Values.proxy }}", "{{request.object.x}}"),
    "(( @ data ))",
    *("%", "%%", "%h", "\\", "\\n", "a\\", "'\"'", "a'b\"c", "$", "$$", "$(HTTP_PROXY)", "!!", "é%é", "\u202e"),
    *("HTTP_PROXY", "no_proxy", "httpProxy", "proxy", "containerd", "default", "*", "**", "..", "../..", "/"),
    "/etc/passwd",
    *("10.0.0.0/8,.svc", "[::1]", "fd00::/8", "localhost,,", "a b c", "0.0.0.0/0", "*.corp.example", "http://"),
    "socks5://h:1",
    *("http://[::1]:3128", "http://h:99999", "http://h:1/path?q#f", "HTTP://H:1", "http://a b:1", "http://münchen:1"),
    *("ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==", "=====", "H4sIAAAA"),
    *("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "#cloud-config\nwrite_files: [", "a: &a [*a]"),
    *("Cluster", "Secret", "List", "v1", "apps/v1", "cluster.x-k8s.io/v1beta2", "fn.inject-proxy.io/v1alpha1"),
    "ProxyConfig",
    *("x" * 300, "long " * 500, "a\n" * 50, "9" * 40, "1.0", "+1", "0b1", "!!binary x", "? x", "%YAML 1.1"),
    URL,
    URL.replace("http:", "https:"),
    f"x {URL} y",
    DROP_IN,
    base64.b64encode(DROP_IN.encode()).decode(),
    base64.b64encode(gzip.compress(DROP_IN.encode(), mtime=0)).decode(),
    f"export HTTP_PROXY={URL}",
    f"systemctl set-environment https_proxy='{URL}'; apt-get update",
    json.dumps({"kind": "Secret", "stringData": {"a": URL}}),
    f"cluster:\n  proxy:\n    http: {URL}\n",
]
OTHERS = [
    *(None, True, False, 0, -1, 3128, 2**70, -1.5, [], {}, [None], [{}], {"": ""}, {"a": None}, ["a", 1]),
    *({"name": "HTTP_PROXY", "value": URL}, [{"name": "HTTP_PROXY", "value": URL}], [{"name": "HTTP_PROXY"}] * 2),
    *({"secretKeyRef": {"name": "s", "key": "k"}}, {"inline": 1}, [{"path": "/etc/environment", "content": "a=b"}]),
    {"nodes.containerd": {}, "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}},
]


def hostile(random: Random) -> Any:
    """A value of any type that its place did not expect."""
    return json.loads(json.dumps(random.choice(OTHERS))) if random.random() < 0.4 else random.choice(TEXTS)
