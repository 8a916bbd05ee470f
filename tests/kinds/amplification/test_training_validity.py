"""Measurers are judged by who made the training images, not only by who made the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import portrayal
from portrayal import runner
from portrayal.audit import AuditFolder, Selection, read_selection, write_selection
from portrayal.corpora import create_corpus
from portrayal.errors import MeasurementError
from portrayal.kinds import kind_of
from portrayal.kinds.amplification import preparation
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.measurers import is_valid
from portrayal.records import Identity
from portrayal.studies.reading import load_study, study_from_dict

PRACTICE = Identity("clip", "practice")
REFUSED = "practice is valid for images of the practice world only, not for those of photographs"


@pytest.fixture(scope="module")
def photographs(captions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same files without a word about who made their images, as collected photographs are."""
    folder = tmp_path_factory.mktemp("collected") / "photographs"
    folder.mkdir()
    for file in captions.glob("*.parquet"):
        pq.write_table(pq.read_table(file).replace_schema_metadata(None), folder / file.name)
    return folder


def small() -> AmplificationStudy:
    data = load_study("paradox-practice").as_dict()
    changes: dict[str, Any] = {"occupations": ["teacher", "CEO"], "captions": 4}
    found = study_from_dict({**data, "name": "small", **changes, "subsets": ["naive"]})
    assert isinstance(found, AmplificationStudy)
    return found


def valid(study: AmplificationStudy, audit: AuditFolder) -> list[bool]:
    sources = kind_of(study).image_sources(study, audit)
    return [is_valid(PRACTICE, source) for source in sources]


def test_a_corpus_has_an_origin_where_all_its_files_state_it(
    captions: Path, photographs: Path, tmp_path: Path
) -> None:
    assert create_corpus(tmp_path / "ours", [captions]).origin == "practice"
    assert create_corpus(tmp_path / "theirs", [photographs]).origin == ""
    some = sorted(captions.glob("*.parquet"))[0]
    mixed = create_corpus(tmp_path / "mixed", [some, sorted(photographs.glob("*.parquet"))[1]])
    assert len(mixed.sources) == 2
    assert mixed.origin == ""
    odd = tmp_path / "odd.parquet"
    table = pq.read_table(some)
    pq.write_table(table.replace_schema_metadata({"portrayal": "no JSON"}), odd)
    assert create_corpus(tmp_path / "odd", [odd]).origin == ""


def test_training_images_count_by_their_own_origin(
    captions: Path, photographs: Path, audit: AuditFolder, tmp_path: Path
) -> None:
    study = preparation.prepare(small(), audit, captions)
    assert valid(study, audit) == [True, True]
    other = AuditFolder.at(tmp_path / "other", audit.generator)
    assert valid(preparation.prepare(small(), other, photographs), other) == [True, False]


def test_where_the_origin_was_not_written_down_the_generator_speaks_for_it(
    captions: Path, audit: AuditFolder
) -> None:
    """Version 0.1 did not; its findings on the practice world's own corpus stay."""
    study = preparation.prepare(small(), audit, captions)
    stored = read_selection(audit, study.name)
    assert stored is not None
    about = {key: value for key, value in stored.about.items() if key != "origin"}
    write_selection(audit, study.name, Selection(stored.table, about))
    assert valid(study, audit) == [True]


def test_a_run_ends_before_an_image_is_generated(photographs: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    with pytest.raises(MeasurementError) as caught:
        portrayal.run(
            small(), out=out, model="practice:painter", measurers="practice", corpus=photographs
        )
    assert str(caught.value).startswith(REFUSED)
    assert AuditFolder(out).images().fetchall() == []


def test_what_was_measured_all_the_same_is_not_counted(captions: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    audit = portrayal.run(
        small(), out=out, model="practice:painter", measurers="practice", corpus=captions, images=1
    )
    assert REFUSED not in {finding.reason for finding in audit.findings}
    stored = read_selection(AuditFolder(out), "small")
    assert stored is not None
    corpus = {**stored.about["corpus"], "name": "photographs"}
    about = {**stored.about, "origin": "", "corpus": corpus}
    write_selection(AuditFolder(out), "small", Selection(stored.table, about))
    session = runner.Session(out)
    session.ask_again()
    (finding,) = runner.analyze(session).findings
    assert finding.estimate is None
    assert finding.reason == REFUSED
