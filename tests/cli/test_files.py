"""`.gitignore`, `.krmignore` and `--exclude`: git is the judge of the patterns."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from krm_fn.cli.files import find_files
from support import TIME_LIMIT, write

FILES = [
    "a.yaml",
    "b/a.yaml",
    "b/c/a.yaml",
    "b/c/x y.yaml",
    "docs/a.yaml",
    "d[1].yaml",
    "#e.yaml",
    "!f.yaml",
    "b/e.yaml",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(folder)], timeout=TIME_LIMIT, check=True)
    return write(folder, dict.fromkeys(FILES, "a: b\n"))


def kept_by_git(folder: Path) -> list[str]:
    argv = ["git", "-c", "core.quotePath=false", "ls-files", "-z", "--others", "--exclude-standard", "--", "*.yaml"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, timeout=TIME_LIMIT, check=True)
    return sorted(name for name in done.stdout.decode().split("\0") if name)


def kept(folder: Path, *exclude: str) -> list[str]:
    found = find_files([str(folder)], exclude)
    return sorted(Path(file.name).relative_to(folder).as_posix() for file in found)


PATTERNS = [
    pytest.param("a.yaml", id="a name at any depth"),
    pytest.param("a.yaml/", id="a folder that is a file"),
    pytest.param("b/*.yaml", id="a star stays in its folder"),
    pytest.param("*.yaml\n!a.yaml", id="a negation"),
    pytest.param("b/\n!b/a.yaml", id="no negation inside a folder that is left out"),
    pytest.param("b/*\n!b/a.yaml", id="a negation beside what is left out"),
    pytest.param("d\\[1].yaml", id="an escaped bracket"),
    pytest.param("[!a].yaml", id="a negated bracket"),
    pytest.param("[z-a]*", id="a range the wrong way round"),
    pytest.param("[a", id="a bracket that is not closed"),
    pytest.param("#e.yaml", id="a comment"),
    pytest.param("\\!f.yaml", id="an escaped exclamation mark"),
    pytest.param("a.yaml  ", id="blanks at the end"),
    pytest.param("x\\ y.yaml", id="an escaped blank"),
    pytest.param("**//", id="two slashes behind any folders"),
    pytest.param("a.yaml\\", id="a backslash at the end"),
    pytest.param("[]a].yaml", id="a bracket that holds one"),
    pytest.param("[!]a].yaml", id="a negated bracket that holds one"),
    pytest.param("[+-c].yaml", id="a range with a slash in it"),
    pytest.param("*a*a*.yaml", id="more stars than fit"),
    pytest.param("b/*\n!b/c/\nb/c/x*", id="a change of the sign between others"),
]


@pytest.mark.parametrize("lines", PATTERNS)
def test_git_leaves_out_the_same_files_and_so_do_an_exclude_and_a_krmignore(repository: Path, lines: str) -> None:
    (repository / ".gitignore").write_text(f"{lines}\n", encoding="utf-8")
    expected = kept_by_git(repository)
    assert kept(repository) == expected
    (repository / ".gitignore").unlink()
    assert kept(repository, *lines.split("\n")) == expected
    (repository / ".krmignore").write_text(f"{lines}\n", encoding="utf-8")
    assert kept(repository) == expected
    (repository / ".krmignore").unlink()


PARTS = st.one_of(
    st.just("**"),
    st.lists(st.sampled_from(["a", "b", "c", "*", ".yaml", "?", "x y", "[ab]", "[!a-b]", "\\b"]), max_size=4).map(
        "".join
    ),
).filter(lambda part: part == "**" or "**" not in part)
"""What is between two slashes. `**` beside other characters is left out: git before 2.41 compares addresses there."""
LINES = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "!", "/", "!/"]),
    st.lists(PARTS, max_size=4),
    st.sampled_from(["", "/"]),
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(patterns=st.lists(LINES, max_size=4))
def test_any_pattern_means_what_it_means_to_git(repository: Path, patterns: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(patterns) + "\n", encoding="utf-8")
    assert kept(repository) == kept_by_git(repository)


def test_rules_of_deeper_folders_and_of_folders_above_count(repository: Path) -> None:
    (repository / ".gitignore").write_text("a.yaml\n")
    (repository / "b/.gitignore").write_text("!a.yaml\n/c/x*\n")
    assert kept(repository) == kept_by_git(repository)
    below = find_files([str(repository / "b" / "c")], [])
    assert [Path(file.name).name for file in below] == ["a.yaml"]
    (repository / "b/.gitignore").unlink()
    below = find_files([str(repository / "b" / "c")], [])
    assert [file.name for file in below] == [str(repository / "b/c/x y.yaml")]


def test_many_stars_and_many_lines_take_no_time(tmp_path: Path) -> None:
    """One line tries each place once: as an expression with a choice at each star, this takes years."""
    (tmp_path / ("a" * 250)).write_text("")
    (tmp_path / f"{'a' * 240}.yaml").write_text("")
    (tmp_path / ".gitignore").write_text(f"{'*a' * 60}*b\n{'**/*a*/' * 40}b\n" * 100)
    assert len(find_files([str(tmp_path)], [])) == 1


TRACKED = [
    pytest.param("a.yaml", id="a file"),
    pytest.param("*.yaml", id="all files"),
    pytest.param("b/", id="a folder"),
    pytest.param("b/\n!b/a.yaml", id="a folder, with a negation inside"),
    pytest.param("/b/c", id="a folder below"),
    pytest.param("*\n!docs/", id="all but a folder"),
    pytest.param("docs/\nd*\n#e.yaml", id="what git does not track"),
]


@pytest.mark.parametrize("of_git", [(), ("--separate-git-dir", "../git")], ids=["a folder .git", "a file .git"])
@pytest.mark.parametrize("patterns", TRACKED)
def test_a_file_that_git_tracks_is_not_ignored(tmp_path: Path, patterns: str, of_git: tuple[str, ...]) -> None:
    tmp_path = tmp_path / "a"
    tmp_path.mkdir()
    subprocess.run(["git", "init", "-q", *of_git], cwd=tmp_path, timeout=TIME_LIMIT, check=True)
    write(tmp_path, dict.fromkeys(FILES, "a: b\n"))
    tracked = ["a.yaml", "b/a.yaml", "b/c/x y.yaml"]
    subprocess.run(["git", "add", *tracked], cwd=tmp_path, timeout=TIME_LIMIT, check=True)
    (tmp_path / ".gitignore").write_text(f"{patterns}\n")
    assert kept(tmp_path) == sorted({*kept_by_git(tmp_path), *tracked})
    assert kept(tmp_path, "*.yaml") == []


def test_an_ignore_file_of_kpt_leaves_out_what_git_tracks(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], timeout=TIME_LIMIT, check=True)
    write(tmp_path, {"a.yaml": "a: b\n", "b/a.yaml": "a: b\n", ".krmignore": "a.yaml\nb\n"})
    subprocess.run(["git", "add", "."], cwd=tmp_path, timeout=TIME_LIMIT, check=True)
    assert kept(tmp_path) == []


def test_a_folder_that_is_named_is_read_also_where_git_ignores_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], timeout=TIME_LIMIT, check=True)
    write(tmp_path, {"build/a.yaml": "a: b\n", ".gitignore": "build/\n"})
    assert kept(tmp_path) == []
    assert kept(tmp_path / "build") == ["a.yaml"]
