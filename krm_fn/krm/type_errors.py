"""The finding about a field that has another type than it must have, the same for all targets.

The callers know which fields they read.
"""

from __future__ import annotations

from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer

_TYPE_NAMES = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a mapping",
}


def type_name(value: Any) -> str:
    """Return the name of a value's type for a message."""
    if value is None:
        return "null"
    return _TYPE_NAMES.get(type(value), "something else")


def wrong_type(path: Pointer, value: Any, wanted: str) -> Result:
    """Return the finding that a field has another type than it must have.

    It is an error because the API server rejects the object; a warning only where a template may yet fill in the rest.
    """
    subject = "the document"
    for token in path:
        if not token.isdigit():
            subject = f"`{token}`"
    if path and path[-1].isdigit():
        subject = f"an entry of {subject}"
    code, remedy = "CannotWrite", "correct it, or leave it out"
    if isinstance(value, str) and "${" in value:
        code = "TextUnreadable"
        remedy = "a later step fills it in, so inject-proxy leaves it as it is"
    message = f"{subject} must be {wanted}, not {type_name(value)}; {remedy}"
    return Result.of(code, message, path)
