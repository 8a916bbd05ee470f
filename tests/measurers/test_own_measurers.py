"""A measurer of a user's own: what it may answer, what is stored, and what is one line instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from label_measurers import GENDER, ColourJudge, png
from portrayal.audit import AuditFolder, compact
from portrayal.errors import MeasurementError
from portrayal.loading.attempts import Patience
from portrayal.measurers import MeasurementSummary, Reason, measure
from portrayal.measurers.while_generating import MeasuresWhileGenerating
from portrayal.records import GeneratedImage, Identity, ImageRecord, Request

ONCE = Patience(tries=1, sleep=lambda seconds: None)


class Says:
    """Gives the same answer to every image."""

    identity = Identity("judge", "parrot")
    axes = {GENDER: ("woman", "man")}  # noqa: RUF012

    def __init__(self, answer: Any, gives: Any = ("labels",)) -> None:
        self.gives = gives
        self._answer = answer

    def measure(self, images: Sequence[Image.Image]) -> list[Any]:
        return [self._answer for _ in images]


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "colours"))
    shown = ("woman", "man", "unclear", "nobody")
    audit.append_images(
        [ImageRecord("a", i, "ok", None, png(what)) for i, what in enumerate(shown)]
    )
    return audit


def test_labels_are_stored_as_given_and_readable_by_others(audit: AuditFolder) -> None:
    judge: Any = ColourJudge()
    assert measure(audit, [judge]) == MeasurementSummary(measured=4)
    assert measure(audit, [judge]) == MeasurementSummary(present=4)
    (part,) = (audit.path / "measurements").glob("judge-*/part-*.parquet")
    rows = duckdb.sql(
        f"SELECT seed, labels['{GENDER}']['woman'] FROM '{part}' m "
        f"JOIN '{audit.path}/images/*.parquet' i USING (key) ORDER BY seed"
    ).fetchall()
    assert rows == [(0, 0.95), (1, None), (2, None), (3, None)]
    stored = pq.read_table(part)["labels"].to_pylist(maps_as_pydicts="strict")
    assert {GENDER: {"woman": 0.95, "man": 0.05}} in stored


def test_numbers_people_and_reasons_are_stored(audit: AuditFolder) -> None:
    person = {"box": [0.1, 0, 0.5, 1], "confidence": 0.8, "labels": {GENDER: {"man": 1}}}
    answer = {"labels": {}, "numbers": {"age": np.float32(40)}, "people": [person, {}]}
    given: Any = Says(answer, ("labels", "numbers", "people"))
    measure(audit, [given])
    frame = audit.measurements(given.identity).df()
    assert frame["numbers"][0] == {"age": 40.0}
    assert "0.8" in frame["people"][0]
    assert audit.columns(given.identity) == ["labels", "numbers", "people"]
    why: Any = Says(Reason("too blurred"))
    why.identity = Identity("judge", "another")
    assert measure(audit, [why]).reasons == {"too blurred": 4}


def test_parts_with_labels_are_merged_like_others(audit: AuditFolder) -> None:
    judge: Any = ColourJudge()
    measure(audit, [judge])
    before = sorted(audit.measurements(judge.identity).fetchall(), key=str)
    audit.append_images([ImageRecord("b", 0, "ok", None, png("man"))])
    measure(audit, [judge])
    compact(audit)
    after = AuditFolder(audit.path).measurements(judge.identity).fetchall()
    assert all(row in after for row in before)
    assert len(after) == 5


LABELS: list[tuple[Any, str]] = [
    ("woman", "an answer is the text 'woman'; wanted: a mapping"),
    (None, "an answer is missing; wanted: a mapping"),
    ({}, "an answer lacks 'labels', which the measurer says it gives"),
    ({"label": "woman"}, "an answer has 'label'; allowed: labels"),
    ({"labels": {}, "numbers": {}}, "an answer has 'numbers'; allowed: labels"),
    ({"labels": "woman"}, "labels is the text 'woman'; wanted: a mapping"),
    ({"labels": {GENDER: "woman"}}, "labels['perceived gender'] is the text 'woman'; wanted"),
    ({"labels": {"gender": {}}}, "labels has the axis 'gender'; declared in its axes: perceived"),
    (
        {"labels": {GENDER: {"female": 1}}},
        "has 'female'; declared in its axes: woman, man, unknown",
    ),
    ({"labels": {GENDER: {"man": 1.2}}}, "['man'] is 1.2; wanted: a probability, 0 to 1"),
    ({"labels": {GENDER: {"man": -0.1}}}, "['man'] is -0.1; wanted: a probability, 0 to 1"),
    ({"labels": {GENDER: {"man": float("nan")}}}, "['man'] is nan; wanted: a probability"),
    ({"labels": {GENDER: {"man": "0.5"}}}, "['man'] is '0.5'; wanted: a number"),
    ({"labels": {1: {}}}, "labels has the name 1; wanted: text"),
]


@pytest.mark.parametrize(("answer", "line"), LABELS)
def test_a_wrong_answer_is_one_line_and_nothing_is_stored(
    audit: AuditFolder, answer: Any, line: str
) -> None:
    says: Any = Says(answer)
    with pytest.raises(MeasurementError) as error:
        measure(audit, [says])
    assert line in str(error.value)
    assert str(error.value).startswith("measurer parrot: ")
    assert "\n" not in str(error.value)
    assert not list(audit.path.glob("measurements/*/part-*"))


@pytest.mark.parametrize(
    ("gives", "answer", "line"),
    [
        (("embedding",), {"embedding": "a"}, "embedding is the text 'a'; wanted: a vector of num"),
        (
            ("embedding",),
            {"embedding": [[1.0]]},
            "embedding is a list; wanted: a vector of numbers",
        ),
        (("embedding",), {"embedding": []}, "embedding is a list; wanted: a vector of numbers"),
        (("numbers",), {"numbers": {"age": "old"}}, "numbers['age'] is 'old'; wanted: a number"),
        (("people",), {"people": {}}, "people is a dict; wanted: a list of the people found"),
        (("people",), {"people": ["me"]}, "people[0] is the text 'me'; wanted: a mapping"),
        (("people",), {"people": [{"face": 1}]}, "people[0] has 'face'; allowed: box, confidence"),
        (("people",), {"people": [{"box": [0, 0, 90, 50]}]}, "people[0].box is [0, 0, 90, 50]; w"),
        (("people",), {"people": [{"labels": {}}]}, "people[0] has labels; the measurer must then"),
    ],
)
def test_other_wrong_answers(audit: AuditFolder, gives: Any, answer: Any, line: str) -> None:
    says: Any = Says(answer, gives)
    with pytest.raises(MeasurementError) as error:
        measure(audit, [says])
    assert line in str(error.value)
    assert not list(audit.path.glob("measurements/*/part-*"))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"identity": "mine"}, "Says is no measurer: its identity is the text 'mine'; wanted"),
        ({"gives": "labels"}, "gives is 'labels'; wanted: a tuple of what it says of an image"),
        ({"gives": ("colour",)}, "gives 'colour'; allowed: embedding, labels, numbers, people"),
        ({"gives": ()}, "gives is (); wanted: a tuple"),
        ({"axes": None}, "gives labels and has no axes"),
        ({"axes": {GENDER: "woman"}}, "axes['perceived gender'] is 'woman'; wanted: a tuple"),
        ({"batch_size": 0}, "batch_size is 0; allowed: 1 or more"),
        ({"measure": None}, "has no method measure(images)"),
        ({"measure": lambda images: None}, "measure returned missing; wanted: a list"),
        ({"measure": lambda images: "ab"}, "measure returned the text 'ab'; wanted: a list"),
        ({"measure": lambda images: [{}]}, "measure returned 1 answers for 4 images"),
    ],
)
def test_an_object_that_is_no_measurer_is_one_line(
    audit: AuditFolder, change: dict[str, Any], line: str
) -> None:
    says: Any = Says({"labels": {}})
    for name, value in change.items():
        setattr(says, name, value)
    with pytest.raises(MeasurementError) as error:
        measure(audit, [says])
    assert line in str(error.value)
    assert not list(audit.path.glob("measurements/*/part-*"))


def test_answers_that_the_studies_do_not_ask_for_are_refused_before_a_look(
    audit: AuditFolder,
) -> None:
    looked: list[int] = []
    says: Any = Says({"labels": {}})
    says.measure = looked.append
    with pytest.raises(MeasurementError, match=r"with 'woman'; allowed: female, male, unknown, no"):
        measure(audit, [says], axes={GENDER: ("female", "male")})
    assert not looked


def raising(n: int) -> Callable[[Sequence[Image.Image]], list[Any]]:
    """Answer n images, and raise after that."""
    left = iter(range(n))

    def answer(images: Sequence[Image.Image]) -> list[Any]:
        if next(left, None) is None:
            raise KeyError("weights")
        return [{"labels": {}}] * len(images)

    return answer


def test_who_raises_on_every_image_is_named_and_nothing_is_stored(audit: AuditFolder) -> None:
    says: Any = Says(None)
    says.measure = raising(0)
    with pytest.raises(MeasurementError, match=r"parrot: every image: .*KeyError: 'weights'"):
        measure(audit, [says], patience=ONCE)
    assert not list(audit.path.glob("measurements/*/part-*"))


def test_who_raises_on_some_images_leaves_a_reason(audit: AuditFolder) -> None:
    says: Any = Says(None)
    says.measure, says.batch_size = raising(2), 1
    summary = measure(audit, [says], patience=ONCE)
    assert summary.measured == 2
    assert sum(summary.reasons.values()) == 2


def test_labels_are_given_while_images_are_generated(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("toy", "colours"))
    judge: Any = ColourJudge()
    image = Image.new("RGB", (8, 8), (255, 165, 0))
    audit.append_images([ImageRecord("a", 0, "ok", None, png("woman"))])
    with MeasuresWhileGenerating(audit, [judge]) as watching:
        watching([(Request("a", 0), GeneratedImage.ok(image))])
    assert measure(audit, [judge]) == MeasurementSummary(present=1)


def test_a_wrong_answer_while_generating_is_left_to_measure(audit: AuditFolder) -> None:
    says: Any = Says("woman")
    with MeasuresWhileGenerating(audit, [says]) as watching:
        watching([(Request("a", 0), GeneratedImage.ok(Image.new("RGB", (8, 8))))])
    with pytest.raises(MeasurementError, match="an answer is the text 'woman'"):
        measure(audit, [says])


def test_half_of_a_character_pair_in_a_transcript_is_stored_as_an_escape(
    audit: AuditFolder,
) -> None:
    line = {"axis": GENDER, "question": "Who?", "answer": "woman\ud800", "reason": None}
    said: Any = Says({"labels": {}, "transcript": [line]}, ("labels", "transcript"))
    assert measure(audit, [said]).measured == 4
    stored = audit.measurements(said.identity).df()["transcript"]
    assert json.loads(stored[0]) == [{**line, "answer": r"woman\ud800"}]
