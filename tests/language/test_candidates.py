"""Replacements from lists and from WordNet."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import small_wordnet

from portrayal.errors import LanguageError, MissingExtra
from portrayal.language.candidates import CandidateWords, WordNetWords, open_wordnet
from portrayal.language.parts_of_speech import coarse, open_tagger, same_part
from portrayal.language.transmuter import Draw

PROMPT = "A respected doctor at the hospital"
LISTS = {"respected": ["old", "busy"], "Doctor": ["nurse", "doctors", "engineer", "cook", "nurse"]}


def test_candidates_are_equally_probable_and_never_the_word_itself() -> None:
    own = CandidateWords(LISTS, choice="top")
    assert own.draw(PROMPT, [2], range(3), seed=0) == [
        Draw(f"A respected {word} at the hospital", 1 / 3) for word in ("nurse", "engineer", "cook")
    ]
    assert own.replaceable(PROMPT) == (1, 2)


def test_articles_follow_the_new_word() -> None:
    own = CandidateWords(LISTS, choice="top")
    texts = [draw.text for draw in own.draw(PROMPT, [1], range(2), seed=0)]
    assert texts == ["An old doctor at the hospital", "A busy doctor at the hospital"]
    both = CandidateWords({"a": ["the"], "respected": ["old"]})
    assert both.draw(PROMPT, [0, 1], range(1), seed=0)[0].text == "The old doctor at the hospital"


def test_pairs_are_independent_products() -> None:
    own = CandidateWords(LISTS)
    found = own.draw(PROMPT, [1, 2], range(1200), seed=0)
    counts = Counter(draw.text for draw in found)
    assert len(counts) == 6
    assert {draw.probability for draw in found} == {1 / 6}
    assert all(150 < n < 250 for n in counts.values())
    assert own.draw(PROMPT, [2, 1], range(7), seed=0) == found[:7]


def test_the_star_serves_other_words() -> None:
    own = CandidateWords({"doctor": ["nurse"], "*": ["some"]})
    assert own.replaceable(PROMPT) == (0, 1, 2, 3, 4, 5)
    assert own.draw(PROMPT, [4], range(1), seed=0)[0].text == "A respected doctor at some hospital"


def test_what_a_list_cannot_give() -> None:
    with pytest.raises(LanguageError, match=r"no candidates for 'hospital'; give some"):
        CandidateWords(LISTS).draw(PROMPT, [5], range(1), seed=0)
    with pytest.raises(LanguageError, match=r"the list gives 2 texts for 'respected', 3 are asked"):
        CandidateWords(LISTS, choice="top").draw(PROMPT, [1], range(3), seed=0)


def test_identity_is_the_list() -> None:
    one = CandidateWords(LISTS).identity
    assert CandidateWords(dict(reversed(LISTS.items()))).identity == one
    assert CandidateWords({**LISTS, "at": ["in"]}).identity != one


# --- WordNet -------------------------------------------------------------------------------------


@pytest.fixture
def wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    nltk = pytest.importorskip("nltk", reason="WordNet needs nltk")
    from nltk.corpus import LazyCorpusLoader
    from nltk.corpus.reader import WordNetCorpusReader

    small_wordnet.build(tmp_path)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    small = LazyCorpusLoader("wordnet", WordNetCorpusReader, None)
    monkeypatch.setattr(nltk.corpus, "wordnet", small)
    yield small
    for file in (*small._data_file_map.values(), small._key_count_file, small._key_synset_file):
        if file is not None:  # NLTK leaves its files open
            file.close()


@pytest.mark.filterwarnings("ignore:The multilingual functions are not available")
def test_wordnet_gives_synonyms_and_antonyms(wordnet: Any) -> None:
    both = WordNetWords(choice="top")
    assert both.candidates(PROMPT, 1) == ("esteemed", "despised")
    # "medical practitioner" is two words; "repair" is a synonym of the verb.
    assert both.candidates(PROMPT, 2) == ("physician", "repair")
    assert both.replaceable(PROMPT) == (1, 2, 5)
    assert open_wordnet(["antonyms"]).candidates(PROMPT, 1) == ("despised",)
    assert both.draw(PROMPT, [1], range(1), seed=0)[0].text == "An esteemed doctor at the hospital"
    assert both.identity.name == "WordNet 3.0"
    assert open_wordnet(avoid=["despise"]).candidates(PROMPT, 1) == ("esteemed",)
    assert both.identity != WordNetWords(["synonyms"], choice="top").identity


@pytest.mark.filterwarnings("ignore:The multilingual functions are not available")
def test_wordnet_keeps_a_noun_a_noun(wordnet: Any) -> None:
    class NoVerbs:
        name = "no verbs"

        def tag(self, words: Any) -> list[str]:
            return ["verb" if word == "repair" else "noun" for word in words]

    assert WordNetWords(tagger=NoVerbs()).candidates(PROMPT, 2) == ("physician",)


def test_absent_wordnet_says_the_command() -> None:
    pytest.importorskip("nltk")
    code = (
        "import nltk; nltk.data.path = []\n"
        "from portrayal.errors import LanguageError\n"
        "from portrayal.language.candidates import open_wordnet\n"
        "from portrayal.language.parts_of_speech import open_tagger\n"
        "for open in (open_wordnet, lambda: open_tagger('nltk')):\n"
        "    try: open()\n"
        "    except LanguageError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [
        "WordNet is not here; run: python -m nltk.downloader wordnet",
        "tagger nltk: its model is not here; "
        "run: python -m nltk.downloader averaged_perceptron_tagger_eng",
    ]


def test_absent_packages_say_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "spacy", None)
    for opened in (open_wordnet, lambda: open_tagger("nltk"), lambda: open_tagger("spacy:x")):
        with pytest.raises(MissingExtra, match=r'pip install "portrayal\[language\]"'):
            opened()


def test_an_unknown_tagger_is_refused() -> None:
    with pytest.raises(LanguageError, match="tagger is 'magic'; allowed: nltk, spacy:PIPELINE"):
        open_tagger("magic")


def test_parts_are_compared_coarsely_and_in_their_sentence() -> None:
    coarsely = {"NNS": "NN", "NN": "NN", "VBD": "VB", "DT": "DT", "JJR": "JJ"}
    assert {tag: coarse(tag) for tag in coarsely} == coarsely

    class Context:
        name = "after 'to' comes a verb"

        def tag(self, words: Any) -> list[str]:
            before = ["", *words]
            return ["verb" if previous == "to" else "noun" for previous in before[:-1]]

    assert same_part(Context(), "to doctor a doctor", 1, ["nurse", "heal"]).tolist() == [True, True]
