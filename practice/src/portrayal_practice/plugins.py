"""What the practice world registers with portrayal; pyproject.toml names each as an entry point.

Imports only what registration needs: models and painter are loaded when one is opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from portrayal.generators import SETTINGS, GeneratorKind
from portrayal.language import LanguageKind
from portrayal.measurers import ENCODER_SETTINGS, MeasurerKind
from portrayal.records import Identity
from portrayal_practice import NAME, PAINTER
from portrayal_practice.weights import CLIP, MASKED_WORDS, PIPELINE, part_folder

if TYPE_CHECKING:
    from portrayal.generators import Generator
    from portrayal.language import ClipTexts, ListedNames, MaskFiller
    from portrayal.measurers import Encoder

_FICTION = "All of it is planted: fiction for calibration. It says nothing about people."


def _open_model(model: str, **settings: Any) -> Generator:
    from portrayal.generators import open_diffusers

    return open_diffusers(str(part_folder(PIPELINE)), name=model, **settings)


def _open_painter(model: str, **settings: Any) -> Generator:
    from portrayal_practice.generator import open_painter

    return open_painter(model, **settings)


def _open_encoder(name: str, **settings: Any) -> Encoder:
    from portrayal.measurers import open_clip_model

    return open_clip_model(str(part_folder(CLIP)), name=name, **settings)


def _open_words(name: str, **settings: Any) -> MaskFiller:
    from portrayal.language import load_filler

    return load_filler(str(part_folder(MASKED_WORDS)), name=name, **settings)


def _open_sentences(name: str, **settings: Any) -> ClipTexts:
    from portrayal.language import open_clip_texts

    return open_clip_texts(Path(part_folder(CLIP)), name=name, **settings)


def _write_training_data(folder: Path, captions: int) -> None:
    from portrayal_practice.corpus import write_corpus

    write_corpus(folder, captions, seed=0)


def practice_names(name: str = NAME) -> ListedNames:
    """Return the recogniser of the names in practice captions, which knows no others."""
    from portrayal.language import ListedNames
    from portrayal_practice.lexicon import WEB_NAMES

    return ListedNames(name, male=WEB_NAMES["man"], female=WEB_NAMES["woman"])


MODEL_KIND = GeneratorKind(
    written=NAME,
    open=_open_model,
    names=(NAME,),
    settings=tuple(name for name in SETTINGS if name != "revision"),
    default=NAME,
    identity_kind="diffusers",
    real_faces=False,
    notice="Practice world. This model is a small one that we trained on painted images, with "
    f"associations that we made up. {_FICTION}",
    training_data=_write_training_data,
)
PAINTER_KIND = GeneratorKind(
    written=PAINTER,
    open=_open_painter,
    names=(PAINTER,),
    is_meant=lambda model: model.startswith(f"{NAME}:"),
    settings=("width", "height", "batch_size", "device"),
    identity_kind="painter",
    real_faces=False,
    notice="Practice world. These images were painted by a program after a table of associations "
    f"that we made up. {_FICTION}",
    training_data=_write_training_data,
)


def is_of_practice_world(source: Identity) -> bool:
    """Tell whether a generator, or a corpus of training images, is one of the practice world's."""
    if source.kind == "corpus":
        return source.settings.get("origin") == NAME
    return MODEL_KIND.made(source) or PAINTER_KIND.made(source)


ENCODER = MeasurerKind(
    written=NAME,
    open=_open_encoder,
    names=(NAME,),
    settings=ENCODER_SETTINGS,
    default=NAME,
    identity_kind="clip",
    valid_for=is_of_practice_world,
    valid_words="images of the practice world",
)
WORDS = LanguageKind(
    role="words",
    written=NAME,
    open=_open_words,
    names=(NAME,),
    default=NAME,
    identity_kind="masked-words",
    valid_for=is_of_practice_world,
    valid_words="images of the practice world",
)
SENTENCES = LanguageKind(
    role="sentences",
    written=NAME,
    open=_open_sentences,
    names=(NAME,),
    default=NAME,
    identity_kind="clip-texts",
    valid_for=is_of_practice_world,
    valid_words="captions of the practice world",
)
NAMES = LanguageKind(
    role="names",
    written=NAME,
    open=practice_names,
    names=(NAME,),
    default=NAME,
    identity_kind="names",
    valid_for=is_of_practice_world,
    valid_words="captions of the practice world",
)
