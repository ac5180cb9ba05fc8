"""The kinds of Flux and Argo CD that install charts, and those that say which."""

from __future__ import annotations

HELM_RELEASE = ("helm.toolkit.fluxcd.io", "HelmRelease")
APPLICATION = ("argoproj.io", "Application")
FLUX_SOURCES = "source.toolkit.fluxcd.io"
# The kinds of objects that say which chart a HelmRelease installs, and where it is.
CHART_SOURCES = (
    (FLUX_SOURCES, "HelmRepository"),
    (FLUX_SOURCES, "OCIRepository"),
)
