"""Encoders that have learned nothing are refused before they measure an audit's images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageColor

from label_measurers import ColourJudge, png
from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementError
from portrayal.findings import store_validation
from portrayal.findings.validations import HOME, Judged, validation_of
from portrayal.measurers import Measurer, measure, open_measurer, require_trained
from portrayal.measurers.encoders import TowerEncoder
from portrayal.measurers.plain_colours import COLOURS, LEVEL, colours_p_value
from portrayal.records import Identity, ImageRecord
from portrayal.runner import Models, Session

Array = npt.NDArray[Any]
WHO = Identity("clip", "own")


class Towers:
    """Embeds an image by its mean colour, and a text by a rule."""

    window = 77

    def __init__(self, read: Callable[[str], Array], see: Callable[[Array], Array]) -> None:
        self._read, self._see = read, see

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [5] * len(texts)

    def embed_texts(self, texts: Sequence[str]) -> Array:
        return np.array([self._read(text) for text in texts], dtype=np.float32)

    def prepare(self, image: Image.Image) -> Array:
        mean: Array = np.asarray(image, dtype=np.float32).mean(axis=(0, 1))
        return mean / 255 - 0.5

    def embed_images(self, prepared: Sequence[Any]) -> Array:
        return np.array([self._see(one) for one in prepared], dtype=np.float32)


def colour_in(text: str) -> Array:
    named = next(value for name, value in COLOURS.items() if f" {name} " in text)
    return np.array(ImageColor.getrgb(named), dtype=np.float32) / 255 - 0.5


def random_encoder(seed: int) -> TowerEncoder:
    rng = np.random.default_rng(seed)
    layer = rng.normal(size=(3, 32))
    common = rng.normal(size=32)
    return TowerEncoder(
        Towers(lambda _: rng.normal(size=32) + common, lambda x: np.tanh(x @ layer) + common), WHO
    )


def test_an_encoder_that_knows_colours_has_the_smallest_p() -> None:
    encoder = TowerEncoder(Towers(colour_in, lambda x: x), WHO)
    assert colours_p_value(encoder) == pytest.approx(1 / 40320)
    require_trained(encoder)


def test_what_all_texts_or_all_images_have_in_common_does_not_matter() -> None:
    one, other = np.full(3, 9.0), np.array([5.0, -5.0, 0.0])
    far = Towers(lambda t: np.append(colour_in(t), one), lambda x: np.append(x, other))
    assert colours_p_value(TowerEncoder(far, WHO)) < LEVEL


@pytest.mark.parametrize(
    "see",
    [lambda x: np.ones(3), lambda x: np.full(3, np.nan), lambda x: np.zeros(3), lambda x: -x],
    ids=["all images alike", "no embedding", "zeros", "the opposite"],
)
def test_an_encoder_that_knows_none_is_refused(see: Callable[[Array], Array]) -> None:
    encoder = TowerEncoder(Towers(colour_in, see), WHO)
    assert colours_p_value(encoder) == pytest.approx(1, abs=0.01)
    with pytest.raises(MeasurementError, match="own: refused as unfit: it matches 8 plain colours"):
        require_trained(encoder)


def test_of_encoders_with_random_weights_one_in_a_hundred_passes() -> None:
    found = np.array([colours_p_value(random_encoder(seed)) for seed in range(300)])
    assert (found <= LEVEL).sum() <= 9, "binomial(300, .01) is above 9 once in a thousand"
    assert 0.4 < np.median(found) < 0.6


def test_measurers_without_texts_and_those_of_one_world_are_not_tried() -> None:
    require_trained(ColourJudge())
    require_trained(open_measurer("practice"))


# --- where it is asked for ------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME, str(tmp_path / "home"))


def session(tmp_path: Path, measurer: Measurer) -> Session:
    return Session(tmp_path / "audit", models=Models(measurers=measurer))


def test_random_weights_are_refused_before_anything_is_generated(
    tmp_path: Path, clip: Path
) -> None:
    with pytest.raises(MeasurementError, match="clip: refused as unfit") as error:
        assert Session(tmp_path / "audit", models=Models(measurers=str(clip))).measurers
    assert "portrayal validate" in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "audit").exists()


def test_a_validated_encoder_is_judged_by_its_validation(tmp_path: Path) -> None:
    encoder = random_encoder(1)
    with pytest.raises(MeasurementError, match="unfit"):
        assert session(tmp_path, encoder).measurers
    groups = ("woman", "man")
    store_validation(validation_of(WHO, "perceived gender", groups, [], source="s"))
    with pytest.raises(MeasurementError, match="unfit"):
        assert session(tmp_path, encoder).measurers
    judged = [Judged(group, group, 0.9) for group in groups]
    store_validation(validation_of(WHO, "perceived gender", groups, judged, source="s"))
    assert session(tmp_path, encoder).measurers == [encoder]


def test_an_encoder_that_an_audit_knows_goes_on(tmp_path: Path) -> None:
    encoder = random_encoder(1)
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    audit.append_images([ImageRecord("a nurse", 0, "ok", None, png("woman"))])
    measure(audit, [encoder])
    assert session(tmp_path, encoder).measurers == [encoder]
