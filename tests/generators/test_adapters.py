"""LoRA: the images of diffusers itself, and an identity that tells adapters apart."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import pipelines
from portrayal.errors import GenerationError
from portrayal.generators import Generator, open_generator
from portrayal.generators.adapters import absolute, find_adapter
from portrayal.generators.registry import portable_name
from portrayal.loading.devices import quietly
from portrayal.records import Request

REQUESTS = [Request("a doctor", 0), Request("a nurse at work", 1), Request("", 2)]


@pytest.fixture(scope="module")
def lora(models: Path, sd1: Path) -> Path:
    return pipelines.build_lora(models / "lora", sd1)


def pixels(generator: Generator) -> npt.NDArray[np.int16]:
    made = [one.image for one in generator.generate(REQUESTS)]
    return np.stack([np.asarray(image, dtype=np.int16) for image in made])


def plain(sd1: Path, files: Sequence[Path], scales: Sequence[float]) -> npt.NDArray[np.int16]:
    """The same images as diffusers' documentation makes them: adapters beside the weights."""
    import torch
    from diffusers import DiffusionPipeline

    with quietly("diffusers", "transformers"):
        pipeline = DiffusionPipeline.from_pretrained(sd1, local_files_only=True)
        pipeline.set_progress_bar_config(disable=True)
        for i, file in enumerate(files):
            pipeline.load_lora_weights(file.parent, weight_name=file.name, adapter_name=f"a{i}")
        pipeline.set_adapters([f"a{i}" for i in range(len(files))], list(scales))
        images = pipeline(
            [request.prompt for request in REQUESTS],
            generator=[torch.Generator().manual_seed(request.seed) for request in REQUESTS],
            num_inference_steps=3,
        ).images
    return np.stack([np.asarray(image, dtype=np.int16) for image in images])


@pytest.mark.parametrize("scale", [1.0, 0.4])
def test_images_are_those_of_the_plain_pipeline(sd1: Path, lora: Path, scale: float) -> None:
    written = str(lora) if scale == 1.0 else f"{lora}@{scale}"
    ours = pixels(open_generator(str(sd1), steps=3, lora=(written,)))
    assert np.abs(ours - plain(sd1, [lora], [scale])).max() <= 2
    assert np.abs(ours - pixels(open_generator(str(sd1), steps=3))).max() > 2, "it does something"


def test_two_adapters_at_once(sd1: Path, lora: Path, tmp_path: Path) -> None:
    other = pipelines.build_lora(tmp_path / "other", sd1, seed=7)
    both = open_generator(str(sd1), steps=3, lora=(f"{lora}@0.7", f"{other}@0.3"))
    assert np.abs(pixels(both) - plain(sd1, [lora, other], [0.7, 0.3])).max() <= 2
    found = both.identity.settings["adapters"]
    assert [one["scale"] for one in found] == [0.7, 0.3]
    assert found[0]["weights"] != found[1]["weights"]


def test_scale_zero_is_the_model_without_it(sd1: Path, lora: Path) -> None:
    without = pixels(open_generator(str(sd1), steps=3))
    assert (
        np.abs(pixels(open_generator(str(sd1), steps=3, lora=(f"{lora}@0",))) - without).max() <= 1
    )


def test_the_identity_goes_by_weights_and_scale(sd1: Path, lora: Path, tmp_path: Path) -> None:
    with_it = open_generator(str(sd1), steps=3, lora=(str(lora),)).identity
    bare = open_generator(str(sd1), steps=3).identity
    assert set(with_it.differences(bare)) == {"adapters"}
    copy = Path(shutil.copytree(lora.parent, tmp_path / "elsewhere")) / lora.name
    assert open_generator(str(sd1), steps=3, lora=(str(copy),)).identity == with_it
    renamed = tmp_path / "style.safetensors"
    shutil.copy(copy, renamed)
    assert open_generator(str(sd1), steps=3, lora=(str(renamed),)).identity == with_it
    weaker = open_generator(str(sd1), steps=3, lora=(f"{lora}@0.5",)).identity
    other = pipelines.build_lora(tmp_path / "other", sd1, seed=7)
    changed = open_generator(str(sd1), steps=3, lora=(str(other),)).identity
    assert len({one.digest for one in (with_it, bare, weaker, changed)}) == 4
    assert str(tmp_path) not in str(changed.as_dict())


def test_a_folder_with_one_file_will_do(lora: Path) -> None:
    found = find_adapter(f"{lora.parent}@0.25")
    assert (found.file, found.scale) == (lora, 0.25)


def test_a_name_may_hold_the_sign(lora: Path, tmp_path: Path) -> None:
    odd = tmp_path / "style@2.safetensors"
    shutil.copy(lora, odd)
    assert find_adapter(str(odd)).scale == 1.0
    assert find_adapter(f"{odd}@2").scale == 2.0


def test_other_processes_are_told_absolute_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.safetensors").touch()
    (tmp_path / "b@2.safetensors").touch()
    assert absolute("a.safetensors") == f"{tmp_path}/a.safetensors"
    assert absolute("a.safetensors@0.5") == f"{tmp_path}/a.safetensors@0.5"
    assert absolute("b@2.safetensors") == f"{tmp_path}/b@2.safetensors"
    assert absolute("owner/name@0.5") == "owner/name@0.5"
    (tmp_path / "practice").mkdir()
    assert portable_name("practice") == "practice", "a name of ours means ours everywhere"
    assert portable_name("a.safetensors") == f"{tmp_path}/a.safetensors"


def test_an_adapter_for_another_model_is_an_error(sd1: Path, tmp_path: Path) -> None:
    wide = pipelines.build_sd1(tmp_path / "wide", channels=(16, 64))
    with pytest.raises(GenerationError, match="cannot be loaded into StableDiffusionPipeline"):
        open_generator(str(sd1), lora=(str(pipelines.build_lora(tmp_path / "l", wide)),))


def test_an_adapter_without_a_layer_of_the_model_is_an_error(sd1: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    file = tmp_path / "odd.safetensors"
    weights = {
        f"transformer.blocks.0.attn.to_q.lora_{side}.weight": torch.zeros(2, 2) for side in "AB"
    }
    save_file(weights, file)
    with pytest.raises(GenerationError, match=r"`lora` .*odd.\w+: (contains nothing|cannot)"):
        open_generator(str(sd1), lora=(str(file),))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.safetensors", "no such folder, and not a Hub id"),
        ("pickle.bin", "a pickle can run code"),
        ("several", "which of its .safetensors files[?] it has: a.safetensors, b.safetensors"),
        ("empty", "contains no .safetensors file"),
        ("several@strong", "scale is 'strong'; allowed: a number"),
        ("several@nan", "scale is 'nan'"),
    ],
)
def test_bad_adapters_are_named(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "several").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "pickle.bin").touch()
    for file in ("a", "b"):
        (tmp_path / "several" / f"{file}.safetensors").touch()
    with pytest.raises(GenerationError, match=message):
        find_adapter(str(tmp_path / name))
