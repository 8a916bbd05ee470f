"""Where the shipped weights of the practice model lie.

Three folders in the layouts that diffusers and transformers write, so that real models and the
practice model are loaded by the same calls, and the judge, with which nothing is measured:

    model/pipeline/       StableDiffusionPipeline.from_pretrained
    model/clip/           CLIPModel.from_pretrained, CLIPProcessor.from_pretrained
    model/masked-words/   AutoModelForMaskedLM.from_pretrained, AutoTokenizer.from_pretrained
    model/judge/          portrayal_practice.training.judge.Judge
    model/shares.json     group shares of the model's own images, counted by the judge
"""

from __future__ import annotations

from pathlib import Path

from portrayal_practice.errors import PracticeError

PIPELINE = "pipeline"
CLIP = "clip"
MASKED_WORDS = "masked-words"
JUDGE = "judge"
PARTS = (PIPELINE, CLIP, MASKED_WORDS, JUDGE)

_MARKS = {
    PIPELINE: "model_index.json",
    CLIP: "config.json",
    MASKED_WORDS: "config.json",
    JUDGE: "config.json",
}

SHARES = "shares.json"

DEFAULT_STEPS = 18
DEFAULT_GUIDANCE = 2.5
"""Settings at which the model card's figures were measured."""


def weights_folder() -> Path:
    """The folder inside the package that holds the three parts."""
    return Path(__file__).with_name("model")


def part_folder(part: str, *, root: Path | None = None) -> Path:
    """The folder of one part, checked to hold a trained model.

    Raises:
        PracticeError: If the part has no such name, or was not trained.
    """
    if part not in PARTS:
        raise PracticeError(
            f"practice weights: part {part!r} is unknown; allowed: {', '.join(PARTS)}"
        )
    folder = (root or weights_folder()) / part
    if not (folder / _MARKS[part]).is_file():
        raise PracticeError(
            f"practice weights: {part} is missing in {folder.parent}; "
            "run: portrayal practice train, or reinstall portrayal"
        )
    return folder
