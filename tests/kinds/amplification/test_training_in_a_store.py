"""The training side of an audit in an object store: as in a folder, but for making a corpus."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from portrayal.audit import AuditFolder
from portrayal.audit.locations import location
from portrayal.audit.selections import read_selection, training_audit
from portrayal.corpora import create_corpus
from portrayal.errors import StudyError
from portrayal.kinds.amplification.preparation import check_corpus, open_corpus, prepare
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.records import Identity
from portrayal.studies.reading import load_study, study_from_dict


@pytest.fixture
def stored() -> AuditFolder:
    return AuditFolder.at(
        f"memory://{uuid.uuid4().hex}/audit", Identity("painter", "practice:painter")
    )


@pytest.fixture
def study() -> AmplificationStudy:
    data = load_study("paradox-practice").as_dict()
    small = {"occupations": ("teacher", "CEO"), "captions": 8, "neighbours": 3}
    found = study_from_dict({**data, "name": "small", **small, "caption_prompts": 4})
    assert isinstance(found, AmplificationStudy)
    return found


def test_a_corpus_is_not_made_there_and_that_is_known_early(
    captions: Path, stored: AuditFolder, study: AmplificationStudy
) -> None:
    with pytest.raises(StudyError, match="portrayal corpus add CORPUS"):
        check_corpus([study], stored.path, captions)
    with pytest.raises(StudyError, match="portrayal corpus add CORPUS"):
        open_corpus(stored, captions)
    assert not (stored.path / "corpora").exists()


def test_captions_and_images_are_those_of_a_folder(
    captions: Path,
    audit: AuditFolder,
    stored: AuditFolder,
    study: AmplificationStudy,
    tmp_path: Path,
) -> None:
    corpus = tmp_path / "corpus"
    create_corpus(corpus, [captions])
    for one in (audit, stored):
        check_corpus([study], one.path, corpus)
        prepare(study, one, corpus)
    chosen, others = (read_selection(one, "small") for one in (stored, audit))
    assert chosen is not None
    assert others is not None
    assert chosen.table.equals(others.table)
    ours, theirs = training_audit(stored), training_audit(audit)
    assert ours is not None
    assert theirs is not None
    assert location(ours.path).parent == stored.path
    keys = [key for (key,) in theirs.images().select("key").fetchall()]
    assert keys
    assert ours.read_images(keys) == theirs.read_images(keys)
