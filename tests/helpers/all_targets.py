"""All targets by their IDs, in the order in which they edit one object."""

from krm_fn.target_table import ROWS
from krm_fn.targets import load_target

TARGETS = {name: load_target(name) for name in ROWS}
