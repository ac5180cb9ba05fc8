"""What the real kpt makes of the comments that say what was empty, and of the comments beside drop-ins of ours.

kpt copies comments of a file back by field and by the index of a list. A mark (``files: # was: []``) must stay where it
is while something is there. When removal takes it out, kpt puts a copy of it behind the value, or on the line below:
that must do no harm. And no comment of a person's may go because of an edit beside it.
"""

from __future__ import annotations

import re
from pathlib import Path

from kpt_exchanges import kpt as called_kpt
from support import COMMAND

PROXY = ("httpProxy=http://proxy:3128", "httpsProxy=http://proxy:3128")
KUBEADM = "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\nmetadata:\n  name: md-0\nspec:"
TEMPLATE = KUBEADM.replace("KubeadmConfig\n", "KubeadmConfigTemplate\n")
VALUES = """\
apiVersion: v1
kind: Secret
metadata:
  name: kapp
  labels:
    tkg.tanzu.vmware.com/addon-name: kapp-controller
type: tkg.tanzu.vmware.com/addon
stringData:
  values.yaml: |
    #@data/values
    ---
    kappController:
      config:
      namespace: x
"""
CERT_MANAGER = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cert-manager
  namespace: cert-manager
  labels:
    app.kubernetes.io/name: cert-manager
    app.kubernetes.io/component: controller
spec:
  template:
    spec:
      containers:
      - name: other # the other one
        env: [] # none
      - name: cert-manager-controller # ours
        image: quay.io/jetstack/cert-manager-controller:v1
        env: []
        args: [] # none
      - name: third
        env: # as well
"""
FILES = {
    "two lists that are empty": f"{KUBEADM}\n  files: []\n  preKubeadmCommands: # mine\n  format: cloud-config\n",
    "other words for nothing": (
        f"{KUBEADM}\n  # above\n  files: ~ # ours\n  mounts: # none\n  preKubeadmCommands: null\n  users: []\n"
    ),
    "a mapping on one line": f"{TEMPLATE} {{template: {{spec: {{}}}}}}\n",
    "a mapping that is null": f"{TEMPLATE}\n  # the template\n  template:\n    spec: # all\n",
    "a mapping that stays": f"{TEMPLATE}\n  template:\n    spec: {{}} # all\n",
    "values that ytt reads": VALUES,
    "the env of one of three containers": CERT_MANAGER,
    "a mapping in flow style": f"{TEMPLATE}\n  template:\n    spec: {{files: [], format: cloud-config}} # one\n",
}


EXPECTED_MARKS = {"two lists that are empty": 2, "other words for nothing": 2}


def kpt(folder: Path, program: Path | str, *values: str) -> None:
    done = called_kpt(["fn", "eval", folder, "--exec", program, *(["--", *values] if values else [])])
    assert done.returncode == 0, done.stderr.decode()


def package(folder: Path, texts: list[str]) -> list[Path]:
    """A file for each text, each with a name of its own for its object."""
    files = [folder / f"{number:03}.yaml" for number in range(len(texts))]
    for number, (file, text) in enumerate(zip(files, texts, strict=True)):
        file.write_text(text.replace("name: md-0\n", f"name: md-{number}\n"))
    return files


def marks(text: str) -> list[tuple[str, str]]:
    """The keys that have a mark behind them, each with what it says."""
    return re.findall(r"^ *([\w-]*):.* #!? was:(.*)$", text, re.MULTILINE)


def without_marks(text: str) -> str:
    """The text without the copies of marks that kpt makes when they go (`docs/removal.md`, number 9)."""
    return re.sub(r" # was:.*$", "", text, flags=re.MULTILINE)


def test_a_mark_stays_behind_its_key_until_removal_gives_back_what_was_there(tmp_path: Path) -> None:
    """Twice: the copy that kpt makes of a mark when it goes does no harm later."""
    files = package(tmp_path, list(FILES.values()))
    before = [file.read_text() for file in files]
    for _ in range(2):
        kpt(tmp_path, COMMAND, *PROXY)
        once = [file.read_text() for file in files]
        assert all("http://proxy:3128" in text for text in once)
        found = {name: len(marks(text)) for name, text in zip(FILES, once, strict=True)}
        assert found == {name: EXPECTED_MARKS.get(name, 1) for name in FILES}

        kpt(tmp_path, COMMAND, *PROXY)
        assert [file.read_text() for file in files] == once
        kpt(tmp_path, COMMAND, "httpProxy=http://other:1")
        assert [marks(file.read_text()) for file in files] == [marks(text) for text in once]
        kpt(tmp_path, COMMAND, "mode=Remove")
        assert [without_marks(file.read_text()) for file in files] == before


def test_a_mark_of_a_list_whose_neighbours_come_and_go_says_nothing_of_them(tmp_path: Path) -> None:
    (file,) = package(tmp_path, [CERT_MANAGER])
    kpt(tmp_path, COMMAND, *PROXY)
    once = file.read_text()
    first = "      - name: other # the other one\n        env: [] # none\n"
    assert first in once
    file.write_text(once.replace(first, ""))
    kpt(tmp_path, COMMAND, *PROXY)
    assert marks(file.read_text()) == [("env", " []")]

    kpt(tmp_path, COMMAND, "mode=Remove")
    assert without_marks(file.read_text()) == CERT_MANAGER.replace(first, "")
