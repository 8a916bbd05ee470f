"""Model folders that are wrong: one clear line each, and no foreign code is run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from portrayal.errors import GenerationError
from portrayal.generators import open_generator


@pytest.fixture
def copy(sd1: Path, tmp_path: Path) -> Path:
    shutil.copytree(sd1, tmp_path / "sd1")
    return tmp_path / "sd1"


def message_of(model: Path | str) -> str:
    with pytest.raises(GenerationError) as caught:
        open_generator(str(model))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_no_such_folder(tmp_path: Path) -> None:
    assert "no such folder" in message_of(tmp_path / "nowhere")
    assert "no such folder" in message_of("nowhere")


def test_a_hub_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "the Hub did not give it" in message_of("nobody/has-this-model")


def test_a_folder_without_index(tmp_path: Path) -> None:
    assert "it is not a diffusers pipeline: it has no model_index.json" in message_of(tmp_path)


@pytest.mark.parametrize("text", ["{", "[1]", '"x"'])
def test_a_broken_index(tmp_path: Path, text: str) -> None:
    (tmp_path / "model_index.json").write_text(text)
    assert "not a diffusers pipeline" in message_of(tmp_path)


def test_weights_in_a_pickle(copy: Path) -> None:
    (copy / "unet" / "diffusion_pytorch_model.safetensors").rename(
        copy / "unet" / "diffusion_pytorch_model.bin"
    )
    assert "allowed: safetensors" in message_of(copy)


def test_weights_that_are_missing(copy: Path) -> None:
    (copy / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    assert "cannot be loaded" in message_of(copy)


def test_weights_that_are_truncated(copy: Path) -> None:
    file = copy / "vae" / "diffusion_pytorch_model.safetensors"
    file.write_bytes(file.read_bytes()[:5000])
    assert "cannot be loaded" in message_of(copy)


def test_code_that_comes_with_a_model_is_not_run(copy: Path) -> None:
    ran = copy / "ran"
    code = f"open({str(ran)!r}, 'w')\nclass Evil: pass\nclass Pipe: pass\n"
    (copy / "unet" / "evil.py").write_text(code)
    (copy / "pipeline.py").write_text(code)
    index = json.loads((copy / "model_index.json").read_text())
    for change in (
        {"unet": ["evil", "Evil"]},
        {"_class_name": ["pipeline", "Pipe"]},
        {"unet": ["os", "system"]},
    ):
        (copy / "model_index.json").write_text(json.dumps(index | change))
        message_of(copy)
    assert not ran.exists()


def test_a_pipeline_that_makes_no_images_from_text(tmp_path: Path) -> None:
    from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel

    import pipelines

    unet = UNet2DModel(
        sample_size=8,
        block_out_channels=(8,),
        down_block_types=("DownBlock2D",),
        up_block_types=("UpBlock2D",),
        norm_num_groups=8,
    )
    folder = pipelines.save(DDPMPipeline(unet, DDPMScheduler()), tmp_path / "ddpm")
    assert "DDPMPipeline makes no images from text" in message_of(folder)


def test_weights_of_which_only_a_variant_is_there(copy: Path, sd1: Path) -> None:
    for folder in ("unet", "vae", "text_encoder"):
        file = next((copy / folder).glob("*.safetensors"))
        file.rename(file.with_name(file.name.replace(".safetensors", ".fp16.safetensors")))
    weights = [open_generator(str(f)).identity.settings["weights"] for f in (copy, sd1)]
    assert weights[0] != weights[1], "file names count"
