"""What `inject-proxy run` over a tree of files costs, beside `kustomize build` of the same tree.

Usage: folders.py [FILES ...]. Prints a table: CPU time and memory for trees of so many files with ten documents each,
where nothing applies and where 3 % of the documents change. kustomize compares each object with all others, so it
builds only trees of up to 100 files; without its program, or for more files, its columns are empty.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from processes import Cost, cost
from throughput import BYSTANDER, COMMAND, CONFIG, WORKERS

SIZES = (100, 1000, 10_000)
DOCUMENTS = 10
FOLDER = 100
"""So many files are in one folder."""

MOST_FOR_KUSTOMIZE = 100
KUSTOMIZE = Path(__file__).parents[1] / ".cache" / "bin" / "kustomize"
HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"


def plain(item: str) -> str:
    """Return an item of a list as a document."""
    return "".join(f"{line[2:]}\n" for line in item.splitlines())


def config() -> str:
    """Return the ProxyConfig as a document."""
    return "".join(f"{line[2:]}\n" for line in CONFIG.splitlines()[1:])


def document(number: int, changed: int) -> str:
    """Return a Deployment, or where ``changed`` of 100 documents change, for these a KubeadmConfigTemplate."""
    is_changed = number * changed % 100 < changed
    return plain(WORKERS if is_changed else BYSTANDER).replace("NUMBER", str(number))


def write_tree(folder: Path, files: int, changed: int) -> None:
    """Write a tree of manifests, each folder of which is a kustomization, and the ProxyConfig beside it."""
    (folder / "proxy.yaml").write_text(config())
    tree = folder / "tree"
    names = []
    for start in range(0, files, FOLDER):
        part = tree / f"part-{start // FOLDER:03}"
        part.mkdir(parents=True)
        inside = []
        for number in range(start, min(start + FOLDER, files)):
            documents = range(number * DOCUMENTS, (number + 1) * DOCUMENTS)
            text = "---\n".join(document(one, changed) for one in documents)
            (part / f"{number:05}.yaml").write_text(text)
            inside.append(f"{number:05}.yaml")
        write_kustomization(part, inside)
        names.append(part.name)
    write_kustomization(tree, names)


def write_kustomization(folder: Path, names: list[str]) -> None:
    (folder / "kustomization.yaml").write_text(HEAD + "".join(f"- {name}\n" for name in names))


def measured(files: int, changed: int) -> tuple[Cost, Cost | None]:
    """Return the costs of a build and of a run, which writes."""
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), files, changed)
        tree = f"{folder}/tree"
        ours = cost([COMMAND, "run", "--config", f"{folder}/proxy.yaml", tree])
        is_built = KUSTOMIZE.exists() and files <= MOST_FOR_KUSTOMIZE
        return ours, cost([KUSTOMIZE, "build", tree]) if is_built else None


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    print(
        f"{'files':>6} {'documents':>9} {'changed':>8} {'CPU time':>9} {'memory':>9} "
        f"{'kustomize build':>16} {'memory':>9} {'ratio':>6}"
    )
    for files in sizes:
        for changed in (0, 3):
            ours, theirs = measured(files, changed)
            row = f"{files:>6} {files * DOCUMENTS:>9} {changed:>6} % {ours.cpu:>7.2f} s {ours.memory // 2**20:>5} MiB"
            if theirs is not None:
                ratio = ours.cpu / theirs.cpu
                row += f" {theirs.cpu:>14.2f} s {theirs.memory // 2**20:>5} MiB {ratio:>6.2f}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
