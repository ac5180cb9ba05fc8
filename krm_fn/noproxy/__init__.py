"""NO_PROXY: read the entries of a list, and compose a list.

A package that knows no object: which one gets a list is decided elsewhere.

    policy       entries with their reasons, who reads them, the policy of the user
    entries      one entry and its portable forms, lists as people write them
    styles       five ways to make a list
    composition  one list, each entry with its reasons
"""

from krm_fn.noproxy.entries import (
    holds,
    may_hold_a_credential,
    parse,
    why_wrong,
    why_wrong_pattern,
)
from krm_fn.noproxy.policy import (
    Audience,
    Entry,
    Origin,
    Policy,
    Readers,
    Style,
    join,
    united,
)

__all__ = [
    "Audience",
    "Entry",
    "Origin",
    "Policy",
    "Readers",
    "Style",
    "holds",
    "join",
    "may_hold_a_credential",
    "parse",
    "united",
    "why_wrong",
    "why_wrong_pattern",
]
