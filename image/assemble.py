"""Copy what the function runs on, and nothing else, into a folder that becomes the root of its image.

The Dockerfile runs it in the build stage, with the Python of the environment that the function is
installed in. It copies the interpreter, its standard library, that environment, and the shared
libraries that they are linked with, each to the path where the base image has it. There is no
shell, no package manager and no installer among them.

Two runs on the same base give the same bytes: every file and folder gets the time of
``SOURCE_DATE_EPOCH`` (https://reproducible-builds.org/specs/source-date-epoch/), and compiled files
hold a hash in place of a time.

Usage: assemble.py FOLDER
"""

from __future__ import annotations

import compileall
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

UNUSED = {
    "__pycache__",
    "dist-packages",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "site-packages",
    "test",
    "tests",
    "tkinter",
    "turtledemo",
    "venv",
}
"""Folders of the standard library that nothing of ours imports."""
UNUSED_EXTENSIONS = re.compile(
    r"(_bz2|_crypt|_ctypes_test|_curses\w*|_dbm|_gdbm|_hashlib|_lzma|_sqlite3|_ssl|_test\w*|_tkinter|nis|ossaudiodev"
    r"|readline|xx\w*)\."
)
"""Compiled modules that bring libraries nobody needs: no network means no TLS, and `hashlib` has a
SHA-256 of its own."""
USERS = "root:x:0:0:root:/:/nonexistent\nnobody:x:65534:65534:nobody:/nonexistent:/nonexistent\n"
GROUPS = "root:x:0:\nnogroup:x:65534:\nnobody:x:65534:\n"
"""kustomize and kpt run a function as ``nobody``, by its name."""


def main(folder: str) -> None:
    """Write the root of the image into ``folder``."""
    root = Path(folder)
    root.mkdir()
    originals = list(runtime_files())
    for path in originals:
        place(path, root)
    libraries = sorted({library for path in originals for library in shared_libraries(path)})
    for path in libraries:
        place(path, root)
    for name in ("/etc/ld.so.cache", "/etc/os-release"):
        if Path(name).exists():
            place(Path(name), root)
    write(root / "etc/passwd", USERS)
    write(root / "etc/group", GROUPS)
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    compile_modules(root)
    record_packages([*originals, *libraries], root)
    set_times(root, int(os.environ.get("SOURCE_DATE_EPOCH", "0")))


def runtime_files() -> Iterator[Path]:
    """Yield the interpreter, the files of the standard library, and those of the environment that runs this."""
    prefix = Path(sys.prefix)
    yield Path(sys.executable)
    yield prefix / "pyvenv.cfg"
    yield from sorted(
        path for path in (prefix / "lib").rglob("*") if path.is_file() and usable(path, set())
    )
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*")):
        if path.is_file() and usable(path.relative_to(library), UNUSED):
            yield path


def usable(path: Path, unused: set[str]) -> bool:
    """Return whether a file is one that a run may read: no compiled file of another time, no static library."""
    if unused & set(path.parts[:-1]) or path.suffix in (".a", ".o", ".pyc"):
        return False
    return "lib-dynload" not in path.parts or UNUSED_EXTENSIONS.match(path.name) is None


def shared_libraries(path: Path) -> Iterator[Path]:
    """Yield the libraries that a program or an extension module is linked with, the dynamic loader included."""
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return
    listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=True).stdout
    if "not found" in listed:
        sys.exit(f"assemble: a library of {path} is missing:\n{listed}")
    for name in re.findall(r"(/\S+) \(0x", listed):
        yield Path(name)


def place(path: Path, root: Path) -> None:
    """Copy a file to its own path below ``root``, with each symbolic link on the way to it."""
    current = Path("/")
    for number, part in enumerate(path.parts[1:], start=2):
        current /= part
        copy = root / current.relative_to("/")
        if current.is_symlink():
            target = current.readlink()
            if not copy.is_symlink():
                copy.symlink_to(target)
            place(
                Path(os.path.normpath(current.parent.joinpath(target, *path.parts[number:]))), root
            )
            return
        if current.is_dir():
            copy.mkdir(exist_ok=True)
        elif not copy.exists():
            shutil.copy(current, copy)


def write(path: Path, text: str) -> None:
    """Write a file that the base does not have in this form."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def compile_modules(root: Path) -> None:
    """Compile every module, because nobody may write at run time."""
    for top in (Path(sys.prefix, "lib"), Path(sysconfig.get_path("stdlib"))):
        compiled = compileall.compile_dir(
            root / top.relative_to("/"),
            maxlevels=50,
            quiet=1,
            stripdir=str(root),
            prependdir="/",
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        if not compiled:
            sys.exit(f"assemble: a module of {top} cannot be compiled")


def record_packages(paths: list[Path], root: Path) -> None:
    """Record the Debian packages that files are from in ``/var/lib/dpkg/status.d``, one file each.

    Distroless images do so, and scanners and generators of an SBOM look there.
    """
    if shutil.which("dpkg-query") is None:
        return
    names: set[Path] = set()
    for path in paths:
        names |= {path, path.resolve(), without_usr(path.resolve())}
    search = ["dpkg-query", "--search", *sorted(map(str, names))]
    # It fails where a file is of no package, and prints the packages of the others.
    owners = subprocess.run(search, capture_output=True, text=True, check=False).stdout
    packages: set[str] = set()
    for line in owners.splitlines():
        if not line.startswith("diversion "):
            packages |= set(line.partition(": ")[0].split(", "))
    for package in sorted(packages):
        show = ["dpkg-query", "--status", package]
        status = subprocess.run(show, capture_output=True, text=True, check=True).stdout
        write(root / "var/lib/dpkg/status.d" / package.partition(":")[0], status)


def without_usr(path: Path) -> Path:
    """Return the path that a package of before the merge of /lib into /usr/lib may own a file by."""
    return Path("/", *path.parts[2:]) if path.parts[1:2] == ("usr",) else path


def set_times(root: Path, seconds: int) -> None:
    """Give everything below ``root`` one time."""
    for path in [*root.rglob("*"), root]:
        os.utime(path, (seconds, seconds), follow_symlinks=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
