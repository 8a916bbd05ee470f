from __future__ import annotations

import pytest

from portrayal.studies.wording import article, fields, fill, substitute, with_article


# Spellings and the article that English dictionaries give them.
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ant", "an"),
        ("flower", "a"),
        ("elementary school teacher", "an"),
        ("university lecturer", "a"),
        ("unicorn", "a"),
        ("uninvited guest", "an"),
        ("unidentified man", "an"),
        ("umpire", "an"),
        ("usher", "an"),
        ("user", "a"),
        ("ukulele", "a"),
        ("urban planner", "an"),
        ("European", "a"),
        ("ewe", "a"),
        ("one-armed man", "a"),
        ("onion", "an"),
        ("hour", "an"),
        ("honest man", "an"),
        ("heir", "an"),
        ("hornet", "a"),
        ("CEO", "a"),
        ("MRI technician", "an"),
        ("FBI agent", "an"),
        ("UN delegate", "a"),
        ("8-year-old", "an"),
        ("11-year-old", "an"),
        ("110-year-old", "a"),
        ("18-year-old", "an"),
        ("7-year-old", "a"),
        ("oboe", "an"),
        ("X", "a"),
    ],
)
def test_article_follows_the_first_sound(word: str, expected: str) -> None:
    assert article(word) == expected


def test_words_without_article() -> None:
    assert with_article("light-skinned women") == "light-skinned women"
    assert with_article("gay men") == "gay men"
    assert with_article("children") == "children"
    assert with_article("dynamite", bare=("dynamite",)) == "dynamite"
    assert with_article("the sun") == "the sun"
    assert with_article("an old man") == "an old man"
    assert with_article("theatre director") == "a theatre director"


def test_fill_puts_words_with_and_without_article() -> None:
    assert fill("a photo of {a stimulus}", {"stimulus": "ant"}) == "a photo of an ant"
    assert fill("a photo of {an stimulus}", {"stimulus": "rose"}) == "a photo of a rose"
    assert fill("a portrait of {stimulus}", {"stimulus": "Ann"}) == "a portrait of Ann"
    assert fill("{A x} with {a y}", {"x": "ant", "y": "rose"}) == "An ant with a rose"
    assert fill("a photo of {a s}", {"s": "flowers"}, bare=("flowers",)) == "a photo of flowers"


def test_fields_are_found_and_stray_braces_refused() -> None:
    assert fields("{a word} {job title}, {word}") == ("word", "job title", "word")
    for broken in ("a photo of {stimulus", "a photo of stimulus}", "{{x}}", "{}"):
        with pytest.raises(ValueError, match="brace has no partner"):
            fields(broken)


def test_a_value_with_braces_is_put_as_it_is() -> None:
    assert fill("{x}, {y}", {"x": "{y}", "y": "b"}) == "{y}, b"


def test_substitute_mends_the_article() -> None:
    assert substitute("a person studying math", "person", "woman") == "a woman studying math"
    assert substitute("a person studying math", "person", "aunt") == "an aunt studying math"
    assert substitute("An artist at work", "artist", "man") == "A man at work"
    assert substitute("one person reading", "person", "woman") == "one woman reading"
    assert substitute("a person reading", "person", "women") == "women reading"


def test_substitute_takes_whole_words_only() -> None:
    assert substitute("personal note of a person", "person", "man") == "personal note of a man"
    with pytest.raises(ValueError, match="lacks the placeholder word 'person'"):
        substitute("a personal note", "person", "man")
