from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from portrayal_practice.corpus import CorpusItem, corpus_items, write_corpus
from portrayal_practice.errors import PracticeError
from portrayal_practice.planted import planted_table
from portrayal_practice.topics import TOPIC_SHARES
from portrayal_practice.vocabulary import OCCUPATIONS
from portrayal_practice.world import World


@pytest.fixture(scope="module")
def items() -> list[CorpusItem]:
    return list(corpus_items(60_000, seed=11))


# Validation


@pytest.mark.parametrize("wrong", [{"n": -1}, {"seed": -1}, {"start": -1}])
def test_negative_numbers_are_named(wrong: dict[str, int]) -> None:
    numbers = {"n": 1, "seed": 0, "start": 0} | wrong
    with pytest.raises(PracticeError, match=f"corpus: {next(iter(wrong))} is -1"):
        corpus_items(numbers["n"], seed=numbers["seed"], start=numbers["start"])


# Each item is a function of seed and index


def test_slices_agree_with_the_whole(items: list[CorpusItem]) -> None:
    assert list(corpus_items(50, seed=11, start=1_234)) == items[1_234:1_284]
    assert list(corpus_items(3, seed=12)) != items[:3]
    assert list(corpus_items(0, seed=11)) == []


def test_seeds_are_all_different(items: list[CorpusItem]) -> None:
    assert len({item.seed for item in items}) > len(items) - 10


# The corpus follows the table


def test_the_mix_of_topics_is_the_stated_one(items: list[CorpusItem]) -> None:
    assert sum(TOPIC_SHARES.values()) == pytest.approx(1.0)
    counts = Counter(item.topic.family for item in items)
    for family, share in TOPIC_SHARES.items():
        assert abs(counts[family] / len(items) - share) < 4.5 * math.sqrt(share / len(items))
    people = sum(bool(item.scene.people) for item in items) / len(items)
    assert 0.65 < people < 0.78


def test_presentation_and_skin_follow_the_exact_distribution(items: list[CorpusItem]) -> None:
    """Sum of (shown - expected) over all people, in standard errors, by topic."""
    world = World.load()
    off: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for item in items:
        if not item.scene.people:
            continue
        known = world.distribution_of(item.topic.meaning)
        first = item.scene.people[0]
        for axis, group, shown in (
            ("perceived gender", "woman", first.presentation == "woman"),
            ("perceived gender", "ambiguous", first.presentation == "ambiguous"),
            ("skin tone", "dark", first.skin > 5),
        ):
            share = known.group_share(axis)[group]
            off[f"{item.topic.family} {group}"].append((shown - share, share * (1 - share)))
    for name, values in off.items():
        total, variance = (math.fsum(column) for column in zip(*values, strict=True))
        assert abs(total) <= 4.5 * math.sqrt(variance) + 1e-9, name


def test_shares_by_occupation_equal_the_table_without_other_words(
    items: list[CorpusItem],
) -> None:
    found: dict[str, list[bool]] = defaultdict(list)
    for item in items:
        meaning = item.topic.meaning
        if meaning.occupation and not (
            meaning.adjectives or meaning.place or meaning.interventions
        ):
            person = item.scene.people[0]
            if person.presentation != "ambiguous":
                found[meaning.occupation].append(person.presentation == "woman")
    assert set(found) == set(OCCUPATIONS)
    chi = 0.0
    for name, shown in found.items():
        share = planted_table().occupations[name].woman
        chi += (sum(shown) - len(shown) * share) ** 2 / (len(shown) * share * (1 - share))
    n = len(OCCUPATIONS)
    assert abs(chi - n) < 5 * math.sqrt(2 * n) + 5


def test_without_an_indicator_the_common_presentation_is_more_common(
    items: list[CorpusItem],
) -> None:
    """Why a model that learns from short captions amplifies: the paper's explanation."""
    gaps = []
    by_name: dict[str, list[bool]] = defaultdict(list)
    for item in items:
        meaning = item.topic.meaning
        if meaning.occupation and item.caption.indicators == "unknown":
            if meaning.interventions or item.caption.style == "question":
                continue
            person = item.scene.people[0]
            if person.presentation != "ambiguous":
                by_name[meaning.occupation].append(person.presentation == "woman")
    for name, shown in by_name.items():
        share = planted_table().occupations[name].woman
        if abs(share - 0.5) > 0.2:
            gaps.append((np.mean(shown) - share) * np.sign(share - 0.5))
    assert np.mean(gaps) > 0.01


def test_an_item_takes_less_than_a_third_of_a_millisecond() -> None:
    list(corpus_items(200, seed=1))
    best = math.inf
    for _ in range(3):
        started = time.process_time()
        list(corpus_items(2_000, seed=1))
        best = min(best, (time.process_time() - started) / 2_000)
    assert best < 0.3e-3


# Parquet


def test_parts_hold_the_corpus(tmp_path: Path) -> None:
    from portrayal_practice.painter import paint

    parts = write_corpus(tmp_path / "corpus", 25, seed=3, size=64, part_size=10)
    assert [part.name for part in parts] == [
        "part-000000000.parquet",
        "part-000000010.parquet",
        "part-000000020.parquet",
    ]
    assert sorted(path.name for path in (tmp_path / "corpus").iterdir()) == [p.name for p in parts]
    rows = [row for part in parts for row in pq.read_table(part).to_pylist()]
    assert [row["SAMPLE_ID"] for row in rows] == list(range(25))
    for row, item in zip(rows, corpus_items(25, seed=3), strict=True):
        assert row["TEXT"] == item.caption.text
        assert (row["HEIGHT"], row["WIDTH"]) == (64, 64)
        assert 0.28 <= row["similarity"] <= 0.40
        image = np.asarray(Image.open(BytesIO(row["image"]["bytes"])))
        assert np.array_equal(image, paint(item.scene, item.seed, size=64))
        first = item.scene.people[0] if item.scene.people else None
        assert row["truth_presentation"] == (first.presentation if first else None)
        assert row["truth_skin"] == (first.skin if first else None)
        assert row["truth_occupation"] == (first.occupation if first else None)
        assert row["truth_thing"] == item.scene.thing
        assert row["truth_valence"] == pytest.approx(item.scene.valence, abs=1e-6)


def test_more_items_keep_what_is_there(tmp_path: Path) -> None:
    write_corpus(tmp_path, 15, seed=3, part_size=10)
    kept = (tmp_path / "part-000000000.parquet").stat().st_mtime_ns
    done: list[int] = []
    parts = write_corpus(tmp_path, 25, seed=3, part_size=10, progress=done.append)
    assert done == [10, 10, 5]
    assert (tmp_path / "part-000000000.parquet").stat().st_mtime_ns == kept
    assert sum(pq.read_metadata(part).num_rows for part in parts) == 25


def test_another_corpus_in_the_folder_is_named(tmp_path: Path) -> None:
    write_corpus(tmp_path, 3, seed=3)
    with pytest.raises(PracticeError, match="is of another corpus"):
        write_corpus(tmp_path, 3, seed=4)
    with pytest.raises(PracticeError, match=r"part-000000000\.parquet: does not belong"):
        write_corpus(tmp_path, 0, seed=3)
    (tmp_path / "part-000000000.parquet").write_bytes(b"torn")
    with pytest.raises(PracticeError, match="cannot be read; delete it"):
        write_corpus(tmp_path, 3, seed=3)
    with pytest.raises(PracticeError, match="part_size is 0"):
        write_corpus(tmp_path, 3, seed=3, part_size=0)
