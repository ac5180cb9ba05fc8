"""Operations on the entries of NO_PROXY: parse, normalise, compose.

Which object gets the list is not known here. The names of what is derived are imported from ``model``.

    model        entries with reasons, the policy of the user
    entries      one entry and its portable forms
    texts        lists as people write them, and what is wrong with an entry
    providers    what each infrastructure must reach directly
    styles       five ways to make a list
    composition  one list, each entry with its reasons
"""

from krm_fn.noproxy.entries import holds, may_hold_a_credential
from krm_fn.noproxy.model import (
    Audience,
    Entry,
    Origin,
    Policy,
    Readers,
    Style,
    join,
    united,
)
from krm_fn.noproxy.texts import mistake, mistake_of_pattern, parse

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
    "mistake",
    "mistake_of_pattern",
    "parse",
    "united",
]
