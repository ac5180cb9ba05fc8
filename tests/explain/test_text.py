"""The answer for a terminal: its sections, and what is folded where there is much of it."""

from __future__ import annotations

from explained import explained, fleet


def test_many_equal_clusters_are_one_row() -> None:
    text = explained(fleet(60))
    assert "\norg/c0, org/c1, org/c2 and 57 more\n  `http://proxy.corp.example:3128` control plane\n" in text
    assert "more: `--verbose` shows all, `--cluster NAME` those of one Cluster" in text
    assert "only for org/c1: " in text
    assert len(text.splitlines()) < 400


def test_verbose_names_everything() -> None:
    text = explained(fleet(20), "-v")
    for number in range(20):
        assert f"KubeadmControlPlane/org/c{number}-cp (" in text
    assert "`--verbose`" not in text


def test_programs_that_reach_a_host_in_the_wrong_way_are_named() -> None:
    """Without the ClusterIP in the list, programs that read no CIDR call the API server through the proxy."""
    spec = "  noProxyPolicy: {exclude: [10.96.0.1]}\n"
    (line,) = [line for line in explained(fleet(1, spec)).splitlines() if "the API server's ClusterIP" in line]
    assert "WRONG: " in line
    assert "curl" in explained(fleet(1, spec))
