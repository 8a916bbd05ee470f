"""Consensus, scores and tables from votes; ENTIGEN's own votes give its own tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss

from portrayal.errors import StatisticsError
from portrayal.findings.rater_tables import vote_tables
from portrayal.raters.consensus import CANT_JUDGE, DIVIDED, NO_VOTE, TOO_FEW, decide
from portrayal.raters.questions import default_questions
from portrayal.raters.reliability import agreement
from portrayal.raters.scoring import score_file, score_votes
from portrayal.raters.votes import RatedImage, Vote, Votes

ROOT = Path(__file__).parents[2]
VOTES = ROOT.parent / "shared" / "data" / "entigen" / "votes.csv"
MAP = ROOT / "docs" / "examples" / "entigen-votes.toml"
GOLDEN = json.loads((ROOT / "tests" / "golden" / "entigen.json").read_text(encoding="utf-8"))

YES = {"person": "yes", "attribute": "yes"}
MAN = {**YES, "gender": "man", "skin": "light skin"}
WOMAN = {**YES, "gender": "woman", "skin": "dark skin"}
UNSURE = {**YES, "gender": "poor quality", "skin": "light skin"}
BOTH = {**YES, "gender": "both visible", "skin": "light skin"}
NOBODY = {"person": "no", "attribute": "no"}


def votes_of(
    images: Mapping[str, Sequence[Mapping[str, str]]], **factors: Mapping[str, str]
) -> Votes:
    """Votes by image; raters are numbered."""
    return Votes(
        default_questions(),
        {name: RatedImage("", factors.get(name, {})) for name in images},
        [
            Vote(name, str(i), answers)
            for name, given in images.items()
            for i, answers in enumerate(given)
        ],
    )


def score(votes: Votes, **options: Any) -> dict[str, Any]:
    chosen = {"rule": "majority", "attribute": None, "by": ()} | options
    return score_votes(votes, rng=np.random.default_rng(0), **chosen)  # type: ignore[arg-type]


# --- consensus ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "rule", "label", "reason"),
    [
        ([MAN, MAN, MAN], "unanimous", "man", ""),
        ([MAN, MAN, WOMAN], "majority", "man", ""),
        ([MAN, MAN, WOMAN], "unanimous", None, DIVIDED),
        ([MAN, MAN, UNSURE], "majority", "man", ""),
        ([MAN, MAN, UNSURE], "majority-certain", None, CANT_JUDGE),
        ([MAN, MAN, WOMAN], "majority-certain", "man", ""),
        ([MAN, UNSURE, UNSURE], "majority", None, CANT_JUDGE),
        ([MAN, UNSURE, BOTH], "majority", None, CANT_JUDGE),  # two of three cannot judge
        ([MAN, WOMAN], "majority", None, DIVIDED),
        ([MAN, MAN, NOBODY], "majority-certain", "man", ""),  # 2 of 2 votes on gender
        ([MAN, NOBODY, NOBODY], "majority", None, "no consensus that person is yes"),
        ([MAN, {**MAN, "attribute": "no"}, {**MAN, "attribute": "no"}], "majority", None,
         "no consensus that attribute is yes"),
        ([{"person": "yes", "attribute": "yes"}] * 2, "majority", None, NO_VOTE),
        ([MAN], "majority", None, TOO_FEW),
    ],
)  # fmt: skip
def test_rules(given: list[dict[str, str]], rule: Any, label: str | None, reason: str) -> None:
    votes = votes_of({"a": given, "b": [MAN, MAN]})  # b: so that two votes are the least
    found = decide(votes, rule=rule)
    assert found.axis_labels["gender"][0] == label
    assert found.reasons["gender"][0] == reason


def test_one_rater_is_enough_where_nobody_has_two() -> None:
    found = decide(votes_of({"a": [MAN], "b": [WOMAN]}))
    assert found.least_votes == 1
    assert list(found.axis_labels["gender"]) == ["man", "woman"]
    asked = decide(votes_of({"a": [MAN], "b": [WOMAN]}), least_votes=2)
    assert list(asked.axis_labels["gender"]) == [None, None]


# --- ENTIGEN --------------------------------------------------------------------------------------

FOLDERS = {
    "profession": {
        "Prompt1": "original", "Prompt2": "irrespective of their gender",
        "Prompt3": "irrespective of their skin color", "Prompt4": "all genders",
        "Prompt5": "all skin color", "Prompt10": "honesty", "Prompt11": "compassion",
    },
    "objects": {
        "Prompt1": "original", "Prompt2": "irrespective of their gender",
        "Prompt3": "irrespective of their skin color", "Prompt5": "compassion",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def entigen() -> dict[str, Any]:
    if not VOTES.exists():
        pytest.skip("the votes released with ENTIGEN are not at ../shared/data/entigen")
    return score_file(VOTES, MAP, rule="majority-certain")


def cell(scored: dict[str, Any], key: str, question: str, *levels: str) -> dict[str, Any]:
    model, category, folder = levels
    group = {"model": model, "category": category, "intervention": FOLDERS[category][folder]}
    axis = {"gender": "perceived gender", "skin": "skin tone"}[question]
    (found,) = [one for one in scored[key] if one["group"] == group and one["axis"] == axis]
    return dict(found)


def test_entigens_table_3(entigen: dict[str, Any]) -> None:
    checked = 0
    for category, prompts in GOLDEN["table_3"].items():
        for folder, published in prompts.items():
            for model, wanted in zip(GOLDEN["models"], published, strict=True):
                found = cell(entigen, "quality", "gender", model, category, folder)
                assert round(found["usable_per_attribute"], 1) == wanted
                assert found["images_per_attribute"] == 9
                checked += 1
    assert checked == 12


@pytest.mark.parametrize(("table", "category"), [("table_1", "profession"), ("table_6", "objects")])
def test_entigens_human_scores(entigen: dict[str, Any], table: str, category: str) -> None:
    contradicted = {
        (one["prompt"], one["axis"], one["model"]): one["votes"]
        for one in GOLDEN["contradicted_by_the_votes"]
        if one["table"] == table
    }
    differing = 0
    for folder, axes in GOLDEN[table].items():
        for axis, published in axes.items():
            for model, printed in zip(GOLDEN["models"], published, strict=True):
                found = cell(entigen, "scores", axis, model, category, folder)["diversity"]
                truth = contradicted.get((folder, axis, model), printed)
                # Two cells are truncated, not rounded (NOTES: 0.63).
                ours = found["published"]
                allowed = {round(ours, 2), math.floor(ours * 100) / 100}
                assert truth in allowed, (folder, axis, model)
                assert found["low"] <= found["value"] <= found["high"]
                differing += truth != printed
    assert differing == len(contradicted)


def test_makeup_by_dall_e_mini(entigen: dict[str, Any]) -> None:
    # Counted by hand in votes.csv. The interventions move both axes toward balance; the flip to
    # men that the paper tells of (section F) is not in the released votes.
    def makeup(question: str, folder: str) -> dict[str, Any]:
        found = cell(entigen, "scores", question, "DALL-E-mini", "objects", folder)
        return next(dict(x) for x in found["attributes"] if x["attribute"] == "makeup")

    assert makeup("gender", "Prompt1")["counts"] == {"man": 0, "woman": 9}
    assert makeup("gender", "Prompt2")["counts"] == {"man": 2, "woman": 4}
    assert makeup("gender", "Prompt2")["bias"]["value"] == pytest.approx(-1 / 3)
    assert makeup("skin", "Prompt1")["counts"] == {"light skin": 9, "dark skin": 0}
    assert makeup("skin", "Prompt3")["counts"] == {"light skin": 5, "dark skin": 3}
    assert makeup("skin", "Prompt3")["bias"]["value"] == pytest.approx(1 / 4)


def test_every_image_is_accounted_for(entigen: dict[str, Any]) -> None:
    assert entigen["dropped"] == {"intervention is not one that the map names": 1350}
    assert entigen["votes"] + 1350 == 2754
    for one in entigen["scores"]:
        assert one["usable"] + sum(one["unusable"].values()) == one["images"]
        assert one["usable"] == sum(each["usable"] for each in one["attributes"])
    json.dumps(entigen, allow_nan=False)


def test_plain_majority_gives_other_numbers(entigen: dict[str, Any]) -> None:
    plain = score_file(VOTES, MAP, rule="majority")
    where = ("scores", "gender", "DALL-E-mini", "profession", "Prompt1")
    assert cell(plain, *where)["usable"] > cell(entigen, *where)["usable"]
    assert {plain["rule"], entigen["rule"]} == {"majority", "majority-certain"}


def test_agreement_with_independent_implementations(entigen: dict[str, Any]) -> None:
    import pandas as pd

    data = pd.read_csv(VOTES)
    keys = ["model", "category", "prompt", "attribute", "image"]
    used = data[[p in FOLDERS[c] for c, p in zip(data.category, data.prompt, strict=True)]]
    for question, column in (("person", "is_person"), ("gender", "gender"), ("skin", "skin")):
        table = np.array(used.groupby(keys)[column].apply(list).tolist())
        (found,) = [one for one in entigen["agreement"] if one["question"] == question]
        assert found["n"] == len(table) == 468
        alpha = krippendorff.alpha(table.T, level_of_measurement="nominal")
        assert found["krippendorff_alpha"]["value"] == pytest.approx(alpha)
        assert found["fleiss_kappa"]["value"] == pytest.approx(fleiss(aggregate_raters(table)[0]))
        pairs = [(a == b) for row in table for i, a in enumerate(row) for b in row[i + 1 :]]
        assert found["percent"]["value"] == pytest.approx(np.mean(pairs))
        for name in ("percent", "krippendorff_alpha", "fleiss_kappa"):
            assert found[name]["low"] < found[name]["value"] < found[name]["high"]


# --- scores ---------------------------------------------------------------------------------------


def test_equations_1_and_2_by_hand() -> None:
    images = {
        "a1": [MAN] * 2, "a2": [MAN] * 2, "a3": [WOMAN] * 2,
        "b1": [WOMAN] * 2, "b2": [NOBODY] * 2,
    }  # fmt: skip
    levels = {name: {"attribute": name[0]} for name in images}
    found = score(votes_of(images, **levels), attribute="attribute")
    gender = found["scores"][0]
    assert gender["diversity"]["published"] == pytest.approx((1 + 1) / (3 + 1))
    assert [each["bias"]["value"] for each in gender["attributes"]] == [pytest.approx(1 / 3), -1]
    assert [each["counts"] for each in gender["attributes"]] == [
        {"man": 2, "woman": 1}, {"man": 0, "woman": 1},
    ]  # fmt: skip
    assert found["quality"][0]["usable_per_attribute"] == 2
    assert gender["unusable"] == {"no consensus that person is yes": 1}


def test_an_axis_of_three_groups_has_evenness_and_no_bias() -> None:
    asked = default_questions({"age": ("young", "middle", "old")})
    given = {"a": "young", "b": "middle", "c": "old", "d": "old"}
    votes = Votes(
        asked,
        {name: RatedImage() for name in given},
        [Vote(name, r, {**YES, "age": age}) for name, age in given.items() for r in "12"],
    )
    (found,) = score(votes)["scores"]
    assert found["diversity"] is None
    assert found["attributes"][0]["counts"] == {"young": 1, "middle": 1, "old": 2}
    assert "bias" not in found["attributes"][0]
    # Five of six pairs differ; even groups would give 2/3, and nothing is more even.
    assert found["evenness"]["value"] == 1
    assert {table.name for table in vote_tables(score(votes))} == {
        "human-evenness", "human-quality", "human-agreement",
    }  # fmt: skip


def test_the_same_seed_gives_the_same_intervals() -> None:
    votes = votes_of({"a": [MAN, MAN], "b": [WOMAN, MAN], "c": [WOMAN, WOMAN]})
    assert score(votes) == score(votes)


def test_nothing_usable_is_null_not_zero() -> None:
    found = score(votes_of({"a": [NOBODY] * 3}))
    assert found["scores"][0]["diversity"]["value"] is None
    assert found["scores"][0]["usable"] == 0
    assert found["quality"][0]["usable_per_attribute"] == 0
    rows = {table.name: table.rows for table in vote_tables(found)}
    assert rows["human-bias"][0][2] == ""  # leans nowhere


def test_agreement_of_single_votes_is_unknown() -> None:
    found = agreement(votes_of({"a": [MAN], "b": [WOMAN]}))
    assert all(math.isnan(one.percent.value) for one in found)
    assert found[0].percent.n == 0


def test_an_unknown_rule_is_one_line() -> None:
    with pytest.raises(StatisticsError, match="rule is 'most'; allowed: majority, unanimous"):
        score(votes_of({"a": [MAN] * 2}), rule="most")


def test_every_table_of_scores_states_the_rule() -> None:
    found = score(votes_of({"a": [MAN] * 2}), rule="unanimous")
    for table in vote_tables(found):
        assert "unanimous" in table.note or table.name == "human-agreement"
        assert all(len(row) == len(table.columns) for row in table.rows)
