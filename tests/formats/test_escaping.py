"""A value in each layer is read back as it was, by the program that reads it there."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges import shell_environment, systemd_environment
from krm_fn.formats import escaping

# fmt: off
HARD_PASSWORDS = [
    "p%40ss", "caf%C3%A9", 'a"b', "a\\b", "a'b", "a$b", "p%ss", "a%%b", "a%%%b", "a\\\\b", "a\\", "a$$b", "a$(id)b",
    "a`id`b", "a#b", "a;b", "a&b", "a|b", "~", "a*b", "{a,b}", "!x", "café", "日本", "𝄞", "%", "\\x41",
    "a b", " a", "a ",
]
# fmt: on
TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=40)


CHANCE = random.Random(20)  # noqa: S311 -- test data, not a secret
LETTERS = [*map(chr, range(0x20, 0x7F)), *"äé€日𝄞\u00a0\u2028"]
RANDOM = ["".join(CHANCE.choices(LETTERS, k=CHANCE.randint(1, 30))) for _ in range(200)]
JUDGED = {f"P{index}": value for index, value in enumerate([*HARD_PASSWORDS, *RANDOM])}


# systemd


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "\x00", "\x1b", "\x7f"])
def test_systemd_refuses_control_characters(value: str) -> None:
    with pytest.raises(ValueError):
        escaping.systemd(value)


def test_systemd_itself_reads_back_every_value() -> None:
    lines = [f'Environment="{name}={escaping.systemd(value)}"' for name, value in JUDGED.items()]
    read = systemd_environment("\n".join(["[Service]", *lines, ""]))
    assert {name: read.get(name) for name in JUDGED} == JUDGED


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"A=1" B=2 \'C=3 "x"\'', id="all three ways to quote"),
        pytest.param('A="x y" B=z', id="a quote may open inside a word"),
        pytest.param("A=a\\ b B=1", id="an escaped blank ends no word, but is no escape either"),
        pytest.param("A=\\q B=1", id="an unknown escape loses the rest of the line"),
        pytest.param('B=1 "A=1', id="an open quote loses the rest of the line"),
        pytest.param("A=\\x00", id="a NUL byte is refused"),
        pytest.param("A=p%4 B=1", id="an unknown specifier loses its own word only"),
        pytest.param("A=%-x%", id="a percent sign before no letter stays"),
        pytest.param('"A=a\'b"', id="the other quote means nothing inside quotes"),
        pytest.param("'A=a\\tb'", id="single quotes do not stop escapes"),
        pytest.param("A=a, b,c", id="a blank ends an unquoted value"),
        pytest.param("A=1 B", id="a word without an equals sign is no assignment"),
    ],
)
def test_our_reader_agrees_with_systemd_on_what_people_write(text: str) -> None:
    mine: dict[str, str] = {}
    for word in escaping.systemd_words(text):
        if word.value is None:
            break
        value = escaping.resolve_specifiers(word.value)
        if value is not None and "=" in value:
            mine[value.partition("=")[0]] = value.partition("=")[2]
    theirs = systemd_environment(f"[Service]\nEnvironment={text}\n")
    assert mine == {name: value for name, value in theirs.items() if name in "ABCX"}


@given(TEXT)
def test_our_reader_of_a_written_systemd_value_gives_back_the_value(value: str) -> None:
    (word,) = escaping.systemd_words(f'"P={escaping.systemd(value)}"')
    assert word.value is not None
    assert escaping.resolve_specifiers(word.value) == f"P={value}"


@given(st.text(max_size=40))
def test_systemd_words_never_raise_and_stand_where_they_say(line: str) -> None:
    words = escaping.systemd_words(line)
    assert all(word.start < word.end <= len(line) for word in words)
    assert (
        "".join(line[word.start : word.end] for word in words).split() == "".join(words_and_gaps(line, words)).split()
    )


def words_and_gaps(line: str, words: Sequence[escaping.QuotedWord]) -> list[str]:
    """The words, after a check that nothing but blanks stands between them."""
    at = 0
    for word in words:
        assert not line[at : word.start].strip(" \t\r\n\0")
        at = word.end
    assert not line[at:].strip(" \t\r\n\0")
    return [line[word.start : word.end] for word in words]


# shells


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_the_shells_themselves_read_back_every_value(shell: str) -> None:
    read = shell_environment(shell, [f"export {name}={escaping.shell(value)}" for name, value in JUDGED.items()])
    assert {name: read.get(name) for name in JUDGED} == JUDGED


@pytest.mark.parametrize("shell", ["dash", "bash"])
@pytest.mark.parametrize(
    "word",
    [
        "P=a",
        "P='a b'",
        'P="a b"',
        '"P=a"',
        'P="a\\$b"',
        'P="a\\b"',
        "P=a\\ b",
        "P='a'\"'\"'b'",
        "P=a#b",
        'P="a\\\nb"',
        "P=a\\\nb",
    ],
)
def test_our_reader_agrees_with_the_shells(shell: str, word: str) -> None:
    statements = escaping.shell_statements(f"export {word}")
    assert statements is not None
    assert statements[0][1].value == f"P={shell_environment(shell, [f'export {word}'])['P']}"


@pytest.mark.parametrize("word", ["P=$HOME", 'P="$HOME"', "P=`id`", "P=~", "P=*", "P={a,b}", 'P="a`id`"', 'P="\\\\$x"'])
def test_what_a_shell_would_expand_has_no_value(word: str) -> None:
    statements = escaping.shell_statements(f"export {word}")
    assert statements is not None
    assert statements[0][1].value is None


@pytest.mark.parametrize("command", ["a | b", "a > b", "a & b", "(a)", "a 'b", 'a "b', "$(a)", "a <b", "a || b"])
def test_what_is_more_than_simple_commands_is_not_read(command: str) -> None:
    assert escaping.shell_statements(command) is None


@pytest.mark.parametrize("joint", [";", " ; ", "&&", "\n", " # a comment; it is\n"])
def test_simple_commands_are_distinguished(joint: str) -> None:
    statements = escaping.shell_statements(f"export A=1{joint}export B=2")
    assert statements is not None
    assert [[word.value for word in words] for words in statements] == [["export", "A=1"], ["export", "B=2"]]


@given(TEXT)
def test_our_reader_of_a_written_shell_word_gives_back_the_value(value: str) -> None:
    statements = escaping.shell_statements(f"export P={escaping.shell(value)}")
    assert statements is not None
    assert statements[0][1].value == f"P={value}"


# URLs and Kubernetes


# the cases of kubernetes third_party/forked/golang/expansion/expand_test.go
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("", ""),
        ("a$b", "a$b"),
        ("$$", "$"),
        ("$$$", "$$"),
        ("a$", "a$"),
        ("$$(NAME)", "$(NAME)"),
        ("$$$$(NAME)", "$$(NAME)"),
        ("$(NAME", "$(NAME"),
        ("$NAME)", "$NAME)"),
        ("$(NAME)", None),
        ("x$$$(NAME)y", None),
        ("$()", None),
        (")$(NAME)", None),
    ],
)
def test_kubernetes_env_is_read_back(written: str, read: str | None) -> None:
    assert escaping.read_kubernetes_env(written) == read


@given(TEXT)
def test_property_kubernetes_env_is_undone(value: str) -> None:
    assert escaping.read_kubernetes_env(escaping.kubernetes_env(value)) == value
