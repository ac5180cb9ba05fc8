"""Files that the command writes: who owns them, what they are linked to, and what others did to them meanwhile."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from krm_fn.cli.files import write_files as write_changes
from krm_fn.cli.selection import select
from krm_fn.errors import OutputError
from krm_fn.krm.manifests import ContentChange
from support import run

Contents = Mapping[str, bytes | None]


def write_files(contents: Contents, originals: Contents) -> None:
    changes = {name: ContentChange(originals[name], content) for name, content in contents.items()}
    write_changes(changes, before=lambda: None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.yaml"
    made.write_bytes(b"old")
    return made


def _named(folder: Path) -> list[str]:
    """What a run over the folder says that was left by one before."""
    lines = select([str(folder)], []).lines(verbose=False)
    return sorted(Path(line.split()[2]).name for line in lines if "left by a run that was ended" in line)


def _leftovers(file: Path) -> list[str]:
    return sorted(one.name for one in file.parent.iterdir() if one.name.startswith("."))


def test_mode_and_owner_stay(file: Path) -> None:
    file.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(file, 12345, 23456)
    before = file.stat()
    write_files({str(file): b"new"}, {str(file): b"old"})
    after = file.stat()
    assert file.read_bytes() == b"new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


def test_a_hard_link_stays_one(file: Path) -> None:
    other = file.with_name("b.yaml")
    os.link(file, other)
    write_files({str(file): b"new, and longer"}, {str(file): b"old"})
    write_files({str(file): b"n"}, {str(file): b"new, and longer"})
    assert other.read_bytes() == b"n"
    assert other.stat().st_ino == file.stat().st_ino


def test_a_file_of_two_names_is_written_once(file: Path) -> None:
    other = file.with_name("b.yaml")
    os.link(file, other)
    names = (str(file), str(other))
    write_files(dict.fromkeys(names, b"new"), dict.fromkeys(names, b"old"))
    assert (file.read_bytes(), other.read_bytes()) == (b"new", b"new")
    assert other.stat().st_ino == file.stat().st_ino


LINKS = {
    "a link": ("link.yaml", "a.yaml", b"old"),
    "a link to nothing": ("link.yaml", "nothing.yaml", None),
    "a folder that has become a link": ("link/a.yaml", ".", b"old"),
    "a new file in one": ("link/new.yaml", ".", None),
}


@pytest.mark.parametrize(("name", "target", "old"), LINKS.values(), ids=LINKS)
def test_a_link_that_was_none_when_read_is_not_followed(file: Path, name: str, target: str, old: bytes | None) -> None:
    path = file.parent / name
    (file.parent / name.partition("/")[0]).symlink_to(target)
    before = sorted(file.parent.iterdir())
    with pytest.raises(OutputError, match="link; nothing was written"):
        write_files({str(path): b"new"}, {str(path): old})
    assert (file.read_bytes(), sorted(file.parent.iterdir())) == (b"old", before)


@pytest.mark.parametrize(
    ("mode", "old", "says"),
    [
        pytest.param(0o444, b"old", "it is read-only; nothing was written", id="read-only"),
        pytest.param(0o644, b"older", "it has changed since it was read", id="what another program wrote meanwhile"),
        pytest.param(0o644, None, "it exists; nothing was written", id="one that is there by now"),
    ],
)
def test_a_file_is_not_replaced(file: Path, mode: int, old: bytes | None, says: str) -> None:
    file.chmod(mode)
    with pytest.raises(OutputError, match=says):
        write_files({str(file): b"new"}, {str(file): old})
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode), _leftovers(file)) == (b"old", mode, [])


# created and removed files


def test_a_file_is_created_and_removed(tmp_path: Path) -> None:
    made, gone = tmp_path / "new.yaml", tmp_path / "gone.yaml"
    gone.write_bytes(b"old")
    write_files({str(made): b"new", str(gone): None}, {str(made): None, str(gone): b"old"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"new.yaml": b"new"}
    umask = os.umask(0o022)
    os.umask(umask)
    assert stat.S_IMODE(made.stat().st_mode) == 0o666 & ~umask


# what goes wrong after the first file was written

STEPS = ["replaced", "hard links", "created", "removed"]


def _four_files(folder: Path) -> tuple[dict[str, bytes | None], dict[str, bytes | None]]:
    """One file for each way to write it: what they are to hold, and what they hold."""
    for name in ("replaced", "hard links", "removed"):
        (folder / name).write_bytes(f"old {name}".encode())
        (folder / name).chmod(0o640)
    (folder / "other").mkdir()
    os.link(folder / "hard links", folder / "other" / "link")
    before = {name: None if name == "created" else f"old {name}".encode() for name in STEPS}
    after = {name: None if name == "removed" else f"new content of {name}".encode() for name in STEPS}
    return (
        {str(folder / name): content for name, content in after.items()},
        {str(folder / name): content for name, content in before.items()},
    )


def _now(folder: Path) -> dict[str, bytes | None]:
    return {str(folder / name): (folder / name).read_bytes() if (folder / name).exists() else None for name in STEPS}


def test_an_error_gives_every_file_back_what_it_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents, originals = _four_files(tmp_path)
    last = tmp_path / "z"
    last.write_bytes(b"old")
    replace = Path.replace

    def fail(one: Path, target: Path) -> Path:
        if Path(target).name == "z":
            raise OSError(errno.EIO, "Input/output error")
        return replace(one, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OutputError, match='/z" cannot be written: Input/output error; nothing was written'):
        write_files({**contents, str(last): b"new"}, {**originals, str(last): b"old"})
    assert _now(tmp_path) == originals
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("replaced", "hard links", "removed")} == {0o640}
    assert (tmp_path / "other/link").read_bytes() == b"old hard links"
    assert _leftovers(last) == []


def test_what_cannot_be_given_back_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents, originals = _four_files(tmp_path)
    replace, write = Path.replace, Path.write_bytes

    def fail(one: Path, target: Path) -> Path:
        if Path(target).name == "created":
            raise OSError(errno.EIO, "Input/output error")
        return replace(one, target)

    def refuse(one: Path, content: bytes) -> int:
        if one.name == "hard links":
            raise OSError(errno.EIO, "Input/output error")
        return write(one, content)

    monkeypatch.setattr(Path, "replace", fail)
    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(OutputError, match=r"/hard links could not be restored"):
        write_files(contents, originals)
    assert (tmp_path / "replaced").read_bytes() == b"old replaced"


KILLED = """\
import os, pathlib, signal, sys
from krm_fn.krm.manifests import ContentChange
from krm_fn.cli.files import write_files
left = int(sys.argv[2])
def counted(function):
    def call(*args, **named):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return function(*args, **named)
    return call
for module, name in [(os, "fsync"), (os, "access"), (os, "chmod"),
                     (pathlib.Path, "replace"), (pathlib.Path, "unlink"), (pathlib.Path, "read_bytes"),
                     (pathlib.Path, "is_file"), (os, "open")]:
    setattr(module, name, counted(getattr(module, name)))
contents, originals = eval(sys.argv[1])
write_files({name: ContentChange(originals[name], new) for name, new in contents.items()}, before=lambda: None)
print("done")
"""
"""Ends itself by SIGKILL at the n-th call into the operating system."""


def test_a_killed_run_leaves_each_file_old_or_new(tmp_path: Path) -> None:
    seen = set()
    for calls in range(200):
        folder = tmp_path / str(calls)
        folder.mkdir()
        contents, originals = _four_files(folder)
        argv = [sys.executable, "-c", KILLED, repr((contents, originals)), str(calls)]
        done = run(argv)
        now = _now(folder)
        for name, content in now.items():
            assert content in (contents[name], originals[name]), f"{name} after {calls} calls"
        assert (folder / "other/link").read_bytes() == now[str(folder / "hard links")]
        seen.add(tuple(content == contents[name] for name, content in now.items()))
        if done.stdout == b"done\n":
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert _named(folder) == _leftovers(folder / "replaced")
        rest = {name: content for name, content in contents.items() if content != now[name]}
        write_files(rest, now)  # what it left does not hinder the next one
        assert _now(folder) == contents
    assert now == contents
    assert len(seen) == len(STEPS) + 1  # it was killed before and behind each of the writes


WRITES = """\
import sys
from krm_fn.krm.manifests import ContentChange
from krm_fn.cli.files import write_files
contents, originals = eval(sys.stdin.read())
write_files({name: ContentChange(originals[name], new) for name, new in contents.items()}, before=lambda: None)
"""


def test_a_disk_that_is_full_leaves_everything_as_it_was(tmp_path: Path) -> None:
    contents, originals = _four_files(tmp_path)
    big = {
        name: b"x" * 100_000 if content and name.endswith(("links", "replaced")) else content
        for name, content in contents.items()
    }
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n" + WRITES
    for wanted in (big, {name: content for name, content in big.items() if name.endswith("links")}):
        done = run([sys.executable, "-c", code], repr((wanted, originals)).encode())
        assert b"OutputError" in done.stderr
        assert b"File too large; nothing was written" in done.stderr
        assert (_now(tmp_path), _leftovers(tmp_path / "replaced")) == (originals, [])
