"""Influence studies: words replaced in sets, texts drawn once and only ever extended."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from influence_worlds import requests_of
from portrayal.errors import LanguageError, StudyError
from portrayal.kinds.influence.drawing import draw_texts
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.kinds.influence.subsets import all_subsets, count_subsets, sampled_subsets
from portrayal.language import Draw
from portrayal.language.candidates import CandidateWords
from portrayal.records import Identity
from portrayal.studies.reading import builtin_studies, load_study, study_from_dict, study_from_toml

PROMPT = "a respected doctor at the hospital"
LISTS = (
    '{ respected = ["old", "busy"], doctor = ["nurse", "cook", "judge"], "*" = ["some", "this"] }'
)


def study(extra: str = "", *, prompt: str = PROMPT, candidates: str = LISTS) -> InfluenceStudy:
    text = f"""
        kind = "influence"
        axes = ["perceived gender"]
        prompts = [{{ text = "{prompt}" }}]
        {extra}
        [transmuter]
        by = "list"
        candidates = {candidates}
    """
    found = study_from_toml(text, source="words.toml", name="words")
    assert isinstance(found, InfluenceStudy)
    return found


# --- the paper's study ---------------------------------------------------------------------------


def test_the_large_scale_study_is_the_papers() -> None:
    """Section 3: 6 x 5 x 5 = 150 prompts "a [ADJECTIVE] [PERSON] at the [PLACE]"."""
    found = load_study("influence-large-scale")
    assert isinstance(found, InfluenceStudy)
    texts = [source.text for source in found.sources()]
    assert len(set(texts)) == 150
    assert "a confident doctor at the mall" in texts
    # 150 prompts, each with nothing and with one of six words replaced, 15 images each.
    assert found.cost() == (150 * 7, 150 * (1 + 6 * 15), 150 * 7 * 15)
    row = next(row for row in builtin_studies() if row.name == "influence-large-scale")
    assert (row.prompts, row.images) == (150 * 91, 150 * 105)


# --- sets and texts ------------------------------------------------------------------------------


def test_cost_is_known_before_and_holds_after() -> None:
    asked = study("level = 2\ndraws = 5\nimages = 3")
    sets = 1 + 6 + 15
    assert asked.cost() == (sets, 1 + 21 * 5, sets * 5 * 3)
    drawn = draw_texts(asked)
    assert drawn.cost() == asked.cost()
    assert sum(prompt.images for prompt in drawn.prompts()) == sets * 5 * 3
    assert drawn.prompts()[0].text == PROMPT
    assert drawn.prompts()[0].images == 15


def test_a_text_that_is_drawn_twice_wants_twice_the_images() -> None:
    drawn = draw_texts(study("draws = 9\nimages = 2"))
    times = Counter(one.text for word_set in drawn.plan()[0].sets for one in word_set.texts)
    wanted = {p.text: p.images for p in drawn.prompts() if p.factors["replaced"]}
    assert wanted == {text: 2 * n for text, n in times.items()}
    assert max(times.values()) > 1


def test_every_draw_has_seeds_of_its_own_and_all_sets_the_same() -> None:
    drawn = draw_texts(study("draws = 4\nimages = 3\nlevel = 2"))
    requests = requests_of(drawn)
    assert len(set(requests)) == len(requests) == drawn.cost().images
    seeds = [draw + 1000 * image for draw in range(4) for image in range(3)]
    texts = {p.text: p.factors["replaced"] for p in drawn.prompts()}
    by_set: dict[str, list[int]] = {}
    for request in requests:
        by_set.setdefault(texts[request.prompt], []).append(request.seed)
    assert len(by_set) == 22
    assert all(sorted(found) == sorted(seeds) for found in by_set.values())
    counts = Counter(request.prompt for request in requests)
    assert {p.text: p.images for p in drawn.prompts()} == dict(counts)


def test_prompts_share_texts_and_images() -> None:
    """Replacing doctor by nurse in one prompt gives the other prompt itself."""
    text = """
        kind = "influence"
        axes = ["perceived gender"]
        draws = 5
        images = 1
        template = "a {person} at work"
        factors = { person = ["doctor", "nurse"] }
        [transmuter]
        by = "list"
        candidates = { doctor = ["nurse"], nurse = ["doctor"] }
    """
    found = study_from_toml(text, source="x", name="x")
    assert isinstance(found, InfluenceStudy)
    drawn = draw_texts(found)
    assert drawn.cost().images == 2 * 2 * 5
    assert len(requests_of(drawn)) == 2 * 5
    assert {p.text: p.images for p in drawn.prompts()} == {
        "a doctor at work": 5,
        "a nurse at work": 5,
    }


def test_undrawn_studies_want_their_prompts_only() -> None:
    asked = study()
    assert not asked.is_drawn()
    assert [prompt.text for prompt in asked.prompts()] == [PROMPT]


def test_a_budget_counts_before_texts_are_drawn() -> None:
    """Seven sets of twelve texts with two images each are 168; the budget pays for 66 more."""
    asked = study("budget = 300\nimages = 2")
    assert sum(prompt.images for prompt in asked.prompts()) + asked.undrawn().images == 300


def test_on_the_way_to_its_images_a_study_has_that_part_of_its_budget() -> None:
    asked = study("budget = 600\nimages = 6")
    assert asked.at_stage(2).budget == 200
    assert asked.at_stage(6) == asked


def test_more_draws_levels_and_images_extend_what_is_stored() -> None:
    first = draw_texts(study("level = 1\ndraws = 4\nimages = 2"))
    more = draw_texts(study("level = 2\ndraws = 7\nimages = 3"), before=first)
    at_once = draw_texts(study("level = 2\ndraws = 7\nimages = 3"))
    assert more == at_once
    assert set(requests_of(first)) < set(requests_of(more))


def test_fewer_draws_keep_what_was_drawn() -> None:
    first = draw_texts(study("draws = 7"))
    fewer = draw_texts(study("draws = 3"), before=first)
    assert fewer.drawn == first.drawn
    assert [len(one.texts) for one in fewer.plan()[0].sets] == [0, 3, 3, 3, 3, 3, 3]
    assert draw_texts(study("draws = 7"), before=fewer) == first


def test_a_stored_study_needs_no_transmuter() -> None:
    class Gone:
        identity = Identity("list", "gone")

        def replaceable(self, prompt: str) -> tuple[int, ...]:
            raise AssertionError

        def draw(self, *args: Any, **options: Any) -> list[Draw]:
            raise AssertionError

    first = draw_texts(study())
    assert draw_texts(study(), before=first, transmuter=Gone()) == first
    with pytest.raises(StudyError, match="drawn by another transmuter"):
        draw_texts(study("draws = 20"), before=first, transmuter=Gone())


def test_a_study_survives_being_stored() -> None:
    drawn = draw_texts(study("level = 2\nsubsets = 14\ngroup = 'woman'"))
    assert study_from_dict(drawn.as_dict()) == drawn
    assert drawn.drawn is not None
    assert drawn.drawn.transmuter["kind"] == "candidates"


def test_other_replacements_under_the_same_name_are_refused() -> None:
    first = draw_texts(study())
    with pytest.raises(StudyError, match="words: transmuter differs from what the audit's texts"):
        draw_texts(study(candidates='{ "*" = ["x", "y"] }'), before=first)
    with pytest.raises(StudyError, match="words: seed differs from what"):
        draw_texts(study("seed = 1"), before=first)
    other = load_study("demo-occupations")
    with pytest.raises(StudyError, match="has a study of kind composition under this name"):
        draw_texts(study(), before=other)


def test_words_without_candidates_are_left_alone() -> None:
    drawn = draw_texts(
        study("level = 2\ndraws = 3", candidates='{ doctor = ["a", "b"], at = ["in"] }')
    )
    plan = drawn.plan()[0]
    assert plan.replaceable == (2, 3)
    assert [one.words for one in plan.sets] == [(), (2,), (3,), (2, 3)]
    with pytest.raises(LanguageError, match="has no replacement for any word; give candidates"):
        draw_texts(study(candidates='{ xyz = ["abc"] }'))


def test_top_texts_come_once_each() -> None:
    text = study("draws = 3").as_dict()
    text["transmuter"]["choice"] = "top"
    text["transmuter"]["candidates"]["*"] = ["some", "this", "no"]
    text["transmuter"]["candidates"]["respected"] = ["old", "busy", "kind"]
    top = study_from_dict(text)
    assert isinstance(top, InfluenceStudy)
    drawn = draw_texts(top, transmuter=CandidateWords(top.transmuter.candidates, choice="top"))
    for one in drawn.plan()[0].sets[1:]:
        assert len({drawn.text for drawn in one.texts}) == 3


# --- samples of sets -----------------------------------------------------------------------------


@given(st.integers(2, 9), st.data())
def test_samples_of_sets(n: int, data: st.DataObject) -> None:
    level = data.draw(st.integers(1, n))
    limit = data.draw(st.integers(1, 200))
    chosen = sampled_subsets(range(n), level, limit, seed=3)
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= set(all_subsets(range(n), level))
    assert {s for s in chosen if len(s) < 2} == set(all_subsets(range(n), 1))
    for size, word in itertools.product(range(2, level + 1), range(n)):
        sets = [subset for subset in chosen if len(subset) == size]
        assert any(word in subset for subset in sets)
        assert size == n or any(word not in subset for subset in sets)
    longer = sampled_subsets(range(n), level, limit + 17, seed=3)
    assert set(chosen) <= set(longer)
    if limit >= count_subsets(n, level):
        assert chosen == all_subsets(range(n), level)


def test_sampled_sets_are_alike_likely() -> None:
    """Over many seeds every pair of six words is as frequent as every other."""
    counts: Counter[tuple[int, ...]] = Counter()
    for seed in range(600):
        counts.update(s for s in sampled_subsets(range(6), 2, 13, seed=seed) if len(s) == 2)
    assert len(counts) == 15
    expected = sum(counts.values()) / 15
    assert all(abs(n - expected) < 5 * math.sqrt(expected) for n in counts.values())


def test_a_cap_samples_the_sets() -> None:
    asked = study("level = 3\nsubsets = 30")
    assert asked.plan()[0].sampled
    assert len(asked.plan()[0].sets) <= 30
    assert not study("level = 3\nsubsets = 42").plan()[0].sampled
    assert asked.cost().subsets == len(asked.plan()[0].sets)


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extra", "prompt", "message"),
    [
        ("level = 0", PROMPT, r"words\.toml: level is 0; it should be greater than or equal to 1"),
        ("level = 7", PROMPT, r"level is 7 for the prompt 'a resp.*'; allowed: 1 \.\.\. 6"),
        ("draws = 0", PROMPT, r"words\.toml: draws is 0; it should be greater"),
        ("", "...", r"prompt is '\.\.\.': it has no words; allowed: one word or more"),
        ("group = 'elf'", PROMPT, r"group is 'elf'; allowed: woman, man"),
        ("level = 20", "w " * 20, r"level 20 replaces 1,048,576 sets of words .* sample them with"),
    ],
)
def test_bad_studies_are_one_line(extra: str, prompt: str, message: str) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        study(extra, prompt=prompt.strip())
    assert "\n" not in str(caught.value)


def test_candidates_and_lists_go_together() -> None:
    for transmuter in ('by = "list"', 'candidates = { a = ["b"] }'):
        text = (
            f'kind = "influence"\naxes = ["perceived gender"]\nprompts = [{{ text = "{PROMPT}" }}]'
        )
        with pytest.raises(StudyError, match="candidates and by = 'list' go together"):
            study_from_toml(f"{text}\n[transmuter]\n{transmuter}", source="x.toml", name="x")


def test_no_texts_at_all_is_an_error() -> None:
    with pytest.raises(StudyError, match=r"texts per set of words is 0; allowed: 1 \.\.\. 1000"):
        study().with_draws(0)
    assert study().with_draws(5).cost().images == 7 * 5 * 2
