from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from caption_files import practice_captions, write

from portrayal.corpora import CaptionSet, Corpus, create_corpus, embeddings, nearest, terms_of
from portrayal.corpora.neighbours import filled
from portrayal.errors import CorpusError
from portrayal.records import Identity

JOBS = ["nurse", "doctor", "engineer", "xylophonist"]
TEMPLATES = ["A photo of the face of {a term}", "A photo of {a term} at work"]


class HashEncoder:
    """Words thrown into 16 directions: like texts are near, and every vector is known."""

    def __init__(self, name: str = "hash", *, stops_after: int | None = None) -> None:
        self.identity = Identity("sentences", name)
        self.asked: list[str] = []
        self.calls = 0
        self._stops_after = stops_after

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.calls += 1
        if self._stops_after is not None and self.calls > self._stops_after:
            raise KeyboardInterrupt
        self.asked += texts
        return np.array([self._one(text) for text in texts], np.float32)

    def _one(self, text: str) -> npt.NDArray[np.float64]:
        total = np.zeros(16)
        for word in text.lower().split() or [""]:
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            total += np.random.default_rng(seed).normal(size=16)
        return total


def brute_force(
    captions: CaptionSet, term: str, prompt: str, k: int
) -> tuple[list[tuple[int, int]], float]:
    """All cosines at once, sorted whole; equals by source and row. Also their mean."""
    rows = [row for row in captions.table().to_pylist() if row["term"] == term]
    if not rows:
        return [], 0.0
    encoder = HashEncoder()
    vectors = encoder.embed([row["caption"] for row in rows]).astype(np.float64)
    towards = encoder.embed([prompt])[0].astype(np.float64)
    cosines = [float(v @ towards / np.linalg.norm(v) / np.linalg.norm(towards)) for v in vectors]
    ranked = sorted(
        zip(cosines, rows, strict=True),
        # Rounded: equal captions are equal, whichever way the sum was taken.
        key=lambda one: (-round(one[0], 12), one[1]["source"], one[1]["row"]),
    )
    return [(row["source"], row["row"]) for _, row in ranked[:k]], float(np.mean(cosines))


@pytest.fixture
def found(corpus: Corpus) -> CaptionSet:
    return corpus.search(terms_of(JOBS), per_term=None)


# Validation


def test_wrong_questions(corpus: Corpus, found: CaptionSet) -> None:
    encoder = HashEncoder()
    with pytest.raises(CorpusError, match="k is 0"):
        nearest(corpus, found, {"nurse": ["x"]}, encoder, k=0)
    with pytest.raises(CorpusError, match="contains no term 'mayor'"):
        nearest(corpus, found, {"mayor": ["x"]}, encoder, k=1)
    with pytest.raises(CorpusError, match="'nurse': no prompt"):
        nearest(corpus, found, {"nurse": []}, encoder, k=1)
    assert encoder.asked == []


@pytest.mark.parametrize("template", ["A photo", "A photo of {job}", "A {term of", "{term} {x}"])
def test_wrong_templates(template: str) -> None:
    with pytest.raises(CorpusError, match="prompt"):
        filled([template], ["nurse"])


def test_articles() -> None:
    assert filled(["A photo of {a term}"], ["engineer", "CEO"]) == {
        "engineer": ["A photo of an engineer"], "CEO": ["A photo of a CEO"]
    }  # fmt: skip


# Agreement with an independent implementation


@pytest.mark.parametrize("batch", [7, 2_048])
@pytest.mark.parametrize("k", [1, 5, 1_000])
def test_the_same_as_brute_force(
    corpus: Corpus, found: CaptionSet, monkeypatch: pytest.MonkeyPatch, batch: int, k: int
) -> None:
    monkeypatch.setattr(embeddings, "BATCH", batch)
    prompts = filled(TEMPLATES, JOBS)
    near = nearest(corpus, found, prompts, HashEncoder(), k=k)
    rows = near.captions.table().to_pylist()
    for similar in near.similarity:
        own = [r for r in rows if (r["term"], r["prompt"]) == (similar.term, similar.prompt)]
        expected, mean = brute_force(found, similar.term, similar.prompt, k)
        assert [(row["source"], row["row"]) for row in own] == expected
        assert [row["rank"] for row in own] == list(range(1, len(expected) + 1))
        assert [row["cosine"] for row in own] == sorted((r["cosine"] for r in own), reverse=True)
        assert similar.n == found.counts[similar.term]
        assert similar.k == len(own)
        if own:
            assert similar.mean_all == pytest.approx(mean)
            assert similar.mean_nearest == pytest.approx(np.mean([r["cosine"] for r in own]))
        else:
            assert (similar.mean_all, similar.mean_nearest) == (None, None)
    assert near.captions.counts["xylophonist"] == 0


def test_captions_come_with_their_rows(
    corpus: Corpus, found: CaptionSet, captions: list[str]
) -> None:
    near = nearest(corpus, found, filled(TEMPLATES, ["nurse"]), HashEncoder(), k=4)
    for row in near.captions.table().to_pylist():
        assert captions[1_000 * row["source"] + row["row"]] == row["caption"]


def test_equal_captions_are_ordered_by_place(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", ["a nurse", "nurse x", "a nurse"])
    write(tmp_path / "b.parquet", ["a nurse"])
    corpus = create_corpus(tmp_path / "c", [tmp_path])
    found = corpus.search(terms_of(["nurse"]), per_term=None).where([3, 2, 1, 0], "reversed")
    near = nearest(corpus, found, {"nurse": ["a nurse"]}, HashEncoder(), k=3).captions.table()
    places = list(zip(near["source"].to_pylist(), near["row"].to_pylist(), strict=True))
    assert places == [(0, 0), (0, 2), (1, 0)]
    assert near["cosine"].to_pylist() == pytest.approx([1.0] * 3)


# The cache


def test_an_interrupted_run_does_no_batch_twice(
    corpus: Corpus, found: CaptionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "BATCH", 8)
    prompts = {"nurse": ["a nurse"], "doctor": ["a doctor"]}
    texts = found.table()["caption"].to_pylist()
    cut = HashEncoder(stops_after=3)
    with pytest.raises(KeyboardInterrupt):
        nearest(corpus, found, prompts, cut, k=5)
    assert len(cut.asked) == 24
    rest = HashEncoder()
    told: list[tuple[int, int]] = []
    near = nearest(
        corpus, found, prompts, rest, k=5,
        on_progress=lambda what, done, total: told.append((done, total)),
    )  # fmt: skip
    embedded = [text for text in rest.asked if text not in ("a nurse", "a doctor")]
    assert sorted(cut.asked + embedded) == sorted(set(texts))
    assert near.embedded == len(set(texts)) - 24 == told[-1][0] == told[-1][1]
    whole = nearest(
        Corpus(corpus.folder), found, prompts, HashEncoder("another"), k=5, name="whole"
    )  # fmt: skip
    assert whole.captions.table().equals(near.captions.table())


def test_a_second_question_embeds_only_prompts(corpus: Corpus, found: CaptionSet) -> None:
    nearest(corpus, found, {"nurse": ["a nurse"]}, HashEncoder(), k=5)
    again = HashEncoder()
    near = nearest(corpus, found, {"nurse": ["the nurse"]}, again, k=5)
    assert again.asked == ["the nurse"]
    assert near.embedded == 0
    stored = HashEncoder()
    same = nearest(corpus, found, {"nurse": ["the nurse"]}, stored, k=5)
    assert stored.asked == []
    assert same.similarity == near.similarity


def test_other_prompts_do_not_matter(corpus: Corpus, found: CaptionSet) -> None:
    """The answers of this encoder hang on what else is asked, as padding makes them."""

    class Padding(HashEncoder):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            longest = max(map(len, texts))
            return super().embed([f"{text}{' _' * (longest - len(text))}" for text in texts])

    wanted = {"nurse": ["a nurse"]}
    alone = nearest(corpus, found, wanted, Padding("padding"), k=9).captions.table()
    more = {"nurse": ["a nurse"], "doctor": ["a portrait photo of a doctor"]}
    together = nearest(corpus, found, more, Padding("padding"), k=9).captions.table()
    own = [row for row in together.to_pylist() if row["term"] == "nurse"]
    assert own == alone.to_pylist()


def test_encoders_do_not_share_vectors(corpus: Corpus, found: CaptionSet) -> None:
    one = nearest(corpus, found, {"nurse": ["a nurse"]}, HashEncoder("one"), k=5)
    two = nearest(corpus, found, {"nurse": ["a nurse"]}, HashEncoder("two"), k=5)
    assert one.identity.digest != two.identity.digest
    assert two.embedded > 0


def test_a_damaged_part_of_the_cache_is_made_again(corpus: Corpus, found: CaptionSet) -> None:
    first = nearest(corpus, found, {"nurse": ["a nurse"]}, HashEncoder(), k=5, name="first")
    before = first.captions.table()
    (part,) = (corpus.folder / "embeddings").rglob("part-*.parquet")
    data = bytearray(part.read_bytes())
    data[100:400] = bytes(300)
    part.write_bytes(data)
    again = HashEncoder()
    (corpus.folder / "sets" / "first.parquet").unlink()
    second = nearest(corpus, found, {"nurse": ["a nurse"]}, again, k=5)
    assert second.embedded == first.embedded
    assert second.captions.table().equals(before)


def test_an_encoder_that_has_no_number(corpus: Corpus, found: CaptionSet) -> None:
    class Broken(HashEncoder):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            rows = super().embed(texts)
            rows[-1, 0] = np.nan
            return rows

    class Short(HashEncoder):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return super().embed(texts)[1:]

    with pytest.raises(CorpusError, match="has no number for"):
        nearest(corpus, found, {"nurse": ["a nurse"]}, Broken("broken"), k=5)
    with pytest.raises(CorpusError, match="it is broken"):
        nearest(corpus, found, {"nurse": ["a nurse"]}, Short("short"), k=5)


def test_without_indicators_first(corpus: Corpus, found: CaptionSet) -> None:
    """The paper's "NN + no indicators": neighbours among what is left."""
    from portrayal.corpora import label_set
    from portrayal_practice.plugins import practice_names

    labels = label_set(found, practice_names())
    plain = found.where([label == "unknown" for label in labels], "plain")
    near = nearest(corpus, plain, {"nurse": ["A photo of a nurse"]}, HashEncoder(), k=5)
    allowed = set(plain.table()["caption"].to_pylist())
    assert set(near.captions.table()["caption"].to_pylist()) <= allowed


@pytest.mark.slow
def test_twenty_thousand_captions_like_brute_force(tmp_path: Path) -> None:
    write(tmp_path / "x.parquet", practice_captions(20_000, seed=5))
    corpus = create_corpus(tmp_path / "c", [tmp_path / "x.parquet"])
    found = corpus.search(terms_of(["nurse", "photo"]), per_term=None)
    near = nearest(corpus, found, {"photo": ["A photo of a nurse"]}, HashEncoder(), k=500)
    rows = near.captions.table().to_pylist()
    expected, _ = brute_force(found, "photo", "A photo of a nurse", 500)
    assert [(row["source"], row["row"]) for row in rows] == expected
