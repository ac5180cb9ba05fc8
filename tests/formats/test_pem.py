"""Certificates split and described, as openssl and Python read them."""

from __future__ import annotations

import subprocess

import pytest

from certificates import A, B
from krm_fn.formats import pem
from support import need


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----\n", [], id="no certificate"),
        pytest.param("-----BEGIN CERTIFICATE-----\nQUJD\n", [], id="one without an end"),
        pytest.param(A + B, [A, B], id="two"),
        pytest.param(A + B + A, [A, B], id="one that occurs twice"),
        pytest.param(f"# Root a\n{A}\n# Root b\n{B}# the end", [A, B], id="comments between them"),
        pytest.param(A.replace("\n", "\r\n  "), [A], id="other line breaks and blanks"),
    ],
)
def test_a_bundle_is_taken_apart(text: str, expected: list[str]) -> None:
    assert pem.split(text) == expected


@pytest.mark.parametrize("text", [A, B])
def test_a_certificate_is_reported_by_the_fingerprint_that_openssl_prints(text: str) -> None:
    command = [need("openssl"), "x509", "-noout", "-fingerprint", "-sha256"]
    printed = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    begin, _, end = pem.shown(text).rstrip("…").rpartition(" ")
    assert begin == "1 certificate, SHA-256"
    assert printed.strip().partition("=")[2].startswith(f"{end}:")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "0 certificates", id="none"),
        pytest.param(A + B, r"2 certificates, SHA-256 17:6A:89:E5:1A:77:B1:4B…, FB:15:CA:10:E8:04:5C:A8…", id="two"),
        pytest.param(
            "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----", "1 certificate, SHA-256 (not readable)"
        ),
    ],
)
def test_what_a_person_is_shown_instead_of_the_text(text: str, expected: str) -> None:
    assert pem.shown(text) == expected
