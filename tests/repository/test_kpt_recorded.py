"""The recorded exchanges with kpt: each belongs to a test, and one that is no longer true fails its test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import kpt_exchanges
from kpt_exchanges import RECORDED, answer, compare, files_of, replay, slug
from support import COMMAND, ROOT

CONFIG = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata:
  name: md-0
spec:
  format: cloud-config
"""
WORDS = ["fn", "eval", ".", "--exec", str(COMMAND), "--", "httpProxy=http://proxy:3128"]
SENT = f"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {CONFIG.replace(chr(10), chr(10) + "  ").rstrip()}
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata:
    name: function-input
  data:
    httpProxy: http://proxy:3128
"""


def test_each_recording_belongs_to_a_test() -> None:
    recordings = sorted(RECORDED.rglob("*.yaml"))
    assert recordings
    for recording in recordings:
        (module,) = (ROOT / "tests").rglob(f"{recording.parent.name}.py")
        names = re.findall(r"^def (test_\w+)", module.read_text(), re.MULTILINE)
        assert [name for name in names if recording.stem.startswith(slug(name))], recording


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording of one call: kpt adds a file and deletes another one."""
    monkeypatch.setattr(kpt_exchanges, "RECORDED", tmp_path / "recorded")
    monkeypatch.setattr(kpt_exchanges, "ROOT", tmp_path)
    package = tmp_path / "package"
    package.mkdir()
    (package / "old.yaml").write_text(CONFIG)
    command = kpt_exchanges.command_line(WORDS, package)
    assert command == "kpt fn eval /the-package --exec inject-proxy -- httpProxy=http://proxy:3128"
    exchange = {
        "key": kpt_exchanges.key_of(command, files_of(package)),
        "command": command,
        "calls": [answer(SENT)],
        "exit_code": 0,
        "stderr": "/the-package: done\n",
        "written": {"new/one.yaml": "a: 1\n", "old.yaml": None},
    }
    file = tmp_path / "recorded" / "one.yaml"
    file.parent.mkdir()
    file.write_text(yaml.safe_dump({"kpt": "1", "exchanges": [exchange]}))
    return file


def test_a_replay_fails_where_the_function_answers_otherwise(recording: Path, tmp_path: Path) -> None:
    recording.write_text(recording.read_text().replace("HTTP_PROXY=", "OTHER_PROXY="))
    with pytest.raises(pytest.fail.Exception, match=r"answers otherwise than when kpt was recorded"):
        replay(recording, WORDS, tmp_path / "package")
    assert list(files_of(tmp_path / "package")) == ["old.yaml"]


@pytest.mark.parametrize("field", ["calls", "exit_code", "written"])
def test_the_real_kpt_fails_where_it_does_not_do_what_is_recorded(recording: Path, field: str) -> None:
    (exchange,) = yaml.safe_load(recording.read_text())["exchanges"]
    compare(recording, exchange)
    with pytest.raises(pytest.fail.Exception, match=f"{field} differ from the recorded ones"):
        compare(recording, {**exchange, field: 1})
