"""A corpus of links: addresses written out, downloads attached, dead links topped up, counted."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from portrayal.audit import AuditFolder
from portrayal.audit.selections import read_selection, training_audit
from portrayal.corpora import Corpus, Term, create_corpus
from portrayal.errors import CorpusError, StudyError
from portrayal.kinds.amplification.kind import KIND
from portrayal.kinds.amplification.link_rot import corrected_share
from portrayal.kinds.amplification.preparation import links_of_study, prepare
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.progress import no_progress
from portrayal.studies.reading import load_study, study_from_dict

CAPTIONS = 30


def asked(**changes: Any) -> AmplificationStudy:
    data = load_study("paradox-practice").as_dict()
    small = {"occupations": ("nurse",), "captions": CAPTIONS, "subsets": ("naive", "no-indicators")}
    found = study_from_dict({**data, "name": "small", "names": "none", **small, **changes})
    assert isinstance(found, AmplificationStudy)
    return found


def png(shade: int) -> bytes:
    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", (8, 8), (shade, 10, 10)).save(data, "PNG")
    return data.getvalue()


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """400 captions with addresses; every other says that a woman is shown."""
    words = ["a woman nurse", "a nurse"]
    captions = [f"{words[i % 2]} number {i}" for i in range(400)]
    urls = [f"https://example.org/{i}.png" for i in range(400)]
    pq.write_table(pa.table({"TEXT": captions, "URL": urls}), tmp_path / "laion.parquet")
    return create_corpus(tmp_path / "corpus", [tmp_path / "laion.parquet"])


def is_dead(caption: str) -> bool:
    """30% of links are dead, more of captions with an indicator."""
    number = int(caption.rsplit(" ", 1)[1]) // 2 % 10
    return number < (5 if "woman" in caption else 1)


def download(links: Path, folder: Path) -> Path:
    """Do what img2dataset does with a list of addresses, without a network."""
    folder.mkdir(parents=True)
    rows = pq.read_table(links).to_pylist()
    told = []
    with tarfile.open(folder / "00000.tar", "w") as tar:
        for number, row in enumerate(rows):
            dead = is_dead(row["caption"])
            key = f"{number:09d}"
            status = "failed_to_download" if dead else "success"
            told.append({**row, "key": key, "status": status})
            if not dead:
                for ending, data in (
                    ("jpg", png(number % 256)),
                    ("json", json.dumps(row).encode()),
                ):
                    info = tarfile.TarInfo(f"{key}.{ending}")
                    info.size = len(data)
                    tar.addfile(info, io.BytesIO(data))
    pq.write_table(pa.Table.from_pylist(told), folder / "00000.parquet")
    return folder


def test_dead_links_are_topped_up_until_the_sample_is_whole_and_the_loss_is_told(
    corpus: Corpus, audit: AuditFolder, tmp_path: Path
) -> None:
    study = asked()
    with pytest.raises(StudyError, match=r"portrayal corpus urls .* --study small"):
        KIND.check(study, tmp_path / "none", corpus.folder)
    for turn in range(4):
        captions = links_of_study(study, corpus.folder, on_progress=no_progress)
        if not captions:
            break
        links = tmp_path / f"urls-{turn}.parquet"
        assert corpus.write_links(captions, links) == len(captions)
        corpus.attach(download(links, tmp_path / f"downloads-{turn}"))
    assert not captions, "a few turns are enough"
    prepare(study, audit, corpus.folder)
    selection = read_selection(audit, "small")
    training = training_audit(audit)
    assert selection is not None
    assert training is not None
    taken = selection.table["caption"].to_pylist()
    assert len(taken) == CAPTIONS
    assert not any(is_dead(caption) for caption in taken)
    assert {row[0] for row in training.images().select("status").fetchall()} == {"ok"}

    found = corpus.search([Term.of("nurse")], per_term=400, seed=study.seed)
    order = found.table(["caption"])["caption"].to_pylist()
    walked = order[: order.index(taken[-1]) + 1]
    assert [one for one in walked if not is_dead(one)] == taken, "a sample of the whole corpus"
    told = selection.about["lost"]["nurse"]
    for indicator, marked in (("female", True), ("unknown", False)):
        own = [one for one in walked if ("woman" in one) is marked]
        assert told[indicator] == [len(own), sum(is_dead(one) for one in own)]


def test_downloads_of_other_addresses_are_counted_and_left_alone(
    corpus: Corpus, tmp_path: Path
) -> None:
    with pytest.raises(CorpusError, match="no addresses were written out"):
        corpus.attach(tmp_path)
    corpus.write_links({(0, 0): "a woman nurse number 0"}, tmp_path / "urls.csv")
    assert (tmp_path / "urls.csv").read_text().startswith('"url","caption","portrayal"')
    other = tmp_path / "other.parquet"
    rows = [{"url": "https://example.org/x", "caption": "a nurse number 3", "portrayal": "9:9"}]
    pq.write_table(pa.Table.from_pylist(rows), other)
    found = corpus.attach(download(other, tmp_path / "downloads"))
    assert (found.tried, found.alive, found.unknown) == (0, 0, 1)


def test_shares_corrected_for_dead_links_cover_the_truth() -> None:
    """Rot depends on the indicator alone: 30% of links are dead, 48% and 12% by indicator."""
    rng = np.random.default_rng(5)
    truth, hits = 0.5 * 0.9 + 0.5 * 0.2, 0
    naive = []
    for _ in range(400):
        said = rng.random(300) < 0.5
        women = rng.random(300) < np.where(said, 0.9, 0.2)
        alive = rng.random(300) >= np.where(said, 0.48, 0.12)
        counts = [{"f": int((said & w).sum()), "u": int((~said & w).sum())}
                  for w in (women & alive, alive, np.ones(300, bool))]  # fmt: skip
        low, high = corrected_share(*counts, rng=rng, draws=800).interval
        hits += low <= truth <= high
        naive.append(women[alive].mean())
    assert 0.92 <= hits / 400 <= 0.98
    assert abs(np.mean(naive) - truth) > 0.05, "without correction the share is wrong"
