"""NO_PROXY: read the entries of a list, and compose a list.

A package that knows no object: which one gets a list is decided elsewhere.

    entries      one entry and its portable forms, lists as people write them, entries with their reasons
    policy       the policy of the user, who reads a list, the groups of each style
    composition  one list, each entry with its reasons
"""

from krm_fn.noproxy.entries import (
    Entry,
    Origin,
    holds,
    join,
    may_hold_a_credential,
    parse,
    united,
    why_wrong,
    why_wrong_pattern,
)
from krm_fn.noproxy.policy import Audience, Policy, Readers, Style
