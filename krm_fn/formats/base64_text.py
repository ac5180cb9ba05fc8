"""Texts in base64, as Secrets and files of nodes hold them."""

from __future__ import annotations

import base64


def encoded(text: str) -> str:
    """Return a text in base64, on one line."""
    return base64.b64encode(text.encode()).decode()


def decoded(text: str) -> str:
    """Return a text that is in base64, with any blanks and line breaks in it.

    Raises:
        ValueError: it is not base64, or not of a text in UTF-8.
    """
    return base64.b64decode("".join(text.split()), validate=True).decode()
