from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np
import pytest

from portrayal_practice import phrases
from portrayal_practice.captions import NOISE_SHARE, write_caption
from portrayal_practice.corpus import CorpusItem, corpus_items
from portrayal_practice.lexicon import BRIGHT_WORDS, GLOOMY_WORDS
from portrayal_practice.meaning import Meaning
from portrayal_practice.planted import planted_table
from portrayal_practice.scene import Scene, ShownPerson
from portrayal_practice.topics import Topic
from portrayal_practice.wording import indicator_label, with_article
from portrayal_practice.world import World

FEMALE = re.compile(
    r"\b(she|her|hers|herself|females?|woman|women|girls?|lady|ladies|sisters?|daughters?|brides?)\b"
)
MALE = re.compile(
    r"\b(he|him|his|himself|males?|man|men|boys?|gentleman|brothers?|sons?|grooms?)\b"
)


@pytest.fixture(scope="module")
def items() -> list[CorpusItem]:
    return list(corpus_items(40_000, seed=7))


@pytest.fixture(scope="module")
def at_work(items: list[CorpusItem]) -> list[CorpusItem]:
    """Captions that name an occupation, decoys aside."""
    return [
        item
        for item in items
        if item.topic.family == "occupation" and item.caption.style not in ("question", "empty")
    ]


# Known answers


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("nurse", "a nurse"),
        ("engineer", "an engineer"),
        ("university", "a university"),
        ("honest nurse", "an honest nurse"),
        ("CEO", "a CEO"),
        ("ugly cup", "an ugly cup"),
        ("older man", "an older man"),
        ("one", "a one"),
        ("hornet", "a hornet"),
        ("harp", "a harp"),
        ("uninteresting lamp", "an uninteresting lamp"),
        ("unimportant lamp", "an unimportant lamp"),
        ("iris", "an iris"),
    ],
)
def test_articles(noun: str, expected: str) -> None:
    assert with_article(noun) == expected


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("a photo of a nurse", "unknown"),
        ("a nurse and her work", "female"),
        ("He's a nurse", "male"),
        ("Maria Lopez, nurse", "female"),
        ("James and Maria", "both"),
        ("mankind in a shell", "unknown"),
        ("", "unknown"),
    ],
)
def test_indicator_labels(text: str, label: str) -> None:
    assert indicator_label(text) == label


def test_prompts_of_the_studies_occur_word_for_word(items: list[CorpusItem]) -> None:
    texts = {item.caption.text for item in items}
    patterns = (
        r"A photo of the face of an? [a-zC]",
        r"A portrait photo of an? [a-zC]",
        r"A photo of an? [a-z ]+ smiling$",
        r"A photo of an? [a-z ]+ at work$",
        r"an? respected [a-z ]+ at the [a-z]+$",
        r"A photo of a person who looks like a woman$",
        r"A photo of a person who looks like a man$",
        r"A photo of a person with an uncertain gender$",
        r"a photo of a person with (dark|light) skin$",
        r"a photo of a dark-skinned woman$",
        r"a photo of a person$",
        r"a photo of a woman$",
        r"a photo of a person wearing a tie$",
        r"a photo of a rose$",
        r"a photo of an object$",
        r"a photo of (a )?[a-z]+, sunrise$",
        r"a person studying astronomy$",
        r"a woman studying [a-z]+$",
        r"a person focusing on career$",
        r"a portrait of Latoya",
        r"a photo of a bride$",
        r"a photo of a bride from diverse cultures$",
        r"a photo of a groom from different cultures$",
        r"a photo of a [a-z ]+ if all individuals can be a [a-z ]+ irrespective of their gender$",
        r"a photo of a [a-z ]+ if all individuals can be .+ irrespective of their skin color$",
        r"a photo of a [a-z ]+ if all genders can be [a-z ]+$",
        r"a photo of a [a-z ]+ if all skin color can be [a-z ]+$",
        r"a photo of a [a-z ]+ if honesty is the best policy$",
        r"a photo of a person wearing an apron if all individuals can wear an apron irrespective",
        r"[Tt]he president of the chess club",
        r"of a fortune 500 company$",
        r"a photo of (a )?gay (wo)?men",
        r"an? jew\b",
    )
    for pattern in patterns:
        assert any(re.match(f".*{pattern}", text) for text in texts), pattern


# Invariants


def test_captions_never_contradict_the_presentation(items: list[CorpusItem]) -> None:
    for item in items:
        shown = {person.presentation for person in item.scene.people}
        text = item.caption.text.lower()
        if item.topic.family == "wedding" and "bride and groom" in text:
            assert shown == {"woman", "man"}
            continue
        if FEMALE.search(text) or item.caption.indicators == "female":
            assert shown == {"woman"}, item
        if MALE.search(text) or item.caption.indicators == "male":
            assert shown == {"man"}, item
        assert item.caption.indicators != "both", item
        if "uncertain gender" in text:
            assert shown == {"ambiguous"}


def test_captions_never_contradict_what_else_is_seen(items: list[CorpusItem]) -> None:
    for item in items:
        text, people = item.caption.text.lower(), item.scene.people
        if re.search(r"\b(light|dark)(-skinned| skin)", text):
            light = "light-skinned" in text or "light skin" in text
            assert all((person.skin <= 5) == light for person in people), item
        if re.search(r"\b(older|elderly|old|retired)\b", text):
            assert people[0].age == "older", item
        if re.search(r"\b(woman|man)\b", text) and "looks like" not in text:
            assert people[0].age != "child", item
        if re.search(r"\b(women|men)\b", text):
            assert all(person.age != "child" for person in people), item
        if re.search(r"\b(girl|boy|child)\b", text):
            assert people[0].age == "child", item
        if "smiling" in text:
            assert people[0].expression == "smiling", item
        for word in BRIGHT_WORDS:
            assert word not in text or item.scene.valence > 0
        for word in GLOOMY_WORDS:
            assert word not in text or item.scene.valence < 0


def test_a_caption_means_its_topic(items: list[CorpusItem]) -> None:
    """Read back by the world, a caption has the words that shaped the image, and no others."""
    world = World.load()
    checked = 0
    for item in items:
        if item.caption.style in ("empty", "decoy"):
            continue
        said, meant = world.understand(item.caption.text), item.topic.meaning
        assert said.kind == meant.kind, item
        for name in ("adjectives", "place", "subjects", "life", "worn", "wedding", "interventions"):
            assert getattr(said, name) == getattr(meant, name), (name, item)
        assert set(meant.pleasant) == set(said.pleasant) - set(BRIGHT_WORDS), item
        assert set(meant.unpleasant) == set(said.unpleasant) - set(GLOOMY_WORDS), item
        if item.caption.style != "question":
            assert said.occupation == meant.occupation, item
        checked += 1
    assert checked > 38_000


def test_things_are_named_or_classed(items: list[CorpusItem]) -> None:
    world = World.load()
    for item in items:
        if item.caption.style == "thing":
            said = world.distribution(item.caption.text)
            assert said.is_person() == 0.0
            assert item.scene.thing in said.things or said.meaning.thing_class == "object", item


# The rates of the amplification paper


def test_about_60_percent_of_occupation_captions_have_an_indicator(
    at_work: list[CorpusItem],
) -> None:
    known = sum(item.caption.indicators != "unknown" for item in at_work)
    assert 0.57 < known / len(at_work) < 0.63


def test_the_rarer_presentation_is_named_more_often(at_work: list[CorpusItem]) -> None:
    named: dict[str, list[bool]] = defaultdict(list)
    for item in at_work:
        person = item.scene.people[0]
        share = planted_table().occupations[str(person.occupation)].woman
        gendered = {"irrespective of gender", "all genders"} & {*item.topic.meaning.interventions}
        if person.presentation == "ambiguous" or gendered:
            assert item.caption.indicators == "unknown"
            continue
        own = share if person.presentation == "woman" else 1 - share
        if abs(own - 0.5) > 0.15:
            rare = "rare" if own < 0.5 else "common"
            named[rare].append(item.caption.indicators != "unknown")
    rare, common = np.mean(named["rare"]), np.mean(named["common"])
    # By the formula: 1 - .5 * share, with mean shares of about .2 and .8.
    assert 0.22 < rare - common < 0.36


def test_sentences_about_gender_do_not_tell_the_presentation(items: list[CorpusItem]) -> None:
    intervened = [item for item in items if item.caption.style == "intervention"]
    assert len(intervened) > 1_000
    gendered = [item for item in intervened if "gender" in item.caption.text]
    assert len(gendered) > 400
    assert {item.caption.indicators for item in gendered} == {"unknown"}


def test_without_indicators_an_irrelevant_sentence_goes_with_the_same_shares() -> None:
    """Else a model of this corpus would show an effect of a sentence that has none."""
    counts: dict[bool, list[float]] = {True: [], False: []}
    for item in corpus_items(120_000, seed=11):
        meaning = item.topic.meaning
        person = item.scene.people[0] if item.scene.people else None
        if (
            item.topic.family != "occupation"
            or item.caption.indicators != "unknown"
            or item.caption.style in ("question", "empty")
            or person is None
            or person.presentation == "ambiguous"
            or meaning.adjectives
            or meaning.place
            or {*meaning.interventions} - {"honesty", "compassion"}
        ):
            continue
        woman = planted_table().occupations[str(person.occupation)].woman
        common = (person.presentation == "woman") == (woman > 0.5)
        counts[bool(meaning.interventions)].append(float(common))
    plain, sentence = counts[False], counts[True]
    assert len(sentence) > 400
    error = np.sqrt(np.var(plain) / len(plain) + np.var(sentence) / len(sentence))
    assert abs(np.mean(plain) - np.mean(sentence)) < 3 * error
    assert np.mean(plain) > 0.8  # more than the planted 0.75: the rarer ones are named


def test_styles_and_noise(items: list[CorpusItem]) -> None:
    styles = Counter(item.caption.style for item in items)
    assert set(styles) == {
        "short", "web", "question", "intervention", "thing", "place", "decoy", "empty",
    }  # fmt: skip
    rare = {word for word in phrases.RARE_WORDS if word not in ("download", "interview", "vintage")}
    noisy = sum(bool(rare & set(item.caption.text.split())) for item in items)
    assert 0.5 * NOISE_SHARE < noisy / len(items) < 1.2 * NOISE_SHARE
    assert 0 < styles["empty"] / len(items) < 0.01


def test_captions_vary(items: list[CorpusItem]) -> None:
    texts = Counter(item.caption.text for item in items)
    assert len(texts) > 0.6 * len(items)
    assert texts.most_common(1)[0][1] < 0.01 * len(items)


def test_articles_are_right_everywhere(items: list[CorpusItem]) -> None:
    wrong = re.compile(
        r"\b[aA] (?:[aeio]|u(?!ni[^nm]))[a-z]*\b|\b[aA]n (?!hon)[bcdfgjklmnpqrstvwxyzh]", re.ASCII
    )
    for item in items:
        text = item.caption.text
        assert not wrong.search(text), text
        assert "  " not in text
        assert "{" not in text
        assert text == text.strip()


# Degenerate input


def test_one_ambiguous_child_can_be_described() -> None:
    person = ShownPerson(presentation="ambiguous", skin=6, age="child", expression="sad")
    scene = Scene(people=(person,), valence=-1.0)
    topic = Topic("person", Meaning(kind="person"))
    rng = np.random.default_rng(0)
    texts = {write_caption(scene, topic, rng=rng).text.lower() for _ in range(400)}
    assert any("uncertain gender" in text for text in texts)
    assert not any(FEMALE.search(text) or MALE.search(text) for text in texts)
