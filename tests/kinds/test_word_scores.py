"""Word influence from counted images: the paper's numbers, the practice world's truth."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from influence_worlds import (
    asked,
    requests_of,
    scored,
)
from portrayal.kinds.influence.allocation import allocate, draw_variances
from portrayal.kinds.influence.drawing import draw_texts
from portrayal.kinds.influence.schema import DrawnText, PromptPlan, WordSet
from portrayal.kinds.influence.subsets import all_subsets
from portrayal.kinds.influence.suggestions import Rewrite, suggest
from portrayal.kinds.influence.tables import pairs_table, replacement_table, table_one, words_part
from portrayal.kinds.influence.verdicts import lack, undecided, verdicts
from portrayal.kinds.influence.word_averages import factor_averages, words_of_level
from portrayal.kinds.influence.word_scores import SHAPLEY, PromptScores
from portrayal.kinds.influence.word_sets import PromptCounts, SetCounts, count_prompt
from portrayal.records import Prompt
from portrayal.statistics import benjamini_hochberg, unplanned_looks

DOCTOR = "a respected doctor at the hospital"


def counted(
    prompt: str, tables: dict[tuple[int, ...], Any], answers: tuple[str, ...], **factors: str
) -> PromptCounts:
    words = tuple(prompt.split())
    sets = {
        key: SetCounts(key, np.atleast_2d(np.array(table, dtype=np.int64)), 0, 0)
        for key, table in tables.items()
    }
    plans = tuple(
        WordSet(
            key,
            len(one.table),
            tuple(DrawnText(f"{prompt} {i}", 0.1) for i in range(len(one.table))),
        )
        for key, one in sets.items()
    )
    source = Prompt(prompt, factors, 1)
    plan = PromptPlan(source, words, tuple(range(len(words))), plans, False)
    return PromptCounts(plan, answers, sets)


ANSWERS = ("woman", "man", "unknown")


def hits(women: int, n: int) -> list[list[int]]:
    """n texts of one image each, of which so many show a woman."""
    return [[1, 0, 0]] * women + [[0, 1, 0]] * (n - women)


# --- the paper -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def paper() -> PromptScores:
    """Table 1: 4 of 25 for the prompt; 2, 4, 8, 3, 3, 0 of 15 with each word replaced."""
    tables: dict[tuple[int, ...], Any] = {(): [[4, 21, 0]]}
    for word, women in enumerate((2, 4, 8, 3, 3, 0)):
        tables[word,] = hits(women, 15)
    return scored(counted(DOCTOR, tables, ("female", "male", "unknown")))


def test_table_one_is_the_papers(paper: PromptScores) -> None:
    """The paper's influences speak of male: P(female | replaced) - P(female)."""
    table = table_one(paper, "sex", None)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [row["prompt"] for row in rows][:3] == [
        "original prompt", "prompt without “a”", "prompt without “respected”"
    ]  # fmt: skip
    printed = [0.160, 0.133, 0.267, 0.533, 0.200, 0.200, 0.000]
    assert [round(row["share of female"], 3) for row in rows] == printed
    towards_male = [-0.027, 0.107, 0.373, 0.040, 0.040, -0.160]
    assert [round(row["influence towards male"], 3) for row in rows[1:]] == towards_male
    assert [round(row["influence towards female"], 3) for row in rows[1:]] == [
        -value for value in towards_male
    ]
    assert [row["images"] for row in rows] == [25, 15, 15, 15, 15, 15, 15]


def test_only_doctor_is_clear_in_the_paper(paper: PromptScores) -> None:
    main = paper.main
    assert main is not None
    assert [main.of(word, 1).is_clear for word in range(6)] == [
        False, False, True, False, False, False
    ]  # fmt: skip
    assert main.of(2, 1).p < 0.05 < main.of(1, 1).p
    assert main.leads[:, 1].argmax() == 2
    assert main.leads[2, 1] > 0.7
    # Theorem 1 with 15 independent images is far wider, and holds for any model.
    assert main.margin > (main.high - main.low).max() / 2


def test_the_papers_own_images_are_too_few_to_name_a_word(paper: PromptScores) -> None:
    """8 of 15 against 4 of 25, one of six words: q is above 5%."""
    assert suggest(paper, 0).startswith("No word clearly moves the share of female from 16%")
    assert {one.kind for one in verdicts(paper, 0).values()} == {"undecided"}
    assert 0.05 < verdicts(paper, 0)[2].q < 0.2


def test_a_word_is_named_only_where_it_can_be_with_all_looks_counted() -> None:
    tables = {(): [[20, 28, 0]], (0,): [[8, 40, 0]] + [[0, 1, 0]] * 11, (1,): hits(24, 24)}
    scores = scored(counted("two words", tables, ANSWERS))
    looked = replace(scores, looks=(60, 120))
    first, second = verdicts(scores, 0), verdicts(looked, 0)
    assert [first[0].kind, first[1].kind] == ["towards", "away"]
    assert [second[0].kind, second[1].kind] == ["undecided", "away"]
    assert scores.main is not None
    p = [unplanned_looks([np.nan, one], [60, 120]).p_value for one in scores.main.p_beyond[:, 0]]
    assert [second[0].q, second[1].q] == pytest.approx(benjamini_hochberg(p).tolist())
    assert suggest(scores, 0, target=0.2).startswith("Change “two”")
    assert suggest(looked, 0, target=0.2).startswith("No word clearly")


def test_two_texts_are_too_few_to_say() -> None:
    tables = {(): [[0, 24, 0]], (0,): [[12, 0, 0]] * 2, (1,): hits(0, 24)}
    scores = scored(counted("two words", tables, ("woman", "man", "unknown")))
    assert [one.kind for one in verdicts(scores, 0).values()] == ["too few texts", "undecided"]
    assert suggest(scores, 0) == (
        "Too few texts or images to say anything about “two”; ask for more."
    )


@pytest.mark.parametrize(("draws", "kind"), [(30, "towards"), (8, "too few texts")])
def test_one_text_drawn_again_and_again_says_little_about_others(draws: int, kind: str) -> None:
    """With n draws all alike, other texts have a probability of up to 3 / n."""
    counts = counted("word", {(): [[20, 20, 0]], (0,): [[0, 4, 0]] * draws}, ANSWERS)
    assert verdicts(scored(counts), 0)[0].is_named, "texts that differ"
    original, replaced = counts.plan.sets
    same = (DrawnText("other", 1.0),) * draws
    plan = replace(counts.plan, sets=(original, replace(replaced, texts=same)))
    alike = scored(replace(counts, plan=plan))
    assert verdicts(alike, 0)[0].kind == kind
    # The lower bound is about 0.3: 3 / 30 below it is still over 5 points, 3 / 8 is not.
    assert (alike.main is not None and alike.main.of(0, 0).low - 3 / draws > 0.05) == (draws == 30)


def test_of_two_words_the_one_that_ends_closest_to_even_is_named() -> None:
    """Replacing the first overshoots to 5%, replacing the second ends at 55%."""
    tables = {(): [[76, 24, 0]], (0,): hits(5, 100), (1,): hits(55, 100)}
    scores = scored(counted("two words", tables, ("woman", "man", "unknown")))
    assert suggest(scores, 0).startswith(
        "Change “words”: replacing it lowers the share of women from 76% to 55%"
    )


def test_a_change_past_even_says_so() -> None:
    tables = {(): [[64, 36, 0]], (0,): hits(5, 100), (1,): hits(64, 100)}
    scores = scored(counted("two words", tables, ("woman", "man", "unknown")))
    assert suggest(scores, 0).startswith(
        "Change “two”: replacing it lowers the share of women from 64% to 5% on average, past "
        "even; choose the word with care"
    )


# --- invariants ----------------------------------------------------------------------------------


def test_scores_of_all_answers_add_up_to_zero(paper: PromptScores) -> None:
    for level in paper.levels:
        assert np.allclose(level.scores.sum(axis=1), 0)


def test_shapley_values_add_up_to_the_whole_change() -> None:
    """With both words replaced the share falls from .9 to .1; each word has half of it."""
    tables = {(): [[18, 2, 0]], (0,): hits(10, 20), (1,): hits(10, 20), (0, 1): hits(2, 20)}
    scores = scored(counted("two words", tables, ("woman", "man", "unknown")), level=2)
    assert [one.level for one in scores.levels] == [1, 2, SHAPLEY]
    shapley = scores.levels[-1]
    assert shapley.name == "Shapley value"
    assert shapley.scores[:, 0].tolist() == pytest.approx([0.4, 0.4])
    assert shapley.scores[:, 0].sum() == pytest.approx(0.9 - 0.1)
    assert scores.levels[1].scores[:, 0].tolist() == pytest.approx([0.8, 0.8])


def test_words_that_act_only_together() -> None:
    """Either word alone decides; level 1 finds nothing, the pair does, and is suggested."""
    tables: dict[tuple[int, ...], Any] = {
        subset: hits(0, 48) if subset else [[0, 48, 0]] for subset in all_subsets(range(3), 2)
    }
    tables[0, 2] = hits(24, 48)
    scores = scored(counted("CEO at company", tables, ("woman", "man", "unknown")), level=2)
    first, second = scores.levels
    assert not any(first.of(word, 1).is_clear for word in range(3))
    assert [second.of(word, 1).is_clear for word in range(3)] == [True, False, True]
    table = pairs_table(scores, "gender", None)
    assert table.rows[0][:4] == ("CEO", "company", "woman", pytest.approx(-0.5))
    assert [row[-1] for row in table.rows if row[2] == "man"] == ["yes", "", ""]
    assert suggest(scores, 1).startswith(
        "Change “CEO” and “company”: replacing both lowers the share of men from 100% to 50%"
    )


def test_fixed_texts_have_narrower_intervals_where_texts_differ() -> None:
    tables = {
        (): [[12, 12, 0]],
        (0,): [[6, 0, 0]] * 2 + [[0, 6, 0]] * 2,
        (1,): [[3, 3, 0]] * 4,
    }
    counts = counted("two words", tables, ("woman", "man", "unknown"))
    widths = [
        float(main.high[0, 0] - main.low[0, 0])
        for sampled in (True, False)
        if (main := scored(counts, sampled=sampled).main) is not None
    ]
    assert widths[0] > 1.5 * widths[1]


def test_p_values_agree_with_intervals(paper: PromptScores) -> None:
    for level in paper.levels:
        clear = (level.low > 0) | (level.high < 0)
        assert (clear == (level.p < 0.05)).all()
    main = paper.main
    assert main is not None
    assert main.p[main.scores == 0].tolist() == [1.0] * int((main.scores == 0).sum())


# --- degenerate input ----------------------------------------------------------------------------


def test_sets_without_people_leave_their_word_without_an_answer() -> None:
    tables = {
        (): [[12, 12, 0]],
        (0,): [[0, 0, 0]] * 5,
        (1,): hits(3, 12),
    }
    scores = scored(counted("two words", tables, ("woman", "man", "unknown")))
    main = scores.main
    assert main is not None
    assert math.isnan(main.of(0, 0).value)
    assert not math.isnan(main.of(1, 0).value)
    assert words_part(scores, main, "gender", None).rows[0].score is None


def test_one_text_of_a_sample_is_no_answer() -> None:
    tables = {(): [[12, 12, 0]], (0,): [[10, 10, 0]], (1,): hits(3, 12)}
    counts = counted("two words", tables, ("woman", "man", "unknown"))
    assert counts.unusable(sampled=True) == [(0,)]
    main = scored(counts).main
    assert main is not None
    assert math.isnan(main.of(0, 0).value)
    fixed = scored(counts, sampled=False).main
    assert fixed is not None
    assert fixed.of(0, 0).value == 0


def test_a_prompt_without_people_has_no_scores() -> None:
    tables = {(): [[0, 0, 0]], (0,): hits(3, 12), (1,): hits(3, 12)}
    scores = scored(counted("two words", tables, ("woman", "man", "unknown")))
    assert scores.main is None
    assert suggest(scores, 0) == "No suggestion: too few images of people for the share of women."


def test_even_shares_need_no_change_and_unclear_words_are_not_named() -> None:
    even = {(): [[12, 12, 0]], (0,): hits(1, 24), (1,): hits(3, 24)}
    scores = scored(counted("two words", even, ("woman", "man", "unknown")))
    assert "near to even; no change is suggested" in suggest(scores, 0)
    unclear = {(): [[4, 20, 0]], (0,): hits(5, 24), (1,): hits(3, 24)}
    scores = scored(counted("two words", unclear, ("woman", "man", "unknown")))
    assert suggest(scores, 0) == (
        "No word clearly moves the share of women from 17% to even; more images, or level 2 "
        "(words that act only together), may tell."
    )


# --- counting ------------------------------------------------------------------------------------


def test_images_are_counted_by_draw_and_answer() -> None:
    lists = {"old": ["new"], "man": ["cook", "judge"]}
    study = asked("old man", lists, draws=3, images=2)
    plan = study.plan()[0]
    seen = {text: {} for text in {r.prompt for r in requests_of(study)}}
    for request in requests_of(study):
        seen[request.prompt][request.seed] = "woman"
    seen["old man"][0] = "nobody"
    seen["old man"][1] = "unknown"
    del seen["old man"][1002]
    counts = count_prompt(plan, seen, ["woman", "man"], images=2)
    assert counts.sets[()].table.tolist() == [[3, 0, 1]]
    assert (counts.sets[()].nobody, counts.sets[()].missing) == (1, 1)
    assert counts.sets[0,].table.tolist() == [[2, 0, 0]] * 3
    assert (counts.images, counts.missing) == (4 + 6 + 6, 2)
    table = replacement_table(scored(counts), "gender", None)
    assert table.rows[0] == ("old", "new man", 1.0, 3, 6, 0, 0, "")


# --- averages ------------------------------------------------------------------------------------


def test_averages_are_over_prompts_with_students_t() -> None:
    prompts = []
    for women, place in ((6, "gym"), (12, "spa"), (18, "mall")):
        tables: dict[tuple[int, ...], Any] = {(): [[12, 12, 0]]}
        tables |= {(i,): hits(women if i == 0 else 12, 24) for i in range(3)}
        counts = counted(f"doctor in {place}", tables, ("woman", "man", "unknown"),
                         person="doctor", place=place)  # fmt: skip
        prompts.append(scored(counts))
    found = {(one.factor, one.level): one for one in factor_averages(prompts, 0, confidence=0.95)}
    assert [factor for factor, _ in found] == ["person", "place", "place", "place"]
    doctor = found["person", "doctor"]
    # Scores .25, 0, -.25: mean 0, standard error .25 / sqrt(3), t(2) = 4.303.
    assert doctor.value == pytest.approx(0.0, abs=1e-12)
    assert doctor.high == pytest.approx(4.30265 * 0.25 / math.sqrt(3), rel=1e-4)
    assert (doctor.prompts, doctor.n_missing) == (3, 0)
    assert doctor.p == pytest.approx(1.0)
    assert math.isnan(found["place", "gym"].low)


def test_levels_are_found_as_words() -> None:
    words = ["a", "calm", "police", "officer", "at", "the", "office"]
    assert words_of_level(words, "Police Officer") == [2, 3]
    assert words_of_level(words, "office") == [6]
    assert words_of_level(words, "nurse") == []
    assert words_of_level(words, "") == []


# --- where more images help --------------------------------------------------------------------


def test_draws_go_where_the_variance_is() -> None:
    """The prompt as it is serves every word; a set whose texts differ needs more than others."""
    tables = {
        (): [[4, 4, 0]],
        (0,): [[2, 0, 0], [0, 2, 0], [2, 0, 0], [0, 2, 0]],
        (1,): [[0, 2, 0]] * 4,
    }
    counts = counted("two words", tables, ("woman", "man", "unknown"))
    start, differing, alike = draw_variances(list(counts.sets.values()), 0, images=2)
    assert start == pytest.approx(
        0.25 * 0.98 / 2, rel=0.05
    )  # chance alone, with half an image each
    # Its own ratio of 2.8 (1/3 over .12) and the others' 1.0, by 3 against 8 texts.
    assert start < differing < 1 / 3
    assert alike < start
    more = allocate(counts, 0, 1, draws=40, images=2)
    assert sum(more.values()) == 40
    # Neyman's allocation: by the root of the variance times the number of words that a set serves.
    wanted = np.sqrt([2 * start, differing, alike])
    drawn = np.array([one.draws + more.get(one.words, 0) for one in counts.plan.sets])
    np.testing.assert_allclose(drawn, drawn.sum() * wanted / wanted.sum(), atol=1)


# --- texts that name a group ---------------------------------------------------------------------


def test_texts_that_name_a_group_are_set_apart_unless_asked() -> None:
    lists = {"respected": ["female", "young", "old", "lady"], "doctor": ["waitress", "nurse"]}
    study = draw_texts(asked("a respected doctor", lists, draws=12))
    (plan,) = study.plan()
    sets = {one.words: one for one in plan.sets}
    assert {one.text.split()[1] for one in sets[1,].texts} == {"young", "old"}
    assert {one.text for one in sets[1,].apart} == {"a female doctor", "a lady doctor"}
    assert len(sets[1,].texts) == len(sets[2,].texts) == 12
    assert not any("female" in prompt.text for prompt in study.prompts())
    counted_too = asked("a respected doctor", lists, draws=12)
    naming = counted_too.transmuter.model_copy(update={"naming": "counted"})
    counted_too = draw_texts(counted_too.model_copy(update={"transmuter": naming, "drawn": None}))
    assert any("female" in prompt.text for prompt in counted_too.prompts())


def test_a_word_that_only_group_names_replace_has_no_texts_and_does_not_stop_the_study() -> None:
    study = draw_texts(asked("a respected doctor", {"respected": ["female"]}, draws=4))
    (plan,) = study.plan()
    assert study.is_drawn()
    assert [len(one.texts) for one in plan.sets if one.words] == [0]
    assert lack(count_prompt(plan, {}, ["woman", "man"], images=2), 1) == "nobody shown"


def test_a_prompt_of_one_word_can_be_explained() -> None:
    study = draw_texts(asked("doctor", {"doctor": ["nurse", "judge"]}, draws=4))
    assert [one.words for one in study.plan()[0].sets] == [(), (0,)]


def test_a_rewritten_prompt_is_verified_with_seeds_of_its_own() -> None:
    study = draw_texts(asked("doctor", {"doctor": ["nurse", "judge"]}, draws=4, images=2))
    study = study.model_copy(update={"rewrites": ("nurse",), "verify": 5})
    seeds = {prompt.text: set(prompt.listed_seeds) for prompt in study.prompts()}
    assert set(study.verified_seeds()) <= seeds["nurse"]
    assert set(study.verified_seeds()).isdisjoint(seeds["judge"])
    assert (
        Rewrite("nurse", 3, 5)
        .sentence("woman", 0.95)
        .startswith("Verified with new images: “nurse” shows women in 3 of 5 (60%, 95% CI")
    )


def test_more_images_go_to_undecided_words_only() -> None:
    tables = {(): [[50, 50, 0]], (0,): hits(50, 100), (1,): hits(0, 100)}
    counts = counted("two words", tables, ("woman", "man", "unknown"))
    more = allocate(counts, 0, 1, draws=10, images=1, undecided={1})
    assert set(more) <= {(), (1,)}
    assert undecided(scored(counts), 0) == {0}


def test_sets_that_can_have_no_more_texts_get_no_more_draws() -> None:
    """Where the budget cannot be spent on a word, it is not asked for again and again."""
    named = ["female", "male", "lady", "girl", "boy", "woman", "man", "waitress", "queen", "aunt"]
    lists = {"respected": [*named, "old"], "doctor": ["nurse", "judge"]}
    study = draw_texts(asked("a respected doctor", lists, draws=9))
    counts = count_prompt(study.plan()[0], {}, ["woman", "man"], images=1)
    assert [one.room > 0 for one in counts.plan.sets] == [True, False, True]
    more = allocate(counts, 0, 1, draws=10, images=1, undecided={1})
    assert (1,) not in more
