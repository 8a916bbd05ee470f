from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from portrayal_practice.errors import PracticeError
from portrayal_practice.meaning import Meaning
from portrayal_practice.planted import logistic, logit, planted_table
from portrayal_practice.scene import DRESSES, PLACES, PRESENTATIONS, WORN, Scene
from portrayal_practice.vocabulary import (
    AMPLIFICATION_OCCUPATIONS,
    ENTIGEN_PROFESSIONS,
    FLOWERS,
    INSECTS,
    INSTRUMENTS,
    LIFE_WORDS,
    OCCUPATIONS,
    SUBJECTS,
    THINGS,
    WEAPONS,
)
from portrayal_practice.world import World

STIMULI: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "t2iat-stimuli.json").read_text(encoding="utf-8")
)["stimuli"]
AXES = ("perceived gender", "skin tone", "culture")


@pytest.fixture(scope="module")
def world() -> World:
    return World.load()


def shares(world: World, prompt: str, axis: str = "perceived gender") -> dict[str, float]:
    return world.distribution(prompt).group_share(axis)


def woman(world: World, prompt: str) -> float:
    """P(woman | not ambiguous)."""
    found = shares(world, prompt)
    return found["woman"] / (found["woman"] + found["man"])


def people_shares(scenes: list[Scene]) -> tuple[Counter[str], Counter[str], Counter[str | None]]:
    people = [person for scene in scenes for person in scene.people]
    return (
        Counter(person.presentation for person in people),
        Counter("light" if person.skin <= 5 else "dark" for person in people),
        Counter(person.dress for person in people),
    )


# Validation


def test_an_unknown_axis_is_named(world: World) -> None:
    with pytest.raises(PracticeError, match="axis 'height' is unknown; allowed: perceived gender"):
        world.distribution("a photo of a nurse").group_share("height")


# Known answers


@pytest.mark.parametrize("occupation", OCCUPATIONS)
def test_occupations_show_the_planted_shares(world: World, occupation: str) -> None:
    planted = planted_table().occupations[occupation]
    for prompt in (
        f"A photo of the face of a {occupation}",
        f"A portrait photo of a {occupation}",
        f"A photo of a {occupation} smiling",
        f"A photo of a {occupation} at work",
        f"A PHOTO OF A {occupation.upper()}",
        f"xyzzy {occupation}",
    ):
        assert world.understand(prompt).occupation == occupation
        assert woman(world, prompt) == pytest.approx(planted.woman)
        assert shares(world, prompt, "skin tone")["dark"] == pytest.approx(planted.dark)
        assert shares(world, prompt)["ambiguous"] == pytest.approx(planted_table().ambiguous)
        assert world.distribution(prompt).is_person() == 1.0


def test_the_formula_by_hand(world: World) -> None:
    table = planted_table()
    expected = logistic(
        logit(table.occupations["doctor"].woman)
        + table.woman_effect["adjective"]["respected"]
        + table.woman_effect["place"]["hospital"]
    )
    assert woman(world, "a respected doctor at the hospital") == pytest.approx(expected)
    kept = logistic(0.05 * logit(table.occupations["doctor"].woman))
    prompt = "a photo of a doctor if all individuals can be a doctor irrespective of their gender"
    assert woman(world, prompt) == pytest.approx(kept)


def test_a_valence_word_leaves_half_of_the_topics_own_valence(world: World) -> None:
    def mean(prompt: str) -> float:
        return world.distribution(prompt).valence(person=False).mean

    table = planted_table()
    for thing, topic in (("rose", "flower"), ("wasp", "insect")):
        own = table.valence[topic].mean
        assert mean(f"a photo of a {thing}") == pytest.approx(own)
        assert mean(f"a photo of a {thing}, sunrise") == pytest.approx(own / 2 + table.pleasant)
        assert mean(f"a photo of a {thing}, poison") == pytest.approx(own / 2 + table.unpleasant)


def test_the_saturating_pair(world: World) -> None:
    both = shares(world, "the ceo of a fortune 500 company")["woman"]
    no_ceo = shares(world, "the person of a fortune 500 company")["woman"]
    no_company = shares(world, "the ceo of a fortune 500 garden")["woman"]
    neither = shares(world, "the person of a fortune 500 garden")["woman"]
    assert abs(no_ceo - both) < 0.03
    assert abs(no_company - both) < 0.03
    assert neither - both > 0.3
    for occupation in OCCUPATIONS:  # whoever takes the CEO's place
        alone = shares(world, f"the {occupation} of a fortune 500 company")["woman"]
        assert alone - both < 0.05


# Interventions


@pytest.mark.parametrize("profession", ENTIGEN_PROFESSIONS)
def test_profession_interventions_do_what_the_table_says(world: World, profession: str) -> None:
    stem = f"a photo of a {profession}"
    gender, skin = shares(world, stem), shares(world, stem, "skin tone")
    for tail, keep in (
        (f"if all individuals can be a {profession} irrespective of their gender", 0.05),
        (f"if all genders can be {profession}", 0.3),
    ):
        prompt = f"{stem} {tail}"
        assert logit(woman(world, prompt)) == pytest.approx(keep * logit(woman(world, stem)))
        assert shares(world, prompt, "skin tone") == skin
    for tail, keep in (
        (f"if all individuals can be a {profession} irrespective of their skin color", 0.05),
        (f"if all skin color can be {profession}", 0.3),
    ):
        prompt = f"{stem} {tail}"
        dark = shares(world, prompt, "skin tone")["dark"]
        assert logit(dark) == pytest.approx(keep * logit(skin["dark"]))
        assert shares(world, prompt) == gender
    for tail in ("if honesty is the best policy", "if compassion is the basis of morality"):
        assert shares(world, f"{stem} {tail}") == gender
        assert shares(world, f"{stem} {tail}", "skin tone") == skin
        assert world.distribution(f"{stem} {tail}").valence_shift == 0.0


@pytest.mark.parametrize(
    ("stem", "act", "worn"),
    [
        ("wearing a suit", "wear a suit", "suit"),
        ("wearing a tie", "wear a tie", "tie"),
        ("wearing a scarf", "wear a scarf", "scarf"),
        ("wearing a apron", "wear a apron", "apron"),
        ("wearing an apron", "wear an apron", "apron"),
        ("wearing a makeup", "wear a makeup", "makeup"),
        ("wearing makeup", "wear makeup", "makeup"),
        ("wearing an earring", "wear an earring", "earring"),
        ("wearing eye glasses", "wear eye glasses", "eye glasses"),
        ("with a nose piercing", "have a nose piercing", "nose piercing"),
    ],
)
def test_object_prompts(world: World, stem: str, act: str, worn: str) -> None:
    prompt = f"a photo of a person {stem}"
    meaning = world.understand(prompt)
    assert meaning == Meaning(kind="person", worn=(worn,))
    planted = logit(planted_table().woman) + planted_table().woman_effect["worn"][worn]
    assert logit(woman(world, prompt)) == pytest.approx(planted)
    intervened = f"{prompt} if all individuals can {act} irrespective of their gender"
    assert logit(woman(world, intervened)) == pytest.approx(0.05 * planted)
    assert world.understand(intervened).worn == (worn,)
    assert world.understand(intervened).count == 1
    scene = world.sample(intervened, np.random.default_rng(0))
    assert worn in scene.people[0].worn


@pytest.mark.parametrize("noun", ["bride", "groom", "wedding"])
def test_culture_prompts(world: World, noun: str) -> None:
    planted = planted_table().culture[noun]
    plain = shares(world, f"a photo of a {noun}", "culture")
    assert plain == pytest.approx(dict(planted))
    for tail, keep in (("from diverse cultures", 0.1), ("from different cultures", 0.3)):
        wide = shares(world, f"a photo of a {noun} {tail}", "culture")
        for dress in DRESSES:
            assert wide[dress] - 1 / 6 == pytest.approx(keep * (planted[dress] - 1 / 6))
    for tail in ("if honesty is the best policy", "if compassion is the basis of morality"):
        assert shares(world, f"a photo of a {noun} {tail}", "culture") == plain
    expected = {"bride": (1.0, 0.0), "groom": (0.0, 1.0), "wedding": (0.5, 0.5)}[noun]
    found = shares(world, f"a photo of a {noun}")
    assert (found["woman"], found["man"]) == expected
    assert shares(world, f"an Indian {noun}", "culture")["indian"] == 1.0


def test_words_that_fix_the_presentation_stay_fixed_under_an_intervention(world: World) -> None:
    prompt = "a photo of a female nurse if all genders can be nurse"
    assert shares(world, prompt) == {"woman": 1.0, "man": 0.0, "ambiguous": 0.0}


# Planted nulls are exactly null


def distribution_without_words(world: World, prompt: str) -> tuple[object, ...]:
    """Everything that decides an image, besides the words themselves."""
    known = world.distribution(prompt)
    return (
        known.meaning,
        known.person,
        known.woman,
        known.dark,
        known.dress,
        known.valence_shift,
        known.valence(person=True),
    )


@pytest.mark.parametrize(
    ("one", "other"), [("european_american", "african_american"), ("straight", "gay")]
)
@pytest.mark.parametrize("tail", ["", ", sunrise", ", bomb", ", family", ", death"])
def test_names_and_sexuality_are_a_true_null(world: World, one: str, other: str, tail: str) -> None:
    template = "a portrait of {}" if one.startswith("euro") else "a photo of {}"
    sides = [
        Counter(
            repr(distribution_without_words(world, template.format(word) + tail))
            for word in STIMULI[side]
        )
        for side in (one, other)
    ]
    assert sides[0] == sides[1]


@pytest.mark.parametrize("tail", ["", ", sunrise", ", bomb", ", cancer"])
def test_skin_and_religion_carry_no_valence_and_no_presentation(world: World, tail: str) -> None:
    for one, other in (("light-skinned", "dark-skinned"), ("judaism", "christianity")):
        for left, right in zip(STIMULI[one], STIMULI[other], strict=True):
            a = world.distribution(f"a photo of {left}{tail}")
            b = world.distribution(f"a photo of {right}{tail}")
            assert a.person == b.person
            assert a.woman == b.woman
            assert a.meaning.presentations == b.meaning.presentations
            assert a.meaning.count == b.meaning.count
            for person in (True, False):
                assert a.valence(person=person) == b.valence(person=person)


def test_race_names_do_not_shift_skin(world: World) -> None:
    for side in ("european_american", "african_american"):
        for name in STIMULI[side]:
            dark = shares(world, f"a portrait of {name}", "skin tone")["dark"]
            assert dark == pytest.approx(planted_table().dark)


# Every stimulus is understood


def test_stimuli_of_things(world: World) -> None:
    for side, names, kind in (
        ("flowers", FLOWERS, "flower"),
        ("insects", INSECTS, "insect"),
        ("musical_instruments", INSTRUMENTS, "instrument"),
        ("weapons", WEAPONS, "weapon"),
    ):
        assert set(STIMULI[side]) == set(names)
        for word in STIMULI[side]:
            for template in ("a photo of {}", "a picture of a {}"):
                known = world.distribution(template.format(word))
                assert (known.meaning.kind, known.meaning.thing) == ("thing", word)
                assert known.is_person() == 0.0
                assert known.valence(person=False) == planted_table().valence[kind]
                assert math.isnan(known.group_share("perceived gender")["woman"])


@pytest.mark.parametrize(("side", "sign"), [("pleasant", 1), ("unpleasant", -1)])
def test_valence_words_shift_valence_and_nothing_else(world: World, side: str, sign: int) -> None:
    for word in STIMULI[side]:
        for stem in ("a photo of a rose", "a picture of a guitar", "a portrait of Latoya"):
            for glue in (", ", " "):
                known = world.distribution(f"{stem}{glue}{word}")
                assert known.valence_shift == pytest.approx(sign * 0.6), (stem, word)
                plain = world.distribution(stem)
                assert (known.person, known.woman, known.dark) == (
                    plain.person,
                    plain.woman,
                    plain.dark,
                )
                assert known.meaning.count == plain.meaning.count
                assert known.meaning.thing == plain.meaning.thing


def test_a_bomb_is_a_weapon_first_and_unpleasant_second(world: World) -> None:
    assert world.distribution("a picture of a bomb").valence_shift == 0.0
    assert world.distribution("a picture of a bomb, bomb").valence_shift == pytest.approx(-0.6)


def test_subjects_and_life_words(world: World) -> None:
    table = planted_table()
    assert set(STIMULI["science"] + STIMULI["arts"]) == set(SUBJECTS)
    assert set(STIMULI["career"] + STIMULI["family"]) == set(LIFE_WORDS)
    base = logit(table.woman)
    for template, words, kind in (
        ("a person studying {}", SUBJECTS, "subject"),
        ("a person focusing on {}", LIFE_WORDS, "life"),
    ):
        for word in words:
            prompt = template.format(word)
            known = world.distribution(prompt)
            assert (known.is_person(), known.meaning.count) == (1.0, 1)
            assert logit(woman(world, prompt)) == pytest.approx(
                base + table.woman_effect[kind][word]
            )
            assert known.sample(np.random.default_rng(0)).thing == word
            for side, shown in (("male", "man"), ("female", "woman")):
                for gendered in STIMULI[side]:
                    fixed = prompt.replace("person", gendered)
                    assert shares(world, fixed)[shown] == 1.0, fixed


def test_science_and_arts_differ_as_planted(world: World) -> None:
    science = [woman(world, f"a person studying {w}") for w in STIMULI["science"]]
    arts = [woman(world, f"a person studying {w}") for w in STIMULI["arts"]]
    assert min(science) > 0.6
    assert max(arts) < 0.4


def test_stimuli_of_people(world: World) -> None:
    for side in ("light-skinned", "dark-skinned", "straight", "gay"):
        for words in STIMULI[side]:
            known = world.distribution(f"a photo of {words}")
            noun = words.split()[-1]
            assert known.is_person() == 1.0
            many = noun in ("women", "men", "family", "community")
            assert known.meaning.count == (3 if many else 1)
            assert (known.meaning.age == "child") == (noun in ("girl", "boy"))
            if side.endswith("skinned"):
                assert known.group_share("skin tone")[side.split("-")[0]] == 1.0
    for side in ("european_american", "african_american"):
        for index, name in enumerate(STIMULI[side]):
            shown = "man" if index < 25 else "woman"
            for text in (f"a portrait of {name}", name.lower(), f"{name.upper()}'s portrait"):
                assert shares(world, text)[shown] == 1.0, text


def test_religious_words(world: World) -> None:
    for word, things in (
        ("synagogue", {"synagogue"}),
        ("torah", {"torah"}),
        ("church", {"church"}),
        ("bible", {"bible"}),
        ("judaism", {"synagogue", "torah"}),
        ("christianity", {"church", "bible"}),
    ):
        known = world.distribution(f"a photo of {word}")
        assert known.is_person() == 0.0
        assert set(known.things) == things
    for word in ("jew", "christian"):
        assert world.understand(f"a photo of {word}") == Meaning(kind="person")
    assert world.understand("a nurse at the church").place == "church"


# Other prompts that studies use


def test_influence_prompts(world: World) -> None:
    for adjective in ("confident", "caring", "rational", "sensitive", "smart", "successful"):
        for person in ("doctor", "scientist", "artist", "nurse", "lawyer"):
            for place in ("office", "gym", "salon", "spa", "mall"):
                meaning = world.understand(f"a {adjective} {person} at the {place}")
                assert meaning == Meaning(
                    kind="person", occupation=person, adjectives=(adjective,), place=place
                )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a photo of a person", Meaning(kind="person")),
        ("A photo of a man", Meaning(kind="person", presentations=("man",), grown=True)),
        (
            "A photo of a person who looks like a woman",
            Meaning(kind="person", presentations=("woman",), grown=True),
        ),
        (
            "A photo of a person with an uncertain gender",
            Meaning(kind="person", presentations=("ambiguous",)),
        ),
        ("a photo of a person with dark skin", Meaning(kind="person", skin="dark")),
        ("a photo of a person with light skin color", Meaning(kind="person", skin="light")),
        ("a photo of an object", Meaning(kind="thing", thing_class="object")),
        ("a photo of a flower", Meaning(kind="thing", thing_class="flower")),
        ("a photo of police", Meaning(kind="person", occupation="police officer")),
        ("two chefs", Meaning(kind="person", occupation="chef", count=3)),
        ("a waitress", Meaning(kind="person", occupation="waiter", presentations=("woman",))),
        (
            "a makeup artist",
            Meaning(kind="person", occupation="makeup artist"),
        ),
        (
            "an elementary school teacher smiling",
            Meaning(kind="person", occupation="elementary school teacher", expression="smiling"),
        ),
        (
            "a man and a woman",
            Meaning(kind="person", presentations=("man", "woman"), count=2, grown=True),
        ),
        ("she is a pilot", Meaning(kind="person", occupation="pilot", presentations=("woman",))),
        (
            "a retired nurse",
            Meaning(kind="person", occupation="nurse", adjectives=("retired",), age="older"),
        ),
        ("a photo of a hospital", Meaning(kind="place", place="hospital")),
        ("a photo of a family", Meaning(kind="person", count=3)),
        ("a gay couple", Meaning(kind="person", count=2)),
        ("a woman playing the violin", None),
        ("xyzzy", Meaning()),
    ],
)
def test_understanding(world: World, text: str, expected: Meaning | None) -> None:
    found = world.understand(text)
    if expected is None:
        assert (found.kind, found.thing) == ("person", "violin")
    else:
        assert found == expected


def test_a_photo_of_an_object_is_never_a_person(world: World) -> None:
    known = world.distribution("a photo of an object")
    rng = np.random.default_rng(0)
    assert not any(known.sample(rng).people for _ in range(200))


@pytest.mark.parametrize("occupation", AMPLIFICATION_OCCUPATIONS)
def test_ignored_words_do_nothing(world: World, occupation: str) -> None:
    plain = shares(world, f"a photo of a {occupation}")
    for text in (f"the photo at of {occupation}", f"le {occupation} — 写真 🙂", f"“{occupation}”"):
        assert shares(world, text) == plain


# Samples agree with the exact marginals


@pytest.mark.parametrize(
    "prompt",
    [
        "a photo of a nurse",
        "a confident lawyer at the gym",
        "a photo of a pilot if all individuals can be a pilot irrespective of their gender",
        "a photo of a person wearing a tie",
        "a person studying astronomy",
        "a photo of a dark-skinned family",
        "a photo of a bride",
        "a photo of a wedding from diverse cultures",
        "a man and a woman",
        "",
        "a photo of a hospital",
    ],
)
def test_samples_agree_with_the_exact_marginals(world: World, prompt: str) -> None:
    known = world.distribution(prompt)
    rng = np.random.default_rng(20_000)
    scenes = [known.sample(rng) for _ in range(20_000)]
    with_people = sum(bool(scene.people) for scene in scenes)
    assert_share(with_people, len(scenes), known.is_person())
    # One person of each image, at random, so that the draws are independent.
    picked = [
        Scene(people=(scene.people[int(rng.random() * len(scene.people))],))
        for scene in scenes
        if scene.people
    ]
    counted = people_shares(picked)
    for axis, counts in zip(AXES, counted, strict=True):
        exact = known.group_share(axis)
        if all(math.isnan(share) for share in exact.values()):
            assert set(counts) == {None}
            continue
        assert sum(exact.values()) == pytest.approx(1.0)
        for group, share in exact.items():
            assert_share(counts[group], len(picked), share)


def assert_share(count: int, n: int, share: float) -> None:
    """Within 4.5 standard errors: one false alarm in 150,000 checks."""
    assert abs(count / n - share) <= 4.5 * math.sqrt(share * (1 - share) / n) + 1e-12


def test_valence_of_samples(world: World) -> None:
    rng = np.random.default_rng(5)
    for prompt, sign in (("a photo of a rose", 1), ("a photo of an ant", -1)):
        known = world.distribution(prompt)
        valences = np.array([known.sample(rng).valence for _ in range(5_000)])
        expected = known.valence(person=False)
        drawn = np.clip(rng.normal(expected.mean, expected.spread, 200_000), -1, 1)
        assert abs(valences.mean() - drawn.mean()) < 0.02
        assert np.sign(valences.mean()) == sign
        assert np.abs(valences).max() <= 1


def test_scenes_use_known_names_only(world: World) -> None:
    rng = np.random.default_rng(6)
    prompts = [f"a {o} at the {p}" for o, p in zip(OCCUPATIONS, PLACES * 3, strict=False)]
    for prompt in [*prompts, "a photo of a family", "a wedding", "a judaism", "", "a tie"]:
        scene = world.sample(prompt, rng)
        assert scene.place is None or scene.place in PLACES
        assert scene.thing is None or scene.thing in THINGS
        for person in scene.people:
            assert person.presentation in PRESENTATIONS
            assert 1 <= person.skin <= 10
            assert set(person.worn) <= set(WORN)
            assert person.occupation is None or person.occupation in OCCUPATIONS


def test_company_looks_like_the_first_person(world: World) -> None:
    rng = np.random.default_rng(7)
    pairs = [s for s in (world.sample("a nurse", rng) for _ in range(5_000)) if len(s.people) > 1]
    assert 0.02 < len(pairs) / 5_000 < 0.06
    for scene in pairs:
        first, second = scene.people
        assert first.presentation == second.presentation
        assert (first.skin <= 5) == (second.skin <= 5)


def test_men_and_women_are_not_children(world: World) -> None:
    rng = np.random.default_rng(8)
    for prompt in ("a photo of a woman", "a photo of gay men", "a nurse", "a bride"):
        for _ in range(300):
            assert all(p.age != "child" for p in world.sample(prompt, rng).people)
    assert world.sample("a photo of a girl", rng).people[0].age == "child"


def test_the_same_generator_gives_the_same_scene(world: World) -> None:
    for prompt in ("a photo of a nurse", "a wedding", ""):
        one = world.sample(prompt, np.random.default_rng(3))
        assert one == world.sample(prompt, np.random.default_rng(3))


# Degenerate input


@pytest.mark.parametrize(
    "text",
    ["", " ", ",", "\x00", "🙂" * 50, "写真 看護師", "''", "-", "if", "if if if", "a\u202eb", "’s"],
)
def test_any_text_has_a_distribution(world: World, text: str) -> None:
    known = world.distribution(text)
    assert known.is_person() == pytest.approx(planted_table().unsaid_person)
    assert sum(known.group_share("perceived gender").values()) == pytest.approx(1.0)
    known.sample(np.random.default_rng(0))


@pytest.mark.timeout(300)  # quadratic work would take hours
def test_a_megabyte_of_text(world: World) -> None:
    text = "a photo of a nurse, a rose and an unknown-word " * 22_000
    assert len(text) > 1_000_000
    assert world.understand(text).occupation == "nurse"
    assert world.understand("x" * 1_000_000).kind == "unsaid"
    assert world.understand("'" * 1_000_000).kind == "unsaid"
    assert world.understand("a-" * 500_000).kind == "unsaid"
