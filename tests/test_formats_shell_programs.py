"""Shell commands taken apart: what must come to an end, and what it gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.formats.shell_programs import LONGEST, programs


@pytest.mark.parametrize("blank", ["\u2028", "\u00a0", "\v", "\f", "\x85"])
def test_a_character_that_is_no_blank_for_a_shell_is_part_of_a_word(blank: str) -> None:
    assert [program.words for program in programs(f"a{blank}b {blank}")] == [(f"a{blank}b", blank)]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param("echo ${A} ${B", [("echo", "${A}", "${B")], id="a parameter that is not closed"),
        pytest.param("sudo -u root env A=b curl x", [("curl", "x")], id="programs that run each other"),
        pytest.param("if ! A=b curl x; then true; fi", [("curl", "x"), ("true",)], id="reserved words and assignments"),
        pytest.param("env " * 100 + "curl x", [], id="more programs that run each other than anyone writes"),
    ],
)
def test_the_words_of_each_program(command: str, words: list[tuple[str, ...]]) -> None:
    assert [program.words for program in programs(command)] == words


@given(st.text(alphabet="a1 \t\n\r'\"\\$`;&|<>(){}#=!\u2028", max_size=200))
def test_property_every_text_comes_to_an_end(text: str) -> None:
    assert all(isinstance(word, str) for program in programs(text) for word in program.words)


def test_a_text_that_is_too_long_is_not_read() -> None:
    assert programs("curl x " * LONGEST) == ()


@pytest.mark.parametrize("one_more", ['eval "$({})"', "eval $(eval {})", 'bash -c "`{}`"'])
def test_a_text_that_a_shell_makes_of_itself_is_not_read_again_for_each_level(one_more: str) -> None:
    text = "a;" * 100
    for _ in range(8):
        text = one_more.format(text)
    assert len(programs(text)) <= 7 * 100
