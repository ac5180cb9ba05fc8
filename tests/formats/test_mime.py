"""Parts of MIME texts: Python's own parser is the judge of where they are and what they hold."""

from __future__ import annotations

import email

import pytest

from krm_fn.formats.mime import parts

HEAD = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary={}\n\n"
YAML = "Content-Type: application/node.eks.aws\n\nkind: NodeConfig\n"
SCRIPT = 'Content-Type: text/x-shellscript; charset="us-ascii"\nMIME-Version: 1.0\n\n#!/bin/sh\necho --B\n'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{HEAD.format('B')}--B\n{YAML}--B--\n", id="one part"),
        pytest.param(f"{HEAD.format(chr(34) + '//' + chr(34))}--//\n{SCRIPT}\n--//\n{YAML}\n--//--", id="two, quoted"),
        pytest.param(f"{HEAD.format('=_B=')}\npreamble\n--=_B=\n{YAML}--=_B=--\nepilogue\n", id="text around them"),
        pytest.param(f"{HEAD.format('B')}--B\n{YAML}--B--\n".replace("\n", "\r\n"), id="line breaks of Windows"),
        pytest.param(f"Content-Type: multipart/mixed; boundary=B\nMIME-Version: 1.0\n\n--B\n{YAML}--B--", id="turned"),
    ],
)
def test_a_part_holds_what_pythons_parser_reads(text: str) -> None:
    message = email.message_from_string(text)
    judged = [(one.get_content_type(), str(one.get_payload()).rstrip()) for one in message.get_payload()]  # type: ignore[union-attr]
    assert judged
    found = [*parts(text)]
    assert [text[one.start : one.end].rstrip() for one in found] == [body for _, body in judged]
    assert [one.is_plain("application/node.eks.aws") for one in found] == [
        content_type == "application/node.eks.aws" for content_type, _ in judged
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("#!/bin/sh\necho MIME-Version: 1.0\n", id="a script"),
        pytest.param("MIME-Version: 1.0\nContent-Type: text/plain\n\nx\n", id="no boundary"),
        pytest.param(HEAD.format("B"), id="no part"),
        pytest.param(f"{HEAD.format('B')}--B\n{YAML}", id="no end"),
        pytest.param(f"{HEAD.format('B')}--B\nkind: NodeConfig\n--B--", id="no headers"),
    ],
)
def test_what_is_none_has_no_parts(text: str) -> None:
    assert [*parts(text)] == []


def test_base64_is_not_plain() -> None:
    text = f"{HEAD.format('B')}--B\nContent-Transfer-Encoding: base64\n{YAML}--B--\n"
    (one,) = parts(text)
    assert not one.is_plain("application/node.eks.aws")
