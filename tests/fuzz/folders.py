"""Folders with names, links, ignore files and contents that nobody expects, under commands that read and write them.

A case is a YAML document: ``files`` and ``links`` (names are percent-encoded, since not each is a text), ``pipes``, and
the ``steps``: commands in their order.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, unquote_to_bytes

import yaml

from fuzz.program import Broken, command
from fuzz.stored import any_data
from fuzz.structures import damage
from fuzz.texts import WAYS
from fuzz.values import URL
from revealed import NEW

CONFIG = {
    "apiVersion": "fn.inject-proxy.io/v1alpha1",
    "kind": "ProxyConfig",
    "metadata": {"name": "proxy"},
    "spec": {"httpProxy": f"http://svc:{NEW}@proxy.corp.example:3128", "noProxy": ["10.0.0.0/8"]},
}
NAMES = [
    *("a.yaml", "b.yml", "c.json", "d.YAML", "e.txt", "f", "deep/er/a.yaml", "a.yaml/b.yaml", ".hidden/a.yaml"),
    ".a.yaml",
    *(" .yaml", "a b.yaml", "-.yaml", "--diff.yaml", "$(x).yaml", "*.yaml", "[a].yaml", "a\nb.yaml", "\t.yaml"),
    "é.yaml",
    *("\u202ea.yaml", "😀.yaml", "a\\b.yaml", "%.yaml", "#.yaml", "!.yaml", "~.yaml", "x" * 240 + ".yaml", "CON.yaml"),
    *("kustomization.yaml", "Kptfile", "Chart.yaml", "templates/a.yaml", "values.yaml", ".git/a.yaml", ".git"),
    "a.yaml~",
    *(".gitignore", ".krmignore", "deep/.gitignore", ".sops.yaml", "proxy.yml", "http://svc@x/a.yaml", "a.yaml.tmp"),
]
RAW_NAMES = ["%ff.yaml", "a%80b.yaml", "%c3.yaml", "%f0%9f.yaml/a.yaml"]
"""Names that are no text, percent-encoded."""
IGNORED = [
    *("*.yaml\n!a.yaml\n", "/\n", "**\n", "!**\n", "a.yaml/\n", "[\n", "\\\n", "#\n \n", "deep/*\n", "\x00\n"),
    *("../*\n", "é\n"),
]
CONTENTS = [
    *("", "\n", "---\n---\n", "\x00", "a: b\n", "[", "{{ x }}\n", "- a\n"),
    *("\ufeffkind: Pod\n", "x" * 5000, "kind: Pod"),
]
LINKS = ["../outside", "../outside/a.yaml", "/etc/passwd", "a.yaml", ".", "..", "nowhere", "b", "deep", "/", "../all"]
READING = [
    ["run", "--diff", "."],
    *(["run", "--check", "-v", "--output", form, "."] for form in ("text", "json", "sarif", "github", "junit")),
    *(["lint", "--output", form, "."] for form in ("text", "json", "sarif", "github", "junit")),
    *(["explain", "-v", "--output", form, "."] for form in ("text", "json", "html")),
    ["init", "--print", "."],
    ["run", "--diff", "--exclude", "a*", "--", "."],
    ["run", "--check", "a.yaml", "b"],
]
WRITING = [["run", "."], ["run", "."], ["run", "-v", "."]]


def make(random: Random) -> bytes:
    """Return the description of a folder, and what is done in it."""
    data = any_data(random)
    if random.random() < 0.4:
        damage(data.get("items"), data, random)
    items = data.get("items")
    files = {quote(_name(random)): _content(random) for _ in range(random.randrange(4))}
    for number, one in enumerate(items if isinstance(items, list) else []):
        name = quote(random.choice([f"{number}.yaml", f"{number}.yaml", _name(random)]))
        if random.random() < 0.05:
            name = random.choice(RAW_NAMES)
        files[name] = files.get(name, "") + "---\n" + _written(one, random)
    given = data.get("functionConfig")
    is_config = isinstance(given, dict) and given.get("kind") == "ProxyConfig" and random.random() < 0.5
    files["proxy.yaml"] = _written(given if is_config else CONFIG, random)
    case = {
        "files": files,
        "links": {quote(_name(random)): random.choice(LINKS) for _ in range(random.randrange(3))},
        "pipes": [quote(_name(random))] if random.random() < 0.05 else [],
        "steps": [*random.sample(READING, 3), random.choice(WRITING), random.choice(READING)],
    }
    return yaml.safe_dump(case, sort_keys=False, allow_unicode=True, width=100_000).encode()


def _name(random: Random) -> str:
    return random.choice(NAMES)


def _written(value: Any, random: Random) -> str:
    if random.random() < 0.1:
        return json.dumps(value) + "\n"
    text = yaml.safe_dump(value, sort_keys=False, default_flow_style=random.choice([False, False, None]))
    if random.random() < 0.1:
        text = random.choice(WAYS)(text, random)
    return "".join(one for one in text if not "\ud800" <= one <= "\udfff")


def _content(random: Random) -> str:
    return random.choice([*CONTENTS, *IGNORED, URL, f"a: {URL}\n", f"# {URL}\nkind: Pod\napiVersion: v1\n"])


def judge(data: bytes) -> None:
    """Build the folder of a case and do its steps; raises ``Broken`` where a promise does not hold."""
    try:
        case = yaml.safe_load(data)
        steps, files = case["steps"], case["files"]
    except (yaml.YAMLError, KeyError, TypeError):
        return
    top = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        if not _build(top, files, case.get("links", {}), case.get("pipes", [])):
            return
        outside = _snapshot(top / "outside")
        for words in steps:
            _step(top / "all", words)
            if _snapshot(top / "outside") != outside:
                raise Broken("nothing outside of the folder changes", " ".join(words))
            left = sorted(path.name for path in top.iterdir())
            if left != ["all", "outside"]:
                raise Broken("nothing beside the folder is made", str(left))
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _build(top: Path, files: dict[str, str], links: dict[str, str], pipes: list[str]) -> bool:
    """Make the folder; names that the file system refuses, or that meet, are left out."""
    folder = top / "all"
    folder.mkdir()
    (top / "outside").mkdir()
    (top / "outside" / "a.yaml").write_text(f"apiVersion: v1\nkind: Secret\nstringData: {{a: '{URL}'}}\n")
    (top / "outside" / "b.yaml").write_text(files.get("proxy.yaml", ""))
    try:
        for name, text in files.items():
            _made(folder, name, lambda path, text=text: path.write_bytes(text.encode()))
        for name, target in links.items():
            _made(folder, name, lambda path, target=target: path.symlink_to(target))
        for name in pipes:
            _made(folder, name, os.mkfifo)
    except (AttributeError, TypeError, ValueError):  # made smaller until it is no case any more
        return False
    return True


def _made(folder: Path, name: str, make_it: Any) -> None:
    path = Path(os.fsdecode(os.fsencode(folder) + b"/" + unquote_to_bytes(name)))
    if folder.resolve() not in path.parent.resolve().parents and folder.resolve() != path.parent.resolve():
        return  # a link leads out of the folder
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() and not path.is_symlink():
            make_it(path)
    except OSError:
        return


def _step(folder: Path, words: list[str]) -> None:
    before = _snapshot(folder)
    done = command(b"", *words, cwd=folder)
    after = _snapshot(folder)
    writes = words in WRITING
    has_failed = done.returncode and words[0] == "run"
    if after != before and (not writes or has_failed):
        raise Broken(f"{words[0]} {words[1]} that ends with {done.returncode} writes nothing", _changed(before, after))
    if writes and not done.returncode:
        again = command(b"", *words, cwd=folder)
        if again.returncode or _snapshot(folder) != after:
            raise Broken("a second run of a folder changes nothing", _changed(after, _snapshot(folder)))


def _snapshot(folder: Path) -> dict[str, Any]:
    """Name of each file, folder and link -> its mode and what it holds."""
    found: dict[str, Any] = {}
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(here, name)
            mode = path.lstat().st_mode
            content: Any = None
            if stat.S_ISLNK(mode):
                content = path.readlink()
            elif stat.S_ISREG(mode):
                content = path.read_bytes()
            found[str(path.relative_to(folder))] = (mode, content)
    return found


def _changed(before: dict[str, Any], after: dict[str, Any]) -> str:
    return str([name for name in {**before, **after} if before.get(name) != after.get(name)])
