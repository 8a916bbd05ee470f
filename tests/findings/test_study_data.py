from __future__ import annotations

import numpy as np
import pytest

from invented import ENCODER, OTHER_ENCODER, WIDTH, direction, fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.findings.data import AuditData, StudyData
from portrayal.findings.measurers import study_measurers
from portrayal.findings.vectors import usable_rows
from portrayal.records import Identity, Measurement
from portrayal.studies.reading import study_from_toml
from portrayal.studies.schema import Study

TEXT = """
kind = "association"
images = 4
x = ["rose", "aster"]
y = ["bee"]
a = ["love"]
b = ["death"]
"""


@pytest.fixture
def study() -> Study:
    found = study_from_toml(TEXT, source="s.toml", name="s")
    assert isinstance(found, Study)
    return found


def joined(audit: AuditFolder, study: Study) -> StudyData:
    texts = [prompt.text for prompt in study.prompts()]
    return AuditData(audit, texts, study.texts()).of_study(study.prompts(), ENCODER)


def test_every_wanted_image_is_used_or_counted_by_reason(audit: AuditFolder, study: Study) -> None:
    def status(prompt, seed):  # type: ignore[no-untyped-def]
        if prompt.text == "a photo of a rose":
            return ("refused", "failed", "ok", "ok")[seed]
        return "ok"

    def vectors(prompt, seed):  # type: ignore[no-untyped-def]
        if prompt.text == "a photo of a bee":
            bad = (np.full(WIDTH, np.nan), np.zeros(WIDTH), None, np.ones(WIDTH))
            return bad[seed]
        return direction(prompt.text)

    def measured(prompt, seed):  # type: ignore[no-untyped-def]
        return not (prompt.text == "a photo of an aster" and seed == 1)

    fill_audit(audit, [study], vectors, status=status, measured=measured)
    data = joined(audit, study.with_images(5))
    assert data.wanted == 9 * 5
    assert data.dropped == {
        "not made": 9,
        "refused by the generator": 1,
        "failed to generate": 1,
        "not measured": 1,
        "embedding is NaN, infinite or zero": 2,
        "no embedding (the encoder gave a reason)": 1,
    }
    images = data.images(study.with_images(5).prompts())
    assert images.n + sum(data.dropped.values()) == data.wanted
    assert images.n_missing == sum(data.dropped.values())
    assert np.isfinite(images.vectors).all()


def test_rows_belong_to_their_prompt_and_seed(audit: AuditFolder, study: Study) -> None:
    vectors = leaning({"X": 0.2})
    fill_audit(audit, [study], vectors)
    images = joined(audit, study).images(study.prompts(), unit="stimulus")
    prompts = {prompt.text: prompt for prompt in study.prompts()}
    for row, text, seed, unit in zip(
        images.vectors, images.prompts, images.seeds, images.units, strict=True
    ):
        assert row == pytest.approx(vectors(prompts[text], seed), abs=1e-6)
        assert unit == prompts[text].factors["stimulus"]
    assert images.seeds[:4] == (0, 1, 2, 3)


def test_a_larger_audit_gives_the_same_images(audit: AuditFolder, study: Study) -> None:
    fill_audit(audit, [study.with_images(6)], leaning({}))
    data = joined(audit, study)
    assert (data.wanted, data.unused, data.dropped) == (36, 18, {})
    assert set(data.images(study.prompts()).seeds) == {0, 1, 2, 3}


def test_images_of_some_units(audit: AuditFolder, study: Study) -> None:
    fill_audit(audit, [study], leaning({}))
    images = joined(audit, study).images(study.prompts(), unit="stimulus")
    roses = images.of_units(["rose"])
    assert (roses.n, roses.n_units, roses.n_missing) == (12, 1, 24)
    assert set(roses.units) == {"rose"}


def test_texts_that_were_not_read_are_none(audit: AuditFolder, study: Study) -> None:
    fill_audit(audit, [study], leaning({}), texts=None)
    assert joined(audit, study).text_vectors(["a photo of a rose"]) is None
    fill_audit(audit, [study], leaning({}))
    data = joined(audit, study)
    found = data.text_vectors(["a photo of a rose", "a photo of a bee"])
    assert found is not None
    assert found[1] == pytest.approx(direction("a photo of a bee"), abs=1e-6)
    assert data.text_vectors(["never read"]) is None
    assert data.text_vectors([]) is None


def test_only_measurers_with_embeddings_are_encoders(audit: AuditFolder, study: Study) -> None:
    fill_audit(audit, [study], leaning({}))
    fill_audit(audit, [study], leaning({}), encoder=OTHER_ENCODER)
    faces = Identity("faces", "counter")
    audit.append_measurements(faces, {"n": "integer"}, [Measurement("k", {"n": 1})])
    assert {one.name for one in study_measurers(audit)} == {ENCODER.name, OTHER_ENCODER.name}


def test_an_audit_without_images_has_everything_missing(audit: AuditFolder, study: Study) -> None:
    data = joined(audit, study)
    assert data.dropped == {"not made": 36}
    assert data.images(study.prompts()).n == 0


def test_usable_rows() -> None:
    rows = np.array([[1, 2], [np.nan, 1], [0, 0], [np.inf, 1], [-1e-30, 0]])
    assert usable_rows(rows).tolist() == [True, False, False, False, True]
    assert usable_rows(np.empty((0, 0))).tolist() == []
