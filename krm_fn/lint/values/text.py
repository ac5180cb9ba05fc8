"""What can be wrong with the text of a list: its length, and what is between the entries.

Characters and bytes; what an entry means is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.krm.results import Severity
from krm_fn.noproxy.lint_rules import Problem, problem
from krm_fn.noproxy.model import Audience

LONGEST = 131_062
"""The longest value of NO_PROXY, in bytes, with which Linux starts a program (measured)."""

LONGEST_ON_NODES = 4_900
"""Cluster API takes 10240 characters for a file (``files[].content``), and a drop-in holds the list twice."""


def of_length(text: str, audience: Audience, max_length: int) -> Iterator[Problem]:
    """Yield NP026: the length of the value in bytes, against the limits of the formats that carry it."""
    length = len(text.encode(errors="surrogatepass"))
    limit = max_length or (LONGEST_ON_NODES if audience is Audience.NODE else LONGEST)
    if length > LONGEST:
        message = f"the list must not be longer than {LONGEST} bytes, but is {length}: Linux starts no program with it"
        yield problem("NP026", "", message, severity=Severity.ERROR)
    elif length > limit:
        why = (
            ""
            if max_length
            else ": Cluster API takes 10240 characters for a file that holds it twice"
        )
        yield problem(
            "NP026",
            "",
            f"the list must not be longer than {limit} bytes, but is {length}{why}; name domains",
        )


def of_spacing(text: str) -> Iterator[Problem]:
    """Yield NP010 and NP027: blanks beside commas, and commas with nothing between them."""
    parts = text.split(",")
    if any(part != part.strip() for part in parts):
        corrected = ",".join(part.strip() for part in parts)
        message = "the list must not hold blanks or line breaks beside its entries: wget, apt and curl miss them"
        yield problem("NP010", "", message, corrected=re.sub(",+", ",", corrected).strip(","))
    elif len(parts) > 1 and not all(parts):
        yield problem(
            "NP027",
            "",
            "the list must not hold empty entries",
            corrected=",".join(filter(None, parts)),
        )
