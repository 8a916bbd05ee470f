"""Models are loaded quietly, and those that are not whole are refused."""

from __future__ import annotations

import logging

import pytest

from portrayal.errors import GenerationError
from portrayal.loading.pretrained import loading

REPORT = """CLIPTextModel LOAD REPORT from: somewhere
Key                                  | Status     |
-------------------------------------+------------+-
layers.{0, 1}.mlp.fc1.\x1b[33mweight\x1b[0m | MISSING    |
vision_model.post_layernorm.weight   | UNEXPECTED |
"""
LIST = (
    "Some weights of UNet were not initialized from the model checkpoint at here and are newly "
    "initialized: ['conv_in.bias', 'conv_out.weight']\nYou should probably TRAIN this model"
)


@pytest.mark.parametrize(
    ("said", "names"),
    [(REPORT, "layers.{0, 1}.mlp.fc1.weight"), (LIST, "conv_in.bias, conv_out.weight")],
)
@pytest.mark.parametrize("fails", [False, True])
def test_weights_that_a_library_did_not_find_are_named(said: str, names: str, fails: bool) -> None:
    def load() -> None:
        with loading("here", "transformers", error=GenerationError):
            logging.getLogger("transformers.modeling_utils").warning(said)
            if fails:
                raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    with pytest.raises(GenerationError) as caught:
        load()
    assert f"here: its files lack weights that the model needs: {names};" in str(caught.value)


def test_other_remarks_are_not_heard_and_other_problems_stay(
    capfd: pytest.CaptureFixture[str],
) -> None:
    voice = logging.getLogger("transformers")
    before = (voice.handlers, voice.level, voice.propagate)
    with loading("here", "transformers", error=GenerationError):
        voice.warning("embeddings.position_ids | MISSING |\nthe tokenizer is slow")
    with (
        pytest.raises(OSError, match="no such file"),
        loading("here", "transformers", error=GenerationError),
    ):
        raise OSError("no such file")
    assert (voice.handlers, voice.level, voice.propagate) == before
    assert capfd.readouterr() == ("", "")
