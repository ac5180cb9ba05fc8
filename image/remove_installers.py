"""Remove pip, setuptools and ensurepip from the Python that runs this, the base of a virtual environment included.

The Dockerfile runs it in the last stage, with the Python of the image and not with a shell, which a distroless base
does not have. What it removes is still in the layers of the base, but no container of the image sees it.
"""

from __future__ import annotations

import shutil
import site
import sys
import sysconfig
from pathlib import Path

PACKAGES = (
    "pip",
    "setuptools",
    "pkg_resources",
    "_distutils_hack",
    "wheel",
    "ensurepip",
    "distutils-precedence.pth",
)
DISTRIBUTIONS = ("pip", "setuptools", "wheel")
DEBIAN_WHEELS = Path("/usr/share/python-wheels")
"""Where Debian's ensurepip has its wheels (package python3-pip-whl and its like)."""


def main() -> None:
    """Remove what an installer is made of from each folder of modules, and the commands beside the interpreter."""
    folders = [Path(sysconfig.get_path("stdlib"))]
    folders += [Path(folder) for folder in site.getsitepackages([sys.prefix, sys.base_prefix])]
    for folder in folders:
        for name in PACKAGES:
            remove(folder / name)
        for name in DISTRIBUTIONS:
            for path in [*folder.glob(f"{name}-*.dist-info"), *folder.glob(f"{name}-*.egg-info")]:
                remove(path)
    for prefix in (sys.prefix, sys.base_prefix):
        for path in Path(prefix, "bin").glob("pip*"):
            remove(path)
    remove(DEBIAN_WHEELS)
    remove(Path(__file__))


def remove(path: Path) -> None:
    """Remove a folder with all that is in it, or a file; what is not there is fine."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
