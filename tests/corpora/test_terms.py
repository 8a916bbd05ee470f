from __future__ import annotations

import doctest
import re
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portrayal.corpora import Term, read_terms, terms, terms_of
from portrayal.corpora.matching import MAX_CAPTION, groups, labels_sql
from portrayal.errors import CorpusError

CONNECTION = duckdb.connect()


def found(wanted: list[Term], caption: str | None) -> list[str]:
    """The names of the terms that SQL finds in a caption."""
    CONNECTION.execute("CREATE OR REPLACE TABLE t AS SELECT ?::VARCHAR AS caption", [caption])
    labels = CONNECTION.sql(f"SELECT {labels_sql(wanted)} FROM t").fetchall()[0][0]
    return sorted(wanted[label].name for label in labels or () if label >= 0)


# Validation


@pytest.mark.parametrize("name", ["", "  ", "-"])
def test_a_term_needs_words(name: str) -> None:
    with pytest.raises(CorpusError, match="no words to search for"):
        Term.of(name)


def test_a_term_stands_once() -> None:
    with pytest.raises(CorpusError, match="'nurse' is there twice"):
        terms_of(["nurse", "cook", "nurse"])
    with pytest.raises(CorpusError, match="no term"):
        terms_of([])


def test_a_file_of_terms(tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    file.write_text("# jobs\nnurse\n\nsalesperson: sales clerk, shop assistant # ours\n")
    nurse, seller = read_terms(file)
    assert nurse == Term("nurse", ("nurse", "nurses"))
    assert seller.forms == (
        "salesperson", "salespeople", "salespersons", "sales clerk", "shop assistant"
    )  # fmt: skip
    file.write_text("# nothing\n")
    with pytest.raises(CorpusError, match=r"jobs\.txt: contains no term"):
        read_terms(file)
    with pytest.raises(CorpusError, match=r"absent\.txt: cannot be read"):
        read_terms(tmp_path / "absent.txt")


# Known answers: the rules in the module's own words


def test_examples_in_the_module() -> None:
    assert doctest.testmod(terms).failed == 0


@pytest.mark.parametrize(
    ("term", "caption", "is_there"),
    [
        ("engineer", "a Software ENGINEER at work", True),
        ("engineer", "the engineer's desk", True),
        ("engineer", "engineer-in-chief", True),
        ("engineer", "Engineers, 1920", True),
        ("engineer", "engineering", False),
        ("engineer", "bioengineer", False),
        ("engineer", "engineer_2 engineer3", False),
        ("engineer", "éngineer engineeré", False),
        ("ngineer", "éngineer", False),
        ("engineer", "ingénieur/engineer", True),
        ("secretary", "two secretaries", True),
        ("waitress", "the waitresses", True),
        ("policewoman", "policewomen of Lyon", True),
        ("salesperson", "our salespeople", True),
        ("police officer", "Police-Officers on duty", True),
        ("police officer", "police\u00a0officer", True),
        ("police officer", "police  \n officer", True),
        ("police officer", "the police; an officer", False),
        ("CEO", "ceo of a firm", True),
        ("CEO", "CEOs meet", True),
        ("étudiant", "un ÉTUDIANT", True),
        ("étudiant", "x étudiante", False),
        ("c++ programmer", "a C++ programmer's desk", True),
        ("c++ programmer", "a C programmer", False),
        ("president", "vice president", True),
        ("cook", "", False),
    ],
)
def test_what_counts(term: str, caption: str, is_there: bool) -> None:
    assert found([Term.of(term)], caption) == ([term] if is_there else [])


def test_plurals_can_be_left_out() -> None:
    assert found([Term.of("nurse", plural=False)], "two nurses") == []


def test_terms_do_not_hide_each_other() -> None:
    wanted = list(
        terms_of(["programmer", "computer programmer", "school teacher", "teacher assistant"])
    )
    caption = "Computer programmers and a school teacher assistant"
    assert found(wanted, caption) == [
        "computer programmer", "programmer", "school teacher", "teacher assistant"
    ]  # fmt: skip
    assert found(list(terms_of(["nurse", "cook"])), "nurse cook nurse") == ["cook", "nurse"]
    shared = [Term("cook", ("cook",)), Term("kitchen", ("chef", "cook"))]
    assert found(shared, "a cook") == ["cook", "kitchen"]


def test_terms_with_a_common_word_are_apart() -> None:
    parted = groups(terms_of(["nurse", "officer", "police officer", "cook"]))
    assert parted == [[0, 1, 3], [2]]


def test_a_quote_is_no_way_out() -> None:
    wanted = [Term.of("o'hara"), Term.of("x'); DROP TABLE t; --")]
    assert found(wanted, "Miss O'Hara") == ["o'hara"]


def test_nothing_is_found_in_what_is_no_caption() -> None:
    wanted = [Term.of("nurse")]
    for caption in (None, "", " \n\t", "nurse " * MAX_CAPTION):
        assert found(wanted, caption) == []


# Agreement with an independent implementation


@given(
    st.lists(
        st.sampled_from(
            ["nurse", "Nurses", "NURSE", "xnurse", "é", "police", "officer", "officers", "cook",
             "cooks", "cookies", " ", "-", ",", "'s", "_", "\n", "7", "head cook"]
        ),
        max_size=12,
    )
)  # fmt: skip
def test_agrees_with_python(pieces: list[str]) -> None:
    """Python's expressions know Unicode's words; each term is asked for alone."""
    caption = "".join(pieces)
    wanted = list(terms_of(["nurse", "police officer", "officer", "cook", "head cook"]))
    gap = r"[\s\u00a0-]+"
    expected = []
    for term in wanted:
        forms = "|".join(gap.join(form.split()) for form in term.forms)
        if re.search(rf"(?<!\w)(?:{forms})(?!\w)", caption, re.IGNORECASE):
            expected.append(term.name)
    assert found(wanted, caption) == sorted(expected)
