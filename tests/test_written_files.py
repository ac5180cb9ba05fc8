"""Files that the command writes: who owns them, what they are linked to, and what others did to them meanwhile."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from krm_fn.cli._files import write_files
from krm_fn.errors import OutputError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.yaml"
    made.write_bytes(b"old")
    return made


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


def test_a_symbolic_link_stays_one(file: Path) -> None:
    link = file.with_name("link.yaml")
    link.symlink_to(file.name)
    write_files({str(link): b"new"}, {str(link): b"old"})
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_a_read_only_file_is_not_replaced(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(OutputError, match="it is read-only; nothing was written"):
        write_files({str(file): b"new"}, {str(file): b"old"})
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode), _leftovers(file)) == (b"old", 0o444, [])


def test_what_another_program_wrote_meanwhile_is_not_lost(file: Path) -> None:
    with pytest.raises(OutputError, match="it has changed since it was read"):
        write_files({str(file): b"new"}, {str(file): b"older"})
    assert (file.read_bytes(), _leftovers(file)) == (b"old", [])


def test_the_content_is_on_the_disk_before_it_has_the_name(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (done.append("fsync"), fsync(handle))[1])
    monkeypatch.setattr(Path, "replace", lambda one, to: (done.append("replace"), replace(one, to))[1])
    write_files({str(file): b"new"}, {str(file): b"old"})
    assert done == ["fsync", "replace", "fsync"]
