"""What Trivy looks up of the SBOM of a release: `make judged` builds its reader.

test_release.py holds the fields that it reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support import need, run
from test_release import Repository, released

pytestmark = pytest.mark.judged
__all__ = ["released"]


def test_trivy_finds_in_the_sbom_what_it_looks_up(released: Repository, tmp_path: Path) -> None:
    """The system and the source packages: without them it looks for nothing, and says that it found nothing."""
    sbom = tmp_path / "sbom.json"
    sbom.write_bytes(released.made()["inject-proxy-0.2.0.cdx.json"])
    done = run([need("sbom-packages"), sbom])
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(done.stdout.decode().splitlines()) == [
        "debian 12",
        "debian expat 2.5.0-1",
        "debian glibc 1:2.36-9+deb12u1",
        "python-pkg attrs 26.1",
        "python-pkg inject-proxy 0.2.0",
        "python-pkg pyyaml 6.0",
    ]
