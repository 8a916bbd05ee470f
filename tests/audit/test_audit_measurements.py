"""Measurements, texts, studies and results: stored once, read back, clear lines for the rest."""

from __future__ import annotations

import json
from typing import Any

import audit_samples as samples
import numpy as np
import pytest
from audit_samples import made

from portrayal.audit import AuditFolder, ColumnType
from portrayal.errors import AuditError
from portrayal.records import Identity, Measurement, image_key

VECTOR: dict[str, ColumnType] = {"embedding": "vector"}
FACES = Identity("faces", "centerface", {"threshold": 0.5})
COLUMNS: dict[str, ColumnType] = {
    "count": "integer",
    "size": "number",
    "label": "text",
    "clear": "boolean",
    "boxes": "json",
    "box": "vector",
}


def embedded(keys: list[str], width: int = 4) -> list[Measurement]:
    found = zip(keys, samples.vectors(len(keys), width), strict=True)
    return [Measurement(key, {"embedding": vector}) for key, vector in found]


def keys(count: int) -> list[str]:
    return [image_key(samples.GENERATOR, "a", seed) for seed in range(count)]


# --- validation ------------------------------------------------------------------------------


@pytest.mark.parametrize("together", [True, False])
def test_embeddings_of_different_width_are_refused(audit: AuditFolder, together: bool) -> None:
    first, second = embedded(keys(3)), embedded(keys(5)[3:], width=6)
    if together:
        with pytest.raises(AuditError, match="different width: got 4 and 6"):
            audit.append_measurements(samples.ENCODER, VECTOR, [*first, *second])
        return
    audit.append_measurements(samples.ENCODER, VECTOR, first)
    for one in (audit, AuditFolder(audit.path)):
        with pytest.raises(AuditError, match="different width: got 4 and 6"):
            one.append_measurements(samples.ENCODER, VECTOR, second)
    assert len(audit.embeddings(samples.ENCODER)[0]) == 3


def test_texts_of_different_width_are_refused(audit: AuditFolder) -> None:
    audit.append_texts(samples.ENCODER, ["a"], samples.vectors(1, 4), tokens=[1], truncated=[False])
    with pytest.raises(AuditError, match="different width: got 4 and 5"):
        audit.append_texts(
            samples.ENCODER, ["b"], samples.vectors(1, 5), tokens=[1], truncated=[False]
        )


def test_the_width_is_known_where_the_first_images_had_no_embedding(audit: AuditFolder) -> None:
    nothing = [Measurement(key, None, "corrupt image") for key in keys(2)]
    audit.append_measurements(samples.ENCODER, VECTOR, nothing)
    audit.append_measurements(samples.ENCODER, VECTOR, embedded(keys(4)[2:]))
    with pytest.raises(AuditError, match="different width"):
        AuditFolder(audit.path).append_measurements(
            samples.ENCODER, VECTOR, embedded(keys(5)[4:], 3)
        )


@pytest.mark.parametrize("values", [{}, {"embedding": [1.0], "more": 1}, {"other": 2}])
def test_values_for_other_columns_are_refused(audit: AuditFolder, values: dict[str, Any]) -> None:
    with pytest.raises(AuditError, match=r"got values for .*wanted: embedding"):
        audit.append_measurements(samples.ENCODER, VECTOR, [Measurement("k", values)])


def test_a_measurer_cannot_change_its_columns(audit: AuditFolder) -> None:
    audit.append_measurements(samples.ENCODER, VECTOR, embedded(keys(1)))
    with pytest.raises(AuditError, match=r"has stored the columns embedding \(vector\), got faces"):
        audit.append_measurements(
            samples.ENCODER, {"faces": "integer"}, [Measurement("k", {"faces": 1})]
        )


def test_asking_for_a_measurer_that_is_not_there_names_those_that_are(audit: AuditFolder) -> None:
    with pytest.raises(AuditError, match="here are: none yet; run `portrayal measure`"):
        audit.measurements()
    audit.append_measurements(samples.ENCODER, VECTOR, embedded(keys(1)))
    assert audit.measurer() == audit.measurer("tiny") == audit.measurer("clip") == samples.ENCODER
    other = Identity("clip", "tiny", {"logit_scale": 50.0})
    audit.append_measurements(other, VECTOR, embedded(keys(1)))
    with pytest.raises(AuditError, match="'tiny': 2 match; here are: clip tiny, clip tiny"):
        audit.measurements("tiny")
    with pytest.raises(AuditError, match="'dino': 0 match"):
        audit.measurements("dino")


def test_asking_for_a_column_that_is_not_there_names_those_that_are(audit: AuditFolder) -> None:
    audit.append_measurements(samples.ENCODER, VECTOR, embedded(keys(1)))
    with pytest.raises(AuditError, match=r"no column 'face'.*allowed: key, embedding, reason"):
        audit.measurements(columns=["face"])


def test_a_text_that_was_not_embedded_is_named(audit: AuditFolder) -> None:
    audit.append_texts(samples.ENCODER, ["a"], samples.vectors(1), tokens=[1], truncated=[False])
    with pytest.raises(AuditError, match="tiny has not read 'b' and 1 more"):
        audit.text_embeddings(samples.ENCODER, ["a", "b", "c"])


# --- known answers ---------------------------------------------------------------------------


def test_measurements_come_back_as_they_were(audit: AuditFolder) -> None:
    seen = {"count": 2, "size": 0.25, "label": "two ü", "clear": True}
    boxes = {"boxes": [[1, 2], {"a": np.float32(0.5)}], "box": np.array([1, 2])}
    empty = dict.fromkeys(COLUMNS)
    stored = audit.append_measurements(
        FACES,
        COLUMNS,
        [
            Measurement("a", {**seen, **boxes}),
            Measurement("b", None, "no face"),
            Measurement("c", empty),
        ],
    )
    assert stored == 3
    rows = audit.measurements(FACES).order("key").to_arrow_table().to_pylist()
    assert json.loads(rows[0].pop("boxes")) == [[1, 2], {"a": 0.5}]
    assert rows[0] == {"key": "a", **seen, "box": [1.0, 2.0], "reason": None}
    assert rows[1] == {"key": "b", **empty, "reason": "no face"}
    assert rows[2] == {"key": "c", **empty, "reason": None}
    assert AuditFolder(audit.path).measurers() == [FACES]


def test_numbers_of_numpy_are_stored(audit: AuditFolder) -> None:
    values = {"count": np.int32(3), "size": np.float32(0.5), "label": None, "clear": np.bool_(True)}
    audit.append_measurements(
        FACES, COLUMNS, [Measurement("a", {**values, "boxes": np.ones(2), "box": [0.0]})]
    )
    row = audit.measurements(FACES).fetchall()[0]
    assert row == ("a", 3, 0.5, None, True, "[1.0, 1.0]", [0.0], None)


def test_an_image_is_measured_once(audit: AuditFolder) -> None:
    audit.append_images([made("a", seed) for seed in range(4)])
    assert audit.append_measurements(samples.ENCODER, VECTOR, embedded(keys(2))) == 2
    other = AuditFolder(audit.path)
    assert other.append_measurements(samples.ENCODER, VECTOR, embedded(keys(3))) == 1
    assert audit.append_measurements(samples.ENCODER, VECTOR, embedded(keys(3))) == 0
    left = [key for batch in audit.unmeasured_images(samples.ENCODER) for key, _ in batch]
    assert left == keys(4)[3:]
    # Another measurer has seen none of them.
    assert sum(len(batch) for batch in audit.unmeasured_images(FACES)) == 4


def test_an_image_in_which_nothing_was_measured_is_done(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    audit.append_measurements(samples.ENCODER, VECTOR, [Measurement(keys(1)[0], None, "corrupt")])
    assert list(audit.unmeasured_images(samples.ENCODER)) == []
    assert audit.embeddings(samples.ENCODER)[0] == []


def test_embeddings_are_sorted_by_key_and_chosen_by_prompt(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0), made("a", 1), made("b", 0)])
    by_prompt = audit.images().select("key, prompt").fetchall()
    vectors = {key: [float(i), 1.0] for i, (key, _) in enumerate(by_prompt)}
    rows = [Measurement(key, {"embedding": vector}) for key, vector in vectors.items()]
    audit.append_measurements(samples.ENCODER, VECTOR, rows[1:])
    audit.append_measurements(samples.ENCODER, VECTOR, [*rows[:1], Measurement("x", None, "none")])
    found, matrix = audit.embeddings(samples.ENCODER)
    assert found == sorted(vectors)
    assert matrix.tolist() == [vectors[key] for key in found]
    assert matrix.dtype == np.float32
    of_a = sorted(key for key, prompt in by_prompt if prompt == "a")
    assert audit.embeddings(samples.ENCODER, ["a", "nobody"])[0] == of_a
    assert audit.embeddings(samples.ENCODER, [])[0] == []


def test_texts_are_embedded_once_and_come_in_the_order_asked(audit: AuditFolder) -> None:
    matrix = samples.vectors(3)
    texts = ["a woman", "ein Mädchen", "a man"]
    assert audit.missing_texts(samples.ENCODER, [*texts, "a man"]) == texts
    stored = audit.append_texts(
        samples.ENCODER, texts, matrix, tokens=[2, None, 90], truncated=[False, None, True]
    )
    assert stored == 3
    again = AuditFolder(audit.path).append_texts(
        samples.ENCODER, ["a man"], matrix[:1], tokens=[1], truncated=[False]
    )
    assert again == 0
    assert audit.append_texts(samples.ENCODER, [], matrix[:0], tokens=[], truncated=[]) == 0
    assert audit.missing_texts(samples.ENCODER, ["a man", "a child"]) == ["a child"]
    got = audit.text_embeddings(samples.ENCODER, ["a man", "a woman", "a man"])
    assert np.array_equal(got, matrix[[2, 0, 2]])
    rows = audit.texts(samples.ENCODER).select("text, tokens, truncated").fetchall()
    expected = {("a woman", 2, False), ("ein Mädchen", None, None), ("a man", 90, True)}
    assert set(rows) == expected


def test_wide_embeddings_in_many_parts_are_one_matrix(audit: AuditFolder) -> None:
    matrix = samples.vectors(300, 64)
    names = sorted(f"{i:032x}" for i in range(300))
    for start in range(0, 300, 50):
        some = zip(names[start : start + 50], matrix[start : start + 50], strict=True)
        audit.append_measurements(
            samples.ENCODER, VECTOR, [Measurement(key, {"embedding": v}) for key, v in some]
        )
    found, got = audit.embeddings(samples.ENCODER)
    assert found == names
    assert np.array_equal(got, matrix)


# --- studies and results ---------------------------------------------------------------------


def test_studies_are_remembered(audit: AuditFolder) -> None:
    audit.remember_study("jobs", {"name": "jobs", "prompts": ["a ü"]})
    audit.remember_study("jobs", {"name": "jobs", "prompts": ["b"]})
    audit.remember_study("t2iat.flowers-insects", {"name": "x"})
    assert AuditFolder(audit.path).studies() == {
        "jobs": {"name": "jobs", "prompts": ["b"]},
        "t2iat.flowers-insects": {"name": "x"},
    }


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b\n", "-x"])
def test_a_study_name_cannot_leave_the_folder(audit: AuditFolder, name: str) -> None:
    with pytest.raises(AuditError, match="cannot be a file name"):
        audit.remember_study(name, {})
    assert not (audit.path / "studies").exists()


def test_results_and_report(audit: AuditFolder) -> None:
    with pytest.raises(AuditError, match=r"no results\.json yet; run: portrayal analyze"):
        audit.results()
    finding = {
        "study": "jobs", "question": "q", "statistic": "d", "estimate": 1, "low": None,
        "high": 2.5, "p": 0.01, "q": None, "n": 10, "n_missing": 0, "unit": "", "sentence": "ü",
        "details": {"more": 1},
    }  # fmt: skip
    audit.write_results({"format": 1, "findings": [finding]})
    assert audit.results()["findings"] == [finding]
    with pytest.raises(ValueError, match="JSON compliant"):
        audit.write_results({"findings": [float("nan")]})
    assert audit.results()["findings"] == [finding]  # the old ones are unharmed
    page = audit.write_report("<p>").read_text()
    assert page.startswith("<p>\n<!-- results.json: sha256 ")


@pytest.mark.parametrize("content", ["{", "[]", "\ufeff", ""])
def test_damaged_documents_are_one_clear_line(audit: AuditFolder, content: str) -> None:
    audit.append_measurements(samples.ENCODER, VECTOR, embedded(keys(1)))
    audit.remember_study("jobs", {})
    audit.write_results({"findings": []})
    uses = {
        next(audit.path.glob("measurements/*/_identity.json")): lambda a: a.measurers(),
        audit.path / "studies" / "jobs.json": lambda a: a.studies(),
        audit.path / "results.json": lambda a: a.results(),
    }
    for file, use in uses.items():
        file.write_text(content, encoding="utf-8")
        with pytest.raises(
            AuditError, match=r"is damaged: .*; set it aside with: portrayal repair"
        ) as e:
            use(AuditFolder(audit.path))
        assert str(file) in str(e.value)
        assert "\n" not in str(e.value)
