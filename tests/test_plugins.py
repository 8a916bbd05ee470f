"""What packages bring comes through entry points, and what cannot be used is one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from portrayal import plugins
from portrayal.errors import (
    GenerationError,
    LanguageError,
    MeasurementError,
    PluginError,
    StudyError,
)
from portrayal.generators import (
    GeneratorKind,
    default_model,
    has_real_faces,
    notice,
    open_generator,
)
from portrayal.generators.registry import is_service, portable_name
from portrayal.kinds.influence.schema import Transmutation
from portrayal.language.fillers import open_filler
from portrayal.language.registry import LanguageKind, require_valid_text_model
from portrayal.measurers import (
    MeasurerKind,
    default_measurer,
    is_valid,
    open_measurer,
    require_valid,
    validity,
)
from portrayal.plugins import GENERATORS, LANGUAGE, MEASURERS, STUDIES
from portrayal.records import Identity
from portrayal.runner import Models
from portrayal.studies import reading

INSTALL = 'the practice world comes with: pip install "portrayal[practice]"'


def opened(name: str, **settings: Any) -> Any:
    return name, settings


ANY = GeneratorKind(written="anything", open=opened, general=True)
CLAY = GeneratorKind(
    written="clay", open=opened, names=("clay",), settings=("steps",), default="clay",
    identity_kind="clay", real_faces=False, notice="Clay figures.",
)  # fmt: skip
THUMB = MeasurerKind(
    written="thumb", open=opened, names=("thumb",), default="thumb", identity_kind="thumb",
    valid_for=CLAY.made, valid_words="clay figures",
)  # fmt: skip
NOTHING = object()


class Installed:
    """Says which entry points there are."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.points: list[EntryPoint] = []
        patch.setattr(plugins, "entry_points", self._select)
        self.forget()

    def _select(self, *, group: str) -> EntryPoints:
        ours = (one for one in entry_points(group=group) if one.value.startswith("portrayal."))
        return EntryPoints([*self.points, *ours]).select(group=group)

    def add(self, group: str, name: str, value: str) -> None:
        self.points.append(EntryPoint(name, value, group))
        self.forget()

    def add_object(self, group: str, one: str) -> None:
        self.add(group, one.lower(), f"{__name__}:{one}")

    @staticmethod
    def forget() -> None:
        plugins.plugins.cache_clear()
        reading.builtin_files.cache_clear()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """Nothing but the core; tests add to it."""
    found = Installed(monkeypatch)
    yield found
    monkeypatch.undo()
    found.forget()


# --- what cannot be used -------------------------------------------------------------------------


def test_two_packages_of_one_name(installed: Installed) -> None:
    installed.add(GENERATORS, "diffusers", f"{__name__}:CLAY")
    with pytest.raises(PluginError, match=r"two packages register 'diffusers' under portrayal\."):
        open_generator("clay")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("portrayal_absent:KIND", "cannot be loaded .ModuleNotFoundError: No module named"),
        (f"{__name__}:ABSENT", "cannot be loaded .AttributeError"),
        (f"{__name__}:NOTHING", "is no MeasurerKind; update or uninstall its package"),
    ],
)
def test_what_a_package_registers_and_is_none(installed: Installed, value: str, why: str) -> None:
    installed.add(MEASURERS, "odd", value)
    with pytest.raises(PluginError, match=why):
        open_measurer("thumb")


def test_two_packages_with_a_study_of_one_name(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more_studies").mkdir()
    (tmp_path / "more_studies" / "__init__.py").touch()
    (tmp_path / "more_studies" / "paradox.toml").touch()
    monkeypatch.syspath_prepend(tmp_path)
    installed.add(STUDIES, "more", "more_studies")
    with pytest.raises(PluginError, match="two packages bring the study 'paradox'"):
        reading.builtin_names()


# --- names ---------------------------------------------------------------------------------------


def test_a_general_kind_is_asked_last_whatever_the_order(installed: Installed) -> None:
    installed.add_object(GENERATORS, "ANY")
    installed.add_object(GENERATORS, "CLAY")
    assert open_generator("clay", steps=3, truncate=False) == ("clay", {"steps": 3})
    with pytest.raises(GenerationError, match="clay knows no `lora`; allowed: `steps`"):
        open_generator("clay", lora=["x"])


def test_a_registered_name_means_the_same_everywhere(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clay").mkdir()
    assert portable_name("clay") == f"{tmp_path}/clay"
    installed.add_object(GENERATORS, "CLAY")
    assert portable_name("clay") == "clay"
    assert is_service("api:clay")
    assert not is_service("clay")


@pytest.mark.parametrize("written", ["{here}/clay", "./clay", "clay", "{here}/clay/../clay/"])
def test_a_model_folder_with_the_name_of_an_installed_model_is_refused(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    """Its identity would be taken for that of the installed one."""
    monkeypatch.chdir(tmp_path)
    installed.add_object(GENERATORS, "ANY")
    installed.add_object(GENERATORS, "CLAY")
    (tmp_path / "clay").mkdir()
    (tmp_path / "clay" / "model_index.json").touch()
    with pytest.raises(GenerationError) as caught:
        open_generator(written.format(here=tmp_path))
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(
        "clay: clay is the name of an installed model, and a folder of that name would be taken "
        "for it; rename the folder"
    )


def test_any_other_folder_of_that_name_is_no_hindrance(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    installed.add_object(GENERATORS, "CLAY")
    (tmp_path / "clay").mkdir()
    assert open_generator("clay") == ("clay", {})


def test_a_near_name_is_hinted_at(installed: Installed) -> None:
    with pytest.raises(GenerationError) as alone:
        open_generator("clai")
    assert str(alone.value).endswith(f"not a Hub id (owner/name); {INSTALL}")
    installed.add_object(GENERATORS, "CLAY")
    with pytest.raises(GenerationError, match="did you mean clay"):
        open_generator("clai")
    with pytest.raises(MeasurementError, match="did you mean clay"):
        open_measurer("clai")


def test_a_measurer_takes_the_settings_it_declares(installed: Installed) -> None:
    """The device and the cutting of texts are a whole run's: who has no use for them gets none."""
    installed.add_object(MEASURERS, "THUMB")
    assert open_measurer("thumb", device="cuda", truncate=True) == ("thumb", {})
    with pytest.raises(MeasurementError, match="thumb knows no `dtype`; allowed: none"):
        open_measurer("thumb", dtype="float16")


def test_what_a_generator_declares_about_its_images(installed: Installed) -> None:
    installed.add_object(GENERATORS, "CLAY")
    clay, other = Identity("clay", "clay"), Identity("diffusers", "clay")
    assert notice(clay) == "Clay figures."
    assert not has_real_faces(clay)
    assert notice(other) == ""
    assert has_real_faces(other)


# --- defaults ------------------------------------------------------------------------------------


def test_without_a_default_the_option_is_required(installed: Installed) -> None:
    with pytest.raises(GenerationError) as model:
        Models().settled(None)
    assert str(model.value) == (
        "which model? give `model`: openai:MODEL or api:MODEL, a folder or a Hub id (owner/name); "
        f"{INSTALL}"
    )
    with pytest.raises(
        MeasurementError,
        match=r"which measurer\? give `measurers`: faces, judge:MODEL, open",
    ):
        default_measurer()
    assert Transmutation().model == ""
    with pytest.raises(LanguageError) as words:
        open_filler(Transmutation().model)
    assert str(words.value) == (
        "no masked language model is named; allowed: a folder or a Hub id (owner/name); " + INSTALL
    )
    with pytest.raises(StudyError) as study:
        reading.load_study("demo")
    assert str(study.value).endswith(f"(a file's name ends with .toml); {INSTALL}")


def test_a_default_that_two_packages_claim_is_none(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed.add_object(GENERATORS, "CLAY")
    assert default_model() == "clay"
    wax = GeneratorKind(written="wax", open=opened, names=("wax",), default="wax")
    other = ModuleType("other_clay")
    other.WAX = wax  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_clay", other)
    installed.add(GENERATORS, "wax", "other_clay:WAX")
    with pytest.raises(GenerationError, match=r"which model\? give `model`: .*clay, wax"):
        default_model()


# --- validity ------------------------------------------------------------------------------------


def test_a_measurer_says_whose_images_it_is_valid_for(installed: Installed) -> None:
    installed.add_object(MEASURERS, "THUMB")
    thumb = Identity("thumb", "thumb")
    require_valid([thumb, Identity("clip", "some/clip")], Identity("clay", "clay"))
    photographs = Identity("folder", "photographs")
    assert not is_valid(thumb, photographs)
    assert is_valid(Identity("clip", "thumb"), photographs), "another kind of the same name"
    assert validity(thumb) == "thumb is valid for clay figures"
    with pytest.raises(MeasurementError) as refused:
        require_valid([Identity("clip", "some/clip"), thumb], photographs)
    assert str(refused.value) == (
        "thumb is valid for clay figures only, not for those of photographs; name another "
        "measurer with `measurers`, such as faces (pip install "
        '"portrayal[faces]") or openai/clip-vit-base-patch32'
    )


def test_a_word_model_says_whose_prompts_it_is_valid_for(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    clay_words = LanguageKind(
        role="words", written="clay", open=opened, names=("clay",), identity_kind="masked-words",
        valid_for=CLAY.made, valid_words="clay figures",
    )  # fmt: skip
    other = ModuleType("other_clay")
    other.WORDS = clay_words  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_clay", other)
    installed.add(LANGUAGE, "clay", "other_clay:WORDS")
    words = Identity("masked-words", "clay")
    require_valid_text_model("words", words, Identity("clay", "clay"))
    with pytest.raises(LanguageError) as refused:
        require_valid_text_model("words", words, Identity("api", "some-service"))
    assert str(refused.value) == (
        "the masked language model clay is valid for clay figures only, not for those of "
        "some-service; name another, such as google-bert/bert-base-uncased"
    )


def test_the_language_group_has_every_role(installed: Installed) -> None:
    roles = {kind.role for kind in plugins.plugins(LANGUAGE, object).values()}  # type: ignore[attr-defined]
    assert roles == {"words", "sentences", "names"}
