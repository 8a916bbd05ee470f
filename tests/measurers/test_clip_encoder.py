from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pipelines
from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementError
from portrayal.generators import generate
from portrayal.measurers import Encoder, MeasurementSummary, Reason, measure, open_measurer
from toy_generators import ColourGenerator


def some_images(n: int, *, size: tuple[int, int] = (20, 24)) -> list[Image.Image]:
    rng = np.random.default_rng(0)
    return [Image.fromarray(rng.integers(0, 256, (*size, 3), dtype=np.uint8)) for _ in range(n)]


def vectors(measured: list[Any]) -> np.ndarray[Any, Any]:
    return np.stack([values["embedding"] for values in measured])


@pytest.fixture(scope="module")
def encoder(clip: Path) -> Encoder:
    return open_measurer(str(clip))


# --- agreement with transformers itself ----------------------------------------------------------


def test_embeddings_are_those_of_the_model(clip: Path, encoder: Encoder) -> None:
    import torch
    from transformers import CLIPImageProcessorPil, CLIPModel, CLIPTokenizer

    from portrayal.loading.devices import quietly

    with quietly("transformers"), torch.no_grad():
        model = CLIPModel.from_pretrained(clip)
        prepare = CLIPImageProcessorPil.from_pretrained(clip)
        tokenizer = CLIPTokenizer.from_pretrained(clip)
        images, texts = some_images(5), ["a doctor", "a nurse at work", ""]
        pixels = prepare(images, return_tensors="pt")
        ids = tokenizer(texts, padding="max_length", return_tensors="pt")
        output = model(**ids, **pixels)
        logits = output.logits_per_image.numpy()
    ours = vectors(encoder.measure(images))
    read = encoder.embed_texts(texts)
    cosines = (ours / np.linalg.norm(ours, axis=1, keepdims=True)) @ (
        read.vectors / np.linalg.norm(read.vectors, axis=1, keepdims=True)
    ).T
    assert cosines * encoder.identity.settings["logit_scale"] == pytest.approx(logits, abs=1e-3)


def test_an_embedding_does_not_depend_on_its_batch(encoder: Encoder) -> None:
    images = some_images(9)
    together = vectors(encoder.measure(images))
    alone = vectors([encoder.measure([image])[0] for image in images])
    assert together == pytest.approx(alone, abs=1e-5)
    texts = ["a", "a much longer text than the other one", "b"]
    one = np.stack([encoder.embed_texts([text]).vectors[0] for text in texts])
    assert encoder.embed_texts(texts).vectors == pytest.approx(one, abs=1e-5)


# --- identity -------------------------------------------------------------------------------------


def test_the_identity_holds_what_changes_embeddings(clip: Path, encoder: Encoder) -> None:
    identity = encoder.identity
    assert (identity.kind, identity.name) == ("clip", "clip")
    assert identity.settings["logit_scale"] == pytest.approx(np.exp(2.6592), rel=1e-4)
    assert identity.settings["dtype"] == "float32"
    assert identity.settings["preprocessing"]["image_mean"] == [0.48145466, 0.4578275, 0.40821073]
    assert str(clip.parent) not in json.dumps(identity.as_dict()), "no absolute path"
    assert tuple(encoder.gives) == ("embedding",)
    assert isinstance(encoder, Encoder)


def test_other_weights_and_preparation_are_another_encoder(
    clip: Path, encoder: Encoder, tmp_path: Path
) -> None:
    other = open_measurer(str(pipelines.build_clip(tmp_path / "clip", seed=1)))
    assert set(other.identity.differences(encoder.identity)) == {"weights"}
    copy = tmp_path / "copy" / "clip"
    shutil.copytree(clip, copy)
    assert open_measurer(str(copy), batch_size=3, truncate=True).identity == encoder.identity
    file = copy / "processor_config.json"
    changed = json.loads(file.read_text())
    changed["image_processor"]["resample"] = 2
    file.write_text(json.dumps(changed))
    differences = open_measurer(str(copy)).identity.differences(encoder.identity)
    assert set(differences) == {"configuration", "preprocessing"}


def test_dtypes_are_different_encoders(clip: Path, encoder: Encoder) -> None:
    half = open_measurer(str(clip), dtype="bfloat16")
    assert half.identity.digest != encoder.identity.digest
    ours, theirs = vectors(half.measure(some_images(3))), vectors(encoder.measure(some_images(3)))
    assert ours.dtype == np.float32
    assert ours == pytest.approx(theirs, abs=0.05)


# --- texts ----------------------------------------------------------------------------------------


def test_a_long_text_is_an_error_that_says_everything(encoder: Encoder) -> None:
    longest = "x" * (pipelines.WINDOW - 2)
    assert encoder.embed_texts([longest]).truncated == [False]
    with pytest.raises(MeasurementError) as caught:
        encoder.embed_texts(["fine", longest + "x"])
    assert "78 tokens" in str(caught.value)
    assert "reads 77" in str(caught.value)
    assert "`truncate`" in str(caught.value)


def test_truncated_texts_are_counted(clip: Path, tmp_path: Path) -> None:
    cutting = open_measurer(str(clip), truncate=True)
    read = cutting.embed_texts(["x" * 75, "x" * 100, "x" * 101])
    assert list(read.truncated) == [False, True, True]
    assert list(read.tokens) == [77, 102, 103]
    assert read.vectors[1] == pytest.approx(read.vectors[2], abs=1e-5)
    audit = AuditFolder.at(tmp_path / "audit", ColourGenerator().identity)
    summary = measure(audit, [cutting], texts=["a", "x" * 100, "a"])
    assert summary == MeasurementSummary(texts=2, truncated=1)


def test_texts_are_embedded_once(encoder: Encoder, tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", ColourGenerator().identity)
    texts = [f"text {i}" for i in range(300)]
    assert measure(audit, [encoder], texts=texts).texts == 300
    assert measure(audit, [encoder], texts=[*texts, "new"]).texts == 1
    stored = audit.text_embeddings(encoder.identity, ["text 7", "new"])
    assert stored == pytest.approx(encoder.embed_texts(["text 7", "new"]).vectors, abs=1e-5)


# --- never a number that is none ------------------------------------------------------------------


def test_nan_is_a_reason_and_never_data(clip: Path, tmp_path: Path) -> None:
    import torch

    broken: Any = open_measurer(str(clip))
    with torch.no_grad():
        broken._towers._model.visual_projection.weight[0] = float("nan")
        broken._towers._model.text_projection.weight[0] = float("inf")
    assert broken.measure(some_images(2)) == [Reason("encoder returned NaN")] * 2
    with pytest.raises(MeasurementError, match="'a': clip: encoder returned NaN"):
        broken.embed_texts(["a"])
    generator = ColourGenerator()
    audit = AuditFolder.at(tmp_path / "audit", generator.identity)
    generate(audit, generator, [("a", 3)])
    assert measure(audit, [broken]).reasons == {"encoder returned NaN": 3}
    assert audit.embeddings(broken.identity)[0] == []


def test_no_images(encoder: Encoder) -> None:
    assert encoder.measure([]) == []


# --- SigLIP ---------------------------------------------------------------------------------------


def test_siglip_is_an_encoder_too(tmp_path: Path) -> None:
    encoder = open_measurer(str(pipelines.build_siglip(tmp_path / "siglip")))
    assert encoder.identity.kind == "siglip"
    assert {"logit_scale", "logit_bias"} <= set(encoder.identity.settings)
    assert (
        vectors(encoder.measure(some_images(3))).shape
        == encoder.embed_texts(["a", "b", "c"]).vectors.shape
    )
    with pytest.raises(MeasurementError, match="reads 64"):
        encoder.embed_texts(["x" * 80])


# --- folders that are wrong -----------------------------------------------------------------------


def message_of(name: str, **settings: Any) -> str:
    with pytest.raises(MeasurementError) as caught:
        open_measurer(name, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_folder_called_practice_is_not_taken_for_the_practice_encoder(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = shutil.copytree(clip, tmp_path / "practice")
    monkeypatch.chdir(tmp_path)
    for written in (str(own), "./practice", "practice"):
        assert message_of(written).endswith("would be taken for it; rename the folder")
    assert open_measurer(str(own.rename(tmp_path / "mine"))).identity.name == "mine"


def test_wrong_folders_are_named(clip: Path, sd1: Path, tmp_path: Path) -> None:
    assert "no such folder" in message_of(str(tmp_path / "nowhere"))
    assert "has no config.json" in message_of(str(tmp_path))
    assert "does not embed images and texts" in message_of(str(_text_tower(sd1, tmp_path)))
    copy = tmp_path / "clip"
    shutil.copytree(clip, copy)
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    assert "allowed: safetensors" in message_of(str(copy))
    (copy / "pytorch_model.bin").unlink()
    assert "cannot be loaded" in message_of(str(copy))
    (copy / "config.json").write_text("{")
    assert "cannot be loaded" in message_of(str(copy))


def test_an_encoder_that_lacks_weights_or_words_is_refused(clip: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "clip"
    shutil.copytree(clip, copy)
    weights = load_file(copy / "model.safetensors")
    del weights["visual_projection.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    assert "lack weights that the model needs: visual_projection.weight" in message_of(str(copy))
    shutil.copy(clip / "model.safetensors", copy)
    (copy / "tokenizer.json").unlink()
    assert "its tokenizer knows no word" in message_of(str(copy))


def _text_tower(sd1: Path, folder: Path) -> Path:
    """Return a folder with a text tower alone, and the preparations that a CLIP would have."""
    tower = folder / "tower"
    shutil.copytree(sd1 / "text_encoder", tower)
    for file in (sd1 / "tokenizer").iterdir():
        shutil.copy(file, tower)
    pipelines.build_feature_extractor().save_pretrained(tower)
    return tower


def test_an_unreachable_hub_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "the Hub did not give it" in message_of("nobody/has-this-encoder")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"dtype": "int8"}, "allowed: float32"),
        ({"device": "warp"}, "'warp' cannot be used"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"steps": 3}, "knows no `steps`; allowed: `dtype`"),
    ],
)
def test_bad_settings_are_named(clip: Path, setting: dict[str, Any], message: str) -> None:
    assert message in message_of(str(clip), **setting)
