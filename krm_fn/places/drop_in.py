"""The form of a drop-in of systemd that sets the six variables of a proxy."""

from __future__ import annotations

from krm_fn.formats.systemd_unit import form_of
from krm_fn.settings import PROXY_VARIABLES

DROP_IN = form_of(PROXY_VARIABLES)
"""What every place that holds a drop-in reads and writes."""
