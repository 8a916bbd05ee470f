from __future__ import annotations

import pytest

from portrayal.errors import GenerationError, MissingExtra
from portrayal.loading.devices import choose_device, choose_dtype, import_extra, quietly


def test_an_absent_package_is_its_pip_command() -> None:
    with pytest.raises(MissingExtra, match=r'pip install "portrayal\[models\]"'):
        import_extra("no_such_package_at_all.inside", extra="models")


def test_dtypes() -> None:
    def choose(dtype: str | None) -> str:
        return choose_dtype(dtype, default="float32", error=GenerationError)

    assert [choose(None), choose("bf16"), choose("torch.float16")] == [
        "float32",
        "bfloat16",
        "float16",
    ]
    with pytest.raises(GenerationError, match="allowed: float32, bfloat16, float16"):
        choose("int8")


def test_a_device_that_is_not_here_is_an_error() -> None:
    assert choose_device("cpu", error=GenerationError) == "cpu"
    with pytest.raises(GenerationError, match="'warp' cannot be used"):
        choose_device("warp", error=GenerationError)


def test_quietly_gives_the_voices_back() -> None:
    import transformers.utils.logging as voice

    before = voice.get_verbosity(), voice.is_progress_bar_enabled()
    with quietly("transformers"):
        assert voice.get_verbosity() == voice.ERROR
        assert not voice.is_progress_bar_enabled()
    assert (voice.get_verbosity(), voice.is_progress_bar_enabled()) == before
