"""Run inject-proxy over the example config repository, show what it would change, and run it once more.

Nothing is written: the files are sent to the command as one ResourceList, and its answer is compared with them. The
list is put together and taken apart as text, so that each line of the diff is a line of the function's own output.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent / "config-repo"
COMMAND = Path(sys.executable).with_name("inject-proxy")
COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


def main() -> int:
    """Show the diff of a first run, then prove that a second one changes nothing; 0 if that is so."""
    before = {path: path.read_text() for path in sorted(REPOSITORY.rglob("*.yaml"))}
    after = inject(before)
    for path, text in before.items():
        show(
            difflib.unified_diff(
                text.splitlines(), after[path].splitlines(), *labels(path), lineterm=""
            )
        )
    untouched = sum(before[path] == after[path] for path in before)
    say(
        f"\n{len(before) - untouched} files change, {untouched} stay as they are, byte for byte. Once more:\n\n"
    )
    twice = inject(after) == after
    say(
        "\nA second run changes nothing.\n"
        if twice
        else "\nA second run must not change anything, but it did.\n"
    )
    return 0 if twice else 1


def inject(files: dict[Path, str]) -> dict[Path, str]:
    """The same files after one run of the command; what it says on stderr goes to the terminal."""
    items = [
        (path, document)
        for path, text in files.items()
        for document in re.split(r"(?m)^---\n", text)
    ]
    text = resource_list(document for _, document in items)
    done = subprocess.run([COMMAND], input=text, capture_output=True, text=True, check=False)  # noqa: S603 -- our own
    sys.stdout.flush()
    sys.stderr.write(done.stderr)
    if done.returncode:
        raise SystemExit(done.returncode)
    answer: dict[Path, list[str]] = {}
    for (path, _), document in zip(items, documents(done.stdout), strict=True):
        answer.setdefault(path, []).append(document)
    return {path: "---\n".join(parts) for path, parts in answer.items()}


def resource_list(items: Iterable[str]) -> str:
    """The documents as items of a ResourceList, each line of them indented by two blanks."""
    config = (HERE / "proxy.yaml").read_text()
    body = "".join(f"- {indented(item)[2:]}" for item in items)
    return f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{body}functionConfig:\n{indented(config)}"


def documents(resource_list: str) -> Iterator[str]:
    """The items of a list that ``resource_list`` made, as the documents they were."""
    body = re.split(r"(?m)^(?:functionConfig|results):", resource_list.split("\nitems:\n", 1)[1])[0]
    for item in re.split(r"(?m)^- ", body)[1:]:
        yield re.sub(r"(?m)^  ", "", item)


def indented(text: str) -> str:
    """Every line that is not empty, two blanks further in."""
    return re.sub(r"(?m)^(?=.)", "  ", text)


def labels(path: Path) -> tuple[str, str]:
    """The two names of a file in a diff."""
    name = path.relative_to(REPOSITORY).as_posix()
    return f"a/{name}", f"b/{name}"


def show(diff: Iterable[str]) -> None:
    """Write a diff, in colour where a person looks at a terminal."""
    coloured = sys.stdout.isatty()
    for line in diff:
        colour = COLOURS.get(line[:1], "") if coloured else ""
        say(f"{colour}{line}\x1b[0m\n" if colour else f"{line}\n")


def say(text: str) -> None:
    """Write to the terminal."""
    sys.stdout.write(text)


if __name__ == "__main__":
    raise SystemExit(main())
