"""Encoders through oneDNN give the plain model's embeddings, or are left as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pipelines
from portrayal.measurers import onednn, open_measurer
from portrayal.measurers.onednn import IMAGES_AT_ONCE, OneThreadEach, use_onednn


def images(count: int) -> list[Image.Image]:
    noise = np.random.default_rng(1)
    return [
        Image.fromarray(noise.integers(0, 256, (40, 40, 3), dtype=np.uint8)) for _ in range(count)
    ]


def embedded(encoder: Any, shown: list[Image.Image]) -> Any:
    return np.stack([answer["embedding"] for answer in encoder.measure(shown)])


@pytest.mark.parametrize("family", ["clip", "siglip"])
def test_embeddings_are_the_plain_models(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(getattr(pipelines, f"build_{family}")(tmp_path / family))
    fast: Any = open_measurer(folder, device="cpu")
    changed = [m for m in fast._towers._model.modules() if "forward" in vars(m)]
    kinds = {type(module).__name__ for module in changed}
    assert {"Linear", "CLIPMLP" if family == "clip" else "SiglipMLP"} <= kinds
    monkeypatch.setattr("portrayal.measurers.clip.use_onednn", lambda *given: False)
    plain: Any = open_measurer(folder, device="cpu")
    assert fast.identity == plain.identity
    for found, expected in (
        (embedded(fast, images(5)), embedded(plain, images(5))),
        (fast.embed_texts(["a doctor"]).vectors, plain.embed_texts(["a doctor"]).vectors),
    ):
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_a_model_that_would_not_agree_is_given_back(
    clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portrayal.measurers.clip.use_onednn", lambda *given: False)
    plain: Any = open_measurer(str(clip), device="cpu")
    before = embedded(plain, images(3))
    monkeypatch.setitem(onednn._FUSED, "QuickGELUActivation", ("swish", "", 1.0))
    with pytest.warns(UserWarning, match="runs without oneDNN"):
        assert not use_onednn(plain._towers._model, plain._towers._one_of_each)
    assert not [m for m in plain._towers._model.modules() if "forward" in vars(m)]
    assert np.array_equal(embedded(plain, images(3)), before)


def test_parts_of_a_batch_come_back_in_order() -> None:
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        each = OneThreadEach()
        inside = []

        def call(part: Any) -> list[int]:
            inside.append(torch.get_num_threads())
            assert len(part) <= IMAGES_AT_ONCE
            return list(part)

        found = each.map(call, list(range(100)))
        assert [one for part in found for one in part] == list(range(100))
        assert set(inside) == {1}
        assert torch.get_num_threads() == 3, "of the thread that asks"
        assert each.map(call, []) == []
    finally:
        torch.set_num_threads(threads)
