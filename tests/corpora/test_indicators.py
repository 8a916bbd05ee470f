from __future__ import annotations

import doctest
import importlib
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from caption_files import write

from portrayal.corpora import (
    Corpus,
    create_corpus,
    indicator_identity,
    indicators,
    label_set,
    shares_by_term,
    terms_of,
)
from portrayal.corpora.shares import correlation_sentence, indicator_correlation, read_shares
from portrayal.errors import CorpusError
from portrayal.language.names import Gender, ListedNames, NoNames
from portrayal.records import Identity
from portrayal.statistics.correlation import pearson_correlation
from portrayal_practice.corpus import corpus_items
from portrayal_practice.plugins import practice_names

JOBS = terms_of(["nurse", "engineer", "astronomer"])


class CountingNames(NoNames):
    """Counts the captions that it is asked about."""

    identity = Identity("names", "counting")

    def __init__(self) -> None:
        self.asked = 0

    def genders(self, captions: Sequence[str]) -> list[frozenset[Gender]]:
        self.asked += len(captions)
        return super().genders(captions)


# Known answers


@pytest.mark.parametrize(
    ("caption", "label"),
    [
        # Table 5 of the amplification paper; its names are a recogniser's work.
        ("Portrait of young woman programmer working at a computer", "female"),
        ("Tired young indian programmer almost sleeping at his desk", "male"),
        ("Female accountant very busy in office", "female"),
        ("Accountant managing manual bill monitoring tasks in his home office", "male"),
        ("Portrait of young male mechanic in bicycle store, Beijing", "male"),
        ("African american woman mechanic repairing a motorcycle", "female"),
        ("Attractive woman photographer taking images", "female"),
        ("U.S. Senator Kirsten Gillibrand (D-NY) pauses", "unknown"),
        # Words within words, apostrophes, hyphens, capitals.
        ("a manager of humans, the shepherd and mermaid", "unknown"),
        ("the WOMAN's desk", "female"),
        ("he’ll be a nurse", "male"),
        ("a male-dominated trade", "male"),
        ("ladies and gentlemen", "both"),
        ("a man and his daughter", "male"),
        ("gentlemens outfitter", "male"),
        ("", "unknown"),
    ],
)
def test_words(caption: str, label: str) -> None:
    assert indicators([caption], NoNames()) == [label]


def test_names_count_beside_words() -> None:
    names = ListedNames("two", male=["Omar"], female=["Ana"])
    captions = ["Ana, a nurse", "Ana and his brother", "omar at work", "Banana"]
    assert indicators(captions, names) == ["female", "both", "male", "unknown"]


def test_the_example_of_the_module() -> None:
    module = importlib.import_module("portrayal.corpora.group_indicators")
    assert doctest.testmod(module).failed == 0


def test_the_practice_corpus_is_labelled_as_it_was_written() -> None:
    """The writer of practice captions notes its own indicators; 5,000 of them agree."""
    items = list(corpus_items(5_000, seed=3))
    labels = indicators([item.caption.text for item in items], practice_names())
    assert labels == [item.caption.indicators for item in items]
    assert {"male", "female", "unknown"} <= set(labels)


# Sets


def test_labels_are_kept_with_the_recogniser(corpus: Corpus) -> None:
    found = corpus.search(JOBS, per_term=None)
    counting = CountingNames()
    first = label_set(found, counting)
    assert counting.asked == len(found)
    assert label_set(found, counting) == first
    assert counting.asked == len(found)
    named = label_set(found, practice_names())
    assert named.count("unknown") < first.count("unknown")
    folders = {path.name for path in (corpus.folder / "labels").iterdir()}
    assert len(folders) == 2


def test_who_recognises_is_part_of_the_identity() -> None:
    one, two = indicator_identity(NoNames()), indicator_identity(practice_names())
    assert one.digest != two.digest
    assert two.settings["names"]["name"] == "practice"


def test_shares_by_term(corpus: Corpus) -> None:
    found = corpus.search(JOBS, per_term=None)
    labels = label_set(found, practice_names())
    rows = shares_by_term(found.terms, found.table(["term"])["term"].to_pylist(), labels)
    nurse, _, nobody = rows
    own = [
        label
        for label, term in zip(labels, found.table(["term"])["term"].to_pylist(), strict=True)
        if term == "nurse"
    ]
    assert (nurse.male, nurse.female, nurse.both, nurse.unknown) == tuple(
        own.count(label) for label in ("male", "female", "both", "unknown")
    )
    assert nurse.n == len(own)
    assert nurse.share_female == (own.count("female") + own.count("both")) / len(own)
    assert nurse.low is not None
    assert nurse.high is not None
    assert nurse.low < nurse.share_female < nurse.high
    assert (nobody.n, nobody.share_female, nobody.low) == (0, None, None)


# Against shares of images


def test_correlation_with_what_is_shown(tmp_path: Path) -> None:
    captions = ["a nurse", "a nurse", "her nurse", "a cook", "her cook", "she is a pilot", "clerk"]
    corpus = create_corpus(tmp_path / "c", [write(tmp_path / "x.parquet", captions)])
    found = corpus.search(terms_of(["nurse", "cook", "pilot", "clerk", "mayor"]), per_term=None)
    rows = shares_by_term(
        found.terms, found.table(["term"])["term"].to_pylist(), label_set(found, NoNames())
    )
    file = tmp_path / "shown.csv"
    file.write_text("occupation,female\nnurse,90\ncook,50\npilot,10\n\nmayor,30\n")
    result = indicator_correlation(rows, read_shares(file))
    # 1/3, 1/2 and 1 of the captions against 90, 50 and 10 %; clerk and mayor lack one side.
    assert result.estimate == pytest.approx(-0.9608, abs=1e-4)
    assert (result.n, result.n_missing) == (3, 2)
    assert math.isnan(result.low)
    said = correlation_sentence(result, file)
    assert said.endswith("[no interval below 4 terms], p = 0.179; 3 of 5 terms have captions and "
                         "a share")  # fmt: skip


def test_a_correlation_that_is_none_says_why() -> None:
    file = Path("shown.csv")
    few = pearson_correlation([0.1, 0.2, math.nan], [0.3, 0.4, 0.5])
    assert correlation_sentence(few, file) == (
        "no correlation with shown.csv: 2 of 3 terms have captions and a share; wanted: 3 or more"
    )
    alike = pearson_correlation([0.1, 0.1, 0.1], [0.3, 0.4, 0.5])
    assert correlation_sentence(alike, file).endswith("; on one side they are all alike")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("term,share\nnurse,many\n", "row 2"),
        ("term,share\nnurse\n", "row 2"),
        ("term,share\nnurse,1\nnurse,2\n", "row 3: 'nurse' is there twice"),
        ("term,share\n", "has no rows"),
        ("term,share\nnurse,0.5\nnobody,1.7\n", "row 3: the share of 'nobody' is 1.7; allowed: 0"),
        ("term,share\nnurse,50\n\nnobody,170\n", "row 4: the share of 'nobody' is 170; allowed"),
        ("term,share\nnurse,0.9\ncook,14\n", "the share in row 2 is '0.9' beside '14' in row 3"),
        ("term,share\nnurse,90\ncook,0.14\n", "the share in row 3 is '0.14' beside '90' in row 2"),
        ("term,share\nnurse,-0.1\n", "row 2: the share of 'nurse' is -0.1; allowed"),
        ("term,share\nnurse,nan\n", "row 2: the share of 'nurse' is nan; allowed"),
        ("term,share\nnurse,inf\n", "row 2: the share of 'nurse' is inf; allowed"),
    ],
)
def test_tables_of_shares_that_are_none(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "shares.csv"
    file.write_text(text)
    with pytest.raises(CorpusError, match=f"shares.csv: .*{says}|shares.csv: {says}"):
        read_shares(file)
    with pytest.raises(CorpusError, match=r"absent\.csv: cannot be read"):
        read_shares(tmp_path / "absent.csv")
