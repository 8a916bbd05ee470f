"""open_clip needs a torchvision that fits torch; where there is none these tests are skipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from portrayal.errors import MeasurementError, MissingExtra
from portrayal.measurers import open_measurer

SIZES = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16},
    "text_cfg": {
        "context_length": 77,
        "vocab_size": 49408,
        "width": 32,
        "heads": 2,
        "layers": 2,
    },
}


def library() -> Any:
    try:
        import open_clip
    except (ImportError, RuntimeError) as problem:
        pytest.skip(f"open_clip cannot be imported here: {problem}")
    return open_clip


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    open_clip = library()
    import torch
    from safetensors.torch import save_file

    folder = tmp_path_factory.mktemp("open_clip")
    (folder / "Tiny-Test.json").write_text(json.dumps(SIZES))
    open_clip.add_model_config(folder / "Tiny-Test.json")
    torch.manual_seed(0)
    model = open_clip.create_model("Tiny-Test")
    save_file(model.state_dict(), folder / "tiny.safetensors")
    return folder / "tiny.safetensors"


def test_embeddings_are_those_of_the_model(weights: Path) -> None:
    import torch

    open_clip = library()
    encoder = open_measurer(f"open_clip:Tiny-Test/{weights}")
    model, _, prepare = open_clip.create_model_and_transforms("Tiny-Test", pretrained=str(weights))
    model.eval()
    pixels = np.random.default_rng(0).integers(0, 256, (40, 30, 3), dtype=np.uint8)
    image = Image.fromarray(pixels)
    tokens = open_clip.get_tokenizer("Tiny-Test")(["a doctor", "a nurse"])
    with torch.no_grad():
        seen, read = model.encode_image(prepare(image)[None]), model.encode_text(tokens)
    measured: Any = encoder.measure([image])[0]
    assert measured["embedding"] == pytest.approx(seen[0].numpy(), abs=1e-5)
    assert encoder.embed_texts(["a doctor", "a nurse"]).vectors == pytest.approx(
        read.numpy(), abs=1e-5
    )


def test_the_identity_has_no_path_and_the_logit_scale(weights: Path) -> None:
    identity = open_measurer(f"open_clip:Tiny-Test/{weights}").identity
    assert identity.name == "Tiny-Test/tiny.safetensors"
    assert identity.settings["logit_scale"] == pytest.approx(1 / 0.07, rel=1e-4)
    assert identity.settings["preprocessing"]["size"] == [32, 32]
    written = json.dumps(identity.as_dict())
    assert str(weights.parent) not in written
    assert "0x" not in written, "no address of an object: the identity outlives the process"


def test_long_texts_are_an_error_or_counted(weights: Path) -> None:
    name, text = f"open_clip:Tiny-Test/{weights}", "doctor " * 76
    with pytest.raises(MeasurementError, match="78 tokens"):
        open_measurer(name).embed_texts([text])
    read = open_measurer(name, truncate=True).embed_texts(["doctor " * 75, text])
    assert list(read.truncated) == [False, True]


def test_wrong_names_are_an_error(weights: Path, tmp_path: Path) -> None:
    for name, message in (
        ("open_clip:No-Such/laion2b", "an architecture of open_clip"),
        ("open_clip:Tiny-Test", "write open_clip:ARCHITECTURE/WEIGHTS"),
        ("open_clip:Tiny-Test/nowhere", "'nowhere' is no file and no weights"),
        (f"open_clip:Tiny-Test/{_pickle(tmp_path)}", "allowed: a safetensors file"),
    ):
        with pytest.raises(MeasurementError, match=message):
            open_measurer(name)


def _pickle(folder: Path) -> Path:
    (folder / "tiny.pt").write_bytes(b"")
    return folder / "tiny.pt"


def test_without_open_clip_the_pip_command_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(MissingExtra, match=r'pip install "portrayal\[openclip\]"'):
        open_measurer("open_clip:ViT-B-32/laion2b")
