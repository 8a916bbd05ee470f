"""The training side: captions chosen, images fetched, prompts drawn, each once."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from portrayal.audit import AuditFolder
from portrayal.audit.selections import read_selection, training_audit
from portrayal.errors import LanguageError, StudyError
from portrayal.kinds.amplification import preparation
from portrayal.kinds.amplification.caption_prompts import with_captions, with_paraphrases
from portrayal.kinds.amplification.captions import select_captions
from portrayal.kinds.amplification.kind import KIND
from portrayal.kinds.amplification.preparation import carried_over, open_corpus
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.language.names import open_recogniser
from portrayal.language.paraphrase import INSTRUCTION, RuleParaphraser, names
from portrayal.language.sentences import open_sentence_encoder
from portrayal.records import digest
from portrayal.studies.reading import load_study, study_from_dict

OCCUPATIONS = ("teacher", "president", "CEO", "wheelwright")


def asked(**changes: Any) -> AmplificationStudy:
    data = load_study("paradox-practice").as_dict()
    small = {"occupations": OCCUPATIONS, "captions": 8, "neighbours": 3, "caption_prompts": 4}
    found = study_from_dict({**data, "name": "small", **small, **changes})
    assert isinstance(found, AmplificationStudy)
    return found


def prepare(
    study: AmplificationStudy, audit: AuditFolder, corpus: Path | None, **options: Any
) -> Any:
    """Prepare as a session does: with what the audit has drawn before."""
    if study.name in (stored := audit.studies()):
        study = carried_over(study, study_from_dict(stored[study.name]))
    return preparation.prepare(study, audit, corpus, **options)


def corpus_rows(captions: Path) -> list[dict[str, Any]]:
    """Return all captions with their place, read without portrayal.corpora."""
    return [
        {"source": source, "row": row, **values}
        for source, file in enumerate(sorted(captions.glob("*.parquet")))
        for row, values in enumerate(pq.read_table(file, columns=["TEXT", "image"]).to_pylist())
    ]


def test_naive_captions_name_the_occupation_and_nearest_are_the_nearest(
    captions: Path, audit: AuditFolder
) -> None:
    study = asked()
    encoder = open_sentence_encoder("practice")
    found = select_captions(
        study,
        open_corpus(audit, captions),
        recogniser=open_recogniser("practice"),
        encoder=encoder,
    )
    rows = found.table.to_pylist()
    every = corpus_rows(captions)
    text = {(row["source"], row["row"]): row["TEXT"] for row in every}
    assert all(text[row["source"], row["row"]] == row["caption"] for row in rows)
    sizes = Counter((row["occupation"], row["prompt"]) for row in rows)
    for occupation in OCCUPATIONS:
        own = [row for row in every if names(row["TEXT"] or "", occupation)]
        assert found.about["matches"][occupation] == len(own)
        assert sizes[occupation, -1] == min(8, len(own))
        vectors = {row["TEXT"]: None for row in own}
        if not own:
            continue
        matrix = encoder.embed(list(vectors)).astype(np.float64)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        place = {caption: i for i, caption in enumerate(vectors)}
        for number, template in enumerate(study.templates):
            prompt = encoder.embed([study.prompt(template, occupation)]).astype(np.float64)[0]
            prompt /= np.linalg.norm(prompt)
            best = sorted((float(matrix[place[row["TEXT"]]] @ prompt) for row in own), reverse=True)
            chosen = [
                row["similarity"]
                for row in rows
                if row["occupation"] == occupation and row["prompt"] == number
            ]
            assert chosen == pytest.approx(best[:3], abs=1e-5)


def test_prepare_fetches_each_image_once_and_draws_prompts(
    captions: Path, audit: AuditFolder
) -> None:
    study = prepare(asked(), audit, captions)
    selection, training = read_selection(audit, "small"), training_audit(audit)
    assert selection is not None
    assert training is not None
    wanted = set(selection.table["key"].to_pylist())
    stored = training.read_images(sorted(wanted))
    assert set(stored) == wanted
    bytes_of = {(row["source"], row["row"]): row["image"]["bytes"] for row in corpus_rows(captions)}
    for row in selection.table.to_pylist():
        assert stored[row["key"]] == bytes_of[row["source"], row["row"]], "byte for byte"
    assert study.drawn is not None
    teachers = study.drawn.captions["teacher"]
    assert 0 < len(teachers) <= 4
    assert all(one.paraphrase and names(one.paraphrase, "teacher") for one in teachers)
    assert {one.key for one in teachers} <= wanted
    assert study.drawn.captions["wheelwright"] == ()
    assert audit.studies()["small"]["drawn"]["captions"]["teacher"][0]["caption"]


def test_a_second_time_nothing_is_chosen_or_fetched_again(
    captions: Path, audit: AuditFolder
) -> None:
    first = prepare(asked(), audit, captions)
    told: list[tuple[str, int, int]] = []
    known = carried_over(asked(), first)
    again = prepare(known, audit, captions, on_progress=lambda *what: told.append(what))
    assert again == first
    assert {what for what, _, _ in told} == {"training images"}
    assert told[0][1] == told[0][2], "all there from the start"
    assert prepare(known, audit, None) == first, "and without the corpus"


def test_more_captions_keep_those_that_were_there(captions: Path, audit: AuditFolder) -> None:
    first = prepare(asked(captions=4), audit, captions)
    more = prepare(asked(captions=6), audit, captions)
    assert first.drawn is not None
    assert more.drawn is not None
    for name, drawn in first.drawn.captions.items():
        assert more.drawn.captions[name][: len(drawn)] == drawn


def test_without_a_corpus_the_line_says_which_option(audit: AuditFolder) -> None:
    with pytest.raises(StudyError, match="with `corpus`") as error:
        prepare(asked(), audit, None)
    assert "\n" not in str(error.value)


def test_another_corpus_needs_another_audit(
    captions: Path, audit: AuditFolder, tmp_path: Path
) -> None:
    prepare(asked(), audit, captions)
    other = tmp_path / "half"
    other.mkdir()
    shutil.copy(min(captions.glob("*.parquet")), other)
    from portrayal.corpora import create_corpus

    create_corpus(tmp_path / "other", [other])
    before = read_selection(audit, "small")
    with pytest.raises(StudyError, match="with other captions; take another `out`"):
        prepare(asked(), audit, tmp_path / "other")
    after = read_selection(audit, "small")
    assert before is not None
    assert after is not None
    assert after.table.equals(before.table), "refused before the selection is rewritten"


def test_captions_without_images_end_before_anything_is_chosen_or_fetched(
    captions: Path, audit: AuditFolder, tmp_path: Path
) -> None:
    links = tmp_path / "links"
    links.mkdir()
    for file in captions.glob("*.parquet"):
        table = pq.read_table(file, columns=["TEXT"])
        urls = [f"https://example.org/{i}.jpg" for i in range(len(table))]
        pq.write_table(table.append_column("URL", [urls]), links / file.name)
    with pytest.raises(StudyError, match="no images, so there is nothing to compare with; write"):
        prepare(asked(), audit, links)
    empty = tmp_path / "empty"
    empty.mkdir()
    for file in captions.glob("*.parquet"):
        table = pq.read_table(file, columns=["TEXT"])
        names = [f"{i}.jpg" for i in range(len(table))]
        pq.write_table(table.append_column("file_name", [names]), empty / file.name)
    with pytest.raises(StudyError, match=r"none of \d+ selected captions that were tried"):
        prepare(asked(), audit, empty)
    assert read_selection(audit, "small") is None
    assert training_audit(audit) is None


def test_captions_longer_than_the_text_encoder_reads_are_no_prompts(
    captions: Path, audit: AuditFolder
) -> None:
    study = prepare(asked(subsets=["naive", "captions"]), audit, captions)
    drawn = study.drawn.captions["teacher"]
    less = KIND.without_texts(study, {drawn[0].caption})
    assert drawn[0].caption not in {one.text for one in less.prompts()}
    assert [one.long for one in less.drawn.captions["teacher"]] == [True, False, False, False]
    audit.remember_study(less.name, less.as_dict())
    again = prepare(asked(subsets=["naive", "captions"]), audit, captions)
    assert again.drawn == less.drawn, "it stays left out"


def test_images_that_cannot_be_had_are_counted_and_asked_for_once(
    captions: Path, audit: AuditFolder, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for file in captions.glob("*.parquet"):
        table = pq.read_table(file)
        rows = table.to_pylist()
        for row in rows[::2]:
            row["image"] = {"bytes": b"no image", "path": row["image"]["path"]}
        pq.write_table(table.from_pylist(rows, schema=table.schema), damaged / file.name)
    prepare(asked(), audit, damaged)
    training = training_audit(audit)
    assert training is not None
    failed = training.images().filter("status = 'failed'").select("reason").fetchall()
    assert failed
    assert {reason for (reason,) in failed} == {"corrupt image: no PNG, JPEG or WebP"}
    before = training.images().aggregate("count(*)").fetchall()
    prepare(asked(), audit, damaged)
    assert AuditFolder(training.path).images().aggregate("count(*)").fetchall() == before


def test_paraphrases_are_paid_for_once_and_stored_on_the_way(
    captions: Path, audit: AuditFolder
) -> None:
    class Counted(RuleParaphraser):
        asked = 0

        def paraphrase(self, captions: Any) -> list[str]:
            type(self).asked += len(captions)
            return super().paraphrase(captions)

    study = asked(subsets=["naive", "captions"])
    prepare(study, audit, captions)
    selection = read_selection(audit, "small")
    assert selection is not None
    drawn = with_captions(study, selection)
    stored: list[AmplificationStudy] = []
    first = with_paraphrases(drawn, Counted(), store=stored.append)
    assert stored[-1] == first
    asked_once = Counted.asked
    assert asked_once > 0
    assert with_paraphrases(first, Counted(), store=stored.append) == first
    assert Counted.asked == asked_once

    class Other(Counted):
        def __init__(self) -> None:
            super().__init__()
            self.identity = type(self.identity)("paraphraser", "other", {})

        def paraphrase(self, captions: Any) -> list[str]:
            return [f"Other: {one.text}" for one in captions]

    changed = with_paraphrases(first, Other(), store=stored.append)
    assert changed.drawn is not None
    text = changed.drawn.captions["teacher"][0].paraphrase
    assert text is not None
    assert text.startswith("Other: "), "another paraphraser writes again"


def test_a_chat_model_is_not_opened_when_all_is_paraphrased(
    captions: Path, audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    chat = asked(paraphraser={"by": "chat", "model": "small"})
    with pytest.raises(LanguageError, match="OPENAI_API_KEY"):
        prepare(chat, audit, captions)
    selection = read_selection(audit, "small")
    assert selection is not None

    class Answering(RuleParaphraser):
        def __init__(self) -> None:
            super().__init__()
            settings = {"url": "OpenAI", "instruction": digest(INSTRUCTION), "temperature": 0}
            self.identity = type(self.identity)("paraphraser", "small", settings)

    done = with_paraphrases(with_captions(chat, selection), Answering(), store=lambda study: None)
    assert prepare(carried_over(chat, done), audit, None) == done, "no key is wanted any more"
    other = asked(paraphraser={"by": "chat", "model": "large"})
    with pytest.raises(LanguageError, match="OPENAI_API_KEY"):
        prepare(carried_over(other, done), audit, None)
