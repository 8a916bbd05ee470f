"""ENTIGEN's human evaluation from its released votes, cell by cell."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from portrayal.statistics import consensus, diversity_score

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "entigen.json").read_text())
VOTES = Path(__file__).parents[3] / "shared" / "data" / "entigen" / "votes.csv"
YES = 1
CANNOT_JUDGE = (3, 4)
CATEGORY = {"table_1": "profession", "table_6": "objects"}

pytestmark = pytest.mark.skipif(
    not VOTES.exists(), reason="the votes released with ENTIGEN are not at ../shared/data/entigen"
)
Counts = dict[tuple[str, str, str, str], dict[str, list[int]]]


@pytest.fixture(scope="module")
def counts() -> Counts:
    """Images of both groups by (model, category, prompt, axis) and attribute."""
    by_image: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    with VOTES.open(newline="") as file:
        for row in csv.DictReader(file):
            keys = ("model", "category", "prompt", "attribute", "image")
            by_image[tuple(row[key] for key in keys)].append(row)
    images = list(by_image)

    def answers(question: str, rule: str, uncertain: tuple[int, ...] = ()) -> list[object]:
        votes = np.array([[int(vote[question]) for vote in by_image[key]] for key in images]).T
        return list(consensus(votes, rule=rule, uncertain=uncertain).labels)  # type: ignore[arg-type]

    person, depicts = answers("is_person", "majority"), answers("depicts_attribute", "majority")
    found: Counts = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for axis in GOLDEN["axes"]:
        groups = answers(axis, "majority-certain", CANNOT_JUDGE)
        for key, is_person, is_shown, group in zip(images, person, depicts, groups, strict=True):
            model, category, prompt, attribute, _ = key
            pair = found[model, category, prompt, axis][attribute]
            if is_person == YES and is_shown == YES and group is not None:
                pair[int(group) - 1] += 1  # type: ignore[call-overload]
    return found


def test_table_3(counts: Counts) -> None:
    cells = 0
    for category, prompts in GOLDEN["table_3"].items():
        for prompt, published in prompts.items():
            for model, wanted in zip(GOLDEN["models"], published, strict=True):
                pairs = counts[model, category, prompt, "gender"].values()
                assert np.mean([sum(pair) for pair in pairs]) == pytest.approx(wanted, abs=0.05)
                cells += 1
    assert cells == 12


@pytest.mark.parametrize("table", ["table_1", "table_6"])
def test_human_scores(counts: Counts, table: str) -> None:
    contradicted = {
        (cell["prompt"], cell["axis"], cell["model"]): cell["votes"]
        for cell in GOLDEN["contradicted_by_the_votes"]
        if cell["table"] == table
    }
    for prompt, axes in GOLDEN[table].items():
        for axis, published in axes.items():
            for model, wanted in zip(GOLDEN["models"], published, strict=True):
                pairs = np.array(list(counts[model, CATEGORY[table], prompt, axis].values()))
                score = diversity_score(pairs[:, 0], pairs[:, 1])
                truth = contradicted.get((prompt, axis, model))
                # The paper rounds some cells and cuts others off (0.636 is printed 0.63).
                assert score.published == pytest.approx(
                    wanted if truth is None else truth, abs=0.0075
                )
                assert score.interval.low <= score.value <= score.interval.high
                assert score.n == pairs.sum()


def test_plain_majority_gives_other_numbers(counts: Counts) -> None:
    """The rule matters: this is why every table states it."""
    with VOTES.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == "minDALL-E"]
    gender: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row in rows:
        gender[row["category"], row["prompt"], row["attribute"], row["image"]].append(
            int(row["gender"])
        )
    votes = np.array(list(gender.values())).T
    plain = consensus(votes, rule="majority", uncertain=CANNOT_JUDGE)
    certain = consensus(votes, rule="majority-certain", uncertain=CANNOT_JUDGE)
    assert plain.n > 1.15 * certain.n
