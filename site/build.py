"""Make the page "Try it": the package itself, run by Pyodide in the browser, beside editors and examples.

Usage: ``python site/build.py CACHE``. Below ``CACHE`` are ``node_modules``; what is made is in ``CACHE/try``, which
hooks.py adds to the site. Every part comes from a locked package (package-lock.json, requirements/runtime.txt).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

from examples import EXAMPLES, example

ROOT = Path(__file__).resolve().parent.parent
PLAYGROUND = ROOT / "site" / "playground"
PYTHON = "3.14"
"""The version in Pyodide; a new Pyodide may bring another one."""
PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64")
"""Of PyYAML there are compiled wheels only: the one for these holds the Python code, too, which is all that is used."""
WHEELS = (
    "attrs",
    "jsonpatch",
    "jsonpointer",
    "jsonschema",
    "jsonschema-specifications",
    "pyyaml",
    "referencing",
)
"""The packages of the lock file but for `rpds-py`, which is compiled: playground/rpds.py is in its place."""
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
STATIC = ("index.html", "style.css", "icon.svg")
BUNDLES = ("main.js", "worker.js")
LEFT_OUT = re.compile(
    r"(^|/)(tests|benchmarks|__pycache__)/|\.(so|pyi)$|/RECORD$|/WHEEL$|entry_points"
)
"""What of a wheel nobody needs in a browser."""


def main(cache: Path) -> None:
    """Make the folder ``try`` below the cache, in the place of an older one."""
    out = cache / "try"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in STATIC:
        shutil.copyfile(PLAYGROUND / name, out / name)
    bundle(cache / "node_modules", out)
    copy_pyodide(cache / "node_modules" / "pyodide", out / "pyodide")
    wheels = download(cache / "wheels")
    write_archive(out / "packages.zip", wheels)
    data = {"examples": [example(*row) for row in EXAMPLES], "codes": codes()}
    (out / "examples.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    compiler = [
        ROOT / "site" / "compile.mjs",
        cache / "node_modules" / "pyodide",
        out / "packages.zip",
        out / "examples.json",
    ]
    subprocess.run(["node", *compiler], check=True)
    (out / "licenses.txt").write_text(licenses(cache / "node_modules", wheels), encoding="utf-8")


def bundle(modules: Path, out: Path) -> None:
    """Bundle the code of the page and of its worker, which loads Pyodide itself."""
    options = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning"]
    options += ["--alias:pyodide=./pyodide/pyodide.mjs", "--external:./pyodide/pyodide.mjs"]
    sources = [str(PLAYGROUND / name) for name in BUNDLES]
    subprocess.run(
        [modules / ".bin" / "esbuild", *sources, *options, f"--outdir={out}"],
        env={**os.environ, "NODE_PATH": str(modules.resolve())},
        check=True,
    )


def copy_pyodide(source: Path, out: Path) -> None:
    """Copy Pyodide, and its list of packages without any: all that are used are in our archive."""
    out.mkdir()
    for name in PYODIDE:
        shutil.copyfile(source / name, out / name)
    lock = json.loads((source / "pyodide-lock.json").read_text())
    if not lock["info"]["python"].startswith(f"{PYTHON}."):
        sys.exit(f"build: Pyodide has Python {lock['info']['python']}, and PYTHON is {PYTHON}")
    (out / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}))


def download(folder: Path) -> list[Path]:
    """Bring the wheels of the lock file, whose hashes pip compares; return them in order."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wanted = folder / "requirements.txt"
    wanted.write_text("".join(locked()))
    options = [
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
    ]
    options += [f"--python-version={PYTHON}", *(f"--platform={name}" for name in PLATFORMS)]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", folder, "-r", wanted]
    subprocess.run(command, check=True)
    return sorted(folder.glob("*.whl"))


def locked() -> Iterator[str]:
    """Yield the entries of the lock file for the packages of the page, without their markers."""
    environment = {"python_version": PYTHON, "python_full_version": f"{PYTHON}.0"}
    text = (ROOT / "requirements" / "runtime.txt").read_text()
    for entry in re.findall(r"^[a-z].*(?:\n .*)*\n", text, re.MULTILINE):
        requirement = Requirement(entry.partition(" \\\n")[0])
        is_for_it = requirement.marker is None or requirement.marker.evaluate(environment)
        if requirement.name in WHEELS and is_for_it:
            yield re.sub(r" ; .*?(?= \\$)", "", entry, count=1, flags=re.MULTILINE)


def write_archive(path: Path, wheels: list[Path]) -> None:
    """Write all Python code of the page into one archive, which the worker unpacks once it is compiled."""
    files: dict[str, bytes] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as packed:
            files.update(
                {name: packed.read(name) for name in packed.namelist() if not LEFT_OUT.search(name)}
            )
    own = {"krm_fn": ROOT / "krm_fn", "krm_fn/functionconfig": ROOT / "functionconfig"}
    for name, folder in own.items():
        for file in folder.rglob("*"):
            inside = f"{name}/{file.relative_to(folder).as_posix()}"
            if file.is_file() and not LEFT_OUT.search(inside):
                files[inside] = file.read_bytes()
    for name in ("commands.py", "rpds.py"):
        files[name] = (PLAYGROUND / name).read_bytes()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def codes() -> list[str]:
    """Return the codes and rules that have a section in the page about messages."""
    text = (ROOT / "krm_fn" / "krm" / "messages.md").read_text(encoding="utf-8")
    return re.findall(r"^#+ ([A-Z]\w+)$", text, re.MULTILINE)


def licenses(modules: Path, wheels: list[Path]) -> str:
    """Return the licenses of all that the page hands on."""
    parts = [
        "Pyodide: Mozilla Public License 2.0; its source is at the address that its package names.\n"
    ]
    for file in sorted(modules.glob("**/LICENSE*")):
        name = file.parent.relative_to(modules).as_posix()
        if name.startswith(
            ("@codemirror/", "@lezer/", "@marijn/", "crelt", "style-mod", "w3c-keyname")
        ):
            parts.append(f"{name}\n\n{file.read_text(encoding='utf-8')}")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as packed:
            texts = [
                name
                for name in packed.namelist()
                if re.search(r"dist-info/.*(LICENSE|COPYING)", name)
            ]
            parts += [
                f"{wheel.name.split('-')[0]}\n\n{packed.read(name).decode()}" for name in texts
            ]
    return f"\n{'-' * 72}\n\n".join(parts)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
