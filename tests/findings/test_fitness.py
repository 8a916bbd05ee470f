"""Measurers are tried on what is known of them; unfit ones are refused, weak ones are named."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from label_measurers import GENDER, ColourJudge, png, store_images
from pipelines import build_clip
from portrayal.audit import AuditFolder
from portrayal.cli import console
from portrayal.errors import AuditError, ImportFileError, MeasurementError
from portrayal.findings import Validation
from portrayal.findings.fitness import LabelCheck, LabelQuality, floor, named_group
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.validations import HOME, Judged, calibration, validation_of
from portrayal.importers import import_images, import_labels
from portrayal.measurers import measure, open_measurer
from portrayal.records import Identity, ImageRecord
from portrayal.report import write_report
from portrayal.report.trust import limits, trust_lines
from portrayal.runner import validate
from portrayal.runner.analysis import analyze
from portrayal.statistics import balanced_accuracy
from portrayal.studies.reading import study_from_dict

FAST = AnalysisSettings(resamples=99)
STUDY = {
    "kind": "composition", "name": "people", "images": 24, "template": "a photo of a {who}",
    "axes": ["perceived gender"], "factors": {"who": ["woman", "man", "nurse"]},
}  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME, str(tmp_path / "home"))
    return tmp_path / "home"


def audit_of(tmp_path: Path, swapped: int = 0) -> AuditFolder:
    """An audit whose prompts name groups; so many of four images show the other group."""
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    other = {"woman": "man", "man": "woman", "nurse": "nurse"}

    def shown(prompt: Any, seed: int) -> str:
        who = prompt.factors["who"]
        said = other[who] if seed % 4 < swapped else who
        return "woman" if said == "nurse" else said

    store_images(audit, study_from_dict(STUDY), shown)
    return audit


def test_balanced_accuracy_counts_groups_alike() -> None:
    found = balanced_accuracy([9, 10], [10, 40])
    assert found.value == pytest.approx((0.9 + 0.25) / 2)
    assert found.interval.low < found.value < found.interval.high
    swapped = balanced_accuracy([1, 30], [10, 40])
    assert swapped.value == pytest.approx(1 - found.value)
    assert swapped.interval.high == pytest.approx(1 - found.interval.low)
    assert np.isnan(balanced_accuracy([1, 0], [1, 0]).value)
    assert np.isnan(balanced_accuracy([1], [1]).value)


def test_intervals_of_balanced_accuracy_cover() -> None:
    n = 400
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(n):
        right = [rng.binomial(30, 0.9), rng.binomial(50, 0.6)]
        low, high = balanced_accuracy(right, [30, 50]).interval
        hits += low <= 0.75 <= high
    assert 0.92 <= hits / n <= 0.985


def test_a_prompt_names_a_group_as_a_word_and_only_one() -> None:
    groups = ("woman", "man")
    assert named_group("A Woman at work", groups) == "woman"
    assert named_group("a manager", groups) is None
    assert named_group("a man and a woman", groups) is None


@pytest.mark.parametrize(
    ("accuracy", "high", "verdict"), [(0.5, 0.58, "unfit"), (0.7, 0.8, "weak"), (0.95, 1, "fit")]
)
def test_verdicts(accuracy: float, high: float, verdict: str) -> None:
    check = LabelCheck("m", "a", "prompts", accuracy, 0.4, high, 40, 0.1, floor(2))
    assert check.verdict == verdict


def test_all_that_is_known_of_a_measurer_stands_together() -> None:
    """A stored validation alone hid that these very images were labelled badly."""
    checks = (
        LabelCheck("faces", "a", "validation", 0.97, 0.93, 0.98, 258, 0.0, floor(2)),
        LabelCheck("faces", "a", "raters", 0.53, 0.36, 0.69, 36, 0.1, floor(2)),
    )
    quality = LabelQuality(("faces",), checks)
    assert quality.error_in_words() == (
        "a: balanced accuracy 0.97 (258 images with known labels; fit), 0.53 (36 images that "
        "people labelled; weak)"
    )
    others = (*checks, LabelCheck("x", "a", "prompts", 0.9, 0.8, 1.0, 20, 0.0, floor(2)))
    said = LabelQuality(("faces", "x"), others).error_in_words()
    assert said.startswith("a by faces: balanced accuracy 0.97")
    assert "; a by x: balanced accuracy 0.90 (20 images whose prompts name the group; fit)" in said


def test_a_good_measurer_passes_and_the_first_lines_say_who_labelled(tmp_path: Path) -> None:
    audit = audit_of(tmp_path)
    measure(audit, [ColourJudge()])
    results = analyze(audit, settings=FAST)
    (check,) = results.labels.checks
    assert (check.accuracy, check.source, check.verdict, check.n) == (1.0, "prompts", "fit", 48)
    assert results.label_warnings() == []
    (source,) = results.sources
    assert source.sentence() == "Labels of perceived gender by colours: not checked by people."
    page = write_report(audit).read_text(encoding="utf-8")
    assert source.sentence() in page
    assert "generator and measurer together" in page


def test_a_weak_measurer_is_named(tmp_path: Path) -> None:
    audit = audit_of(tmp_path, swapped=1)
    measure(audit, [ColourJudge()])
    results = analyze(audit, settings=FAST)
    (line,) = results.label_warnings()
    assert "balanced accuracy 0.75" in line
    assert line.endswith("weak.")
    assert any(finding.estimate is not None for finding in results.findings)


def test_an_encoder_with_random_weights_is_refused_as_unfit(tmp_path: Path) -> None:
    axis = {"groups": {"woman": ["a woman"], "man": ["a man"]}}
    study = study_from_dict({**STUDY, "images": 40, "axes": {GENDER: axis}})
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    rng = np.random.default_rng(1)
    audit.remember_study(study.name, study.as_dict())
    audit.append_images(
        [
            ImageRecord(prompt.text, seed, "ok", None, noise(rng))
            for prompt in study.prompts()
            for seed in range(40)
        ]
    )
    random = open_measurer(str(build_clip(tmp_path / "clip")), truncate=True)
    measure(audit, [random], texts=study.texts())
    with pytest.raises(AuditError, match=r"refused as unfit: .* below the floor of 0\.6") as error:
        analyze(audit, settings=FAST)
    assert "\n" not in str(error.value)
    assert len(audit.measurers()) == 1, "everything measured is kept"
    measure(audit, [ColourJudge()])
    assert GENDER in analyze(audit, settings=FAST).labels.unfit("clip")


def noise(rng: np.random.Generator) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def test_where_nothing_is_known_the_first_line_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    study = study_from_dict({**STUDY, "factors": {"who": ["nurse", "judge"]}})
    store_images(audit, study, lambda prompt, seed: "woman")
    measure(audit, [ColourJudge()])
    results = analyze(audit, settings=FAST)
    line = (
        "Labels not checked by people: it is not known how often the measurer “colours” is right "
        "about perceived gender."
    )
    assert results.label_warnings() == [line]
    console.findings(results, "audit")
    assert " ".join(capsys.readouterr().out.split()).startswith(line)


def test_an_axis_that_nothing_labelled_is_not_called_measured(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    tone = "skin tone"
    asked = {"axes": [GENDER, tone], "factors": {"who": ["nurse", "judge"]}}
    study = study_from_dict({**STUDY, **asked})
    store_images(audit, study, lambda prompt, seed: "woman")
    measure(audit, [ColourJudge()])
    results = analyze(audit, settings=FAST)
    trust = dict(trust_lines(results, {"ok": 48, "refused": 0, "failed": 0}, [study]))
    assert trust["Measured"] == GENDER
    assert tone in trust["Not measured"].split(", ")
    said = list(limits(results, [study]))
    assert said[0].startswith("Who anybody is. Perceived gender is how an image looks to colours;")
    assert any(one.startswith("Anything about skin tone") for one in said)


class Silent(ColourJudge):
    """Answers "unknown", except about the first images."""

    identity = Identity("judge", "silent")

    def __init__(self, answers: int) -> None:
        self.answers = answers

    def measure(self, images: Sequence[Image.Image]) -> list[dict[str, object]]:
        self.answers, said = self.answers - len(images), self.answers
        return [{"labels": {GENDER: {"woman": 1.0} if i < said else {"unknown": 1.0}}}
                for i in range(len(images))]  # fmt: skip


def test_a_measurer_that_hardly_answers_is_the_first_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    study = study_from_dict({**STUDY, "factors": {"who": ["nurse", "judge"]}})
    store_images(audit, study, lambda prompt, seed: "woman")
    measure(audit, [Silent(4)])
    results = analyze(audit, settings=FAST)
    line = "Not enough data: silent labels 4 of 48 images on perceived gender; the rest: unknown."
    assert results.label_warnings()[0] == line
    console.findings(results, "audit")
    assert " ".join(capsys.readouterr().out.split()).startswith(line)
    assert line in write_report(audit).read_text(encoding="utf-8")
    measure(audit, [ColourJudge()])
    assert [one.shortage() for one in analyze(audit, settings=FAST).sources] == ["", line]


def test_a_group_without_any_label_is_named_where_many_are_unknown(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    study = study_from_dict({**STUDY, "factors": {"who": ["nurse", "judge"]}})
    store_images(audit, study, lambda prompt, seed: "woman" if seed % 3 == 0 else "unclear")
    measure(audit, [ColourJudge()])
    assert analyze(audit, settings=FAST).label_warnings()[0] == (
        "colours labels no image as man on perceived gender, and 32 of 48 as unknown: it may not "
        "know that group, and shares leave it out."
    )


def test_calibration_and_recall_have_known_answers() -> None:
    judged = [Judged("woman", "woman", 0.85)] * 8 + [Judged("woman", "man", 0.85)] * 2
    judged += [Judged("man", "unknown", float("nan"), {"skin tone": "dark skin"})] * 5
    (one,) = calibration(judged)
    assert (one.probability, one.right, one.n) == (pytest.approx(0.85), 0.8, 10)
    found = validation_of(Identity("x", "x"), GENDER, ("woman", "man"), judged, source="s")
    assert [(g.right, g.known, g.n) for g in found.groups] == [(8, 10, 10), (0, 0, 5)]
    assert found.accuracy == 0.4, "a group without an answer is never right"
    assert [g.n for g in found.by["skin tone: dark skin"]] == [5]
    assert Validation.from_dict(json.loads(json.dumps(found.as_dict()))) == found


# --- portrayal validate ---------------------------------------------------------------------------


def files(tmp_path: Path, shown: Sequence[str]) -> Path:
    folder = tmp_path / "files"
    folder.mkdir(exist_ok=True)
    for i, what in enumerate(shown):
        (folder / f"{i}.png").write_bytes(png(what, i))
    return folder


def truth(tmp_path: Path, rows: Sequence[str]) -> Path:
    file = tmp_path / "truth.csv"
    file.write_text("image,axis,label\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return file


def test_a_validation_is_stored_and_shown_in_every_report(tmp_path: Path, home: Path) -> None:
    folder = files(tmp_path, ["woman", "man"] * 10)
    rows = [f"{i}.png,{GENDER},{'woman' if i % 2 == 0 else 'man'}" for i in range(20)]
    rows += [f"{i}.png,skin tone,{'dark skin' if i < 6 else 'light skin'}" for i in range(20)]
    done = validate(ColourJudge(), folder, truth=truth(tmp_path, rows))
    (one,) = done.validations
    assert (one.accuracy, one.n, len(done.files)) == (1.0, 20, 1)
    assert set(one.by) == {"skin tone: dark skin", "skin tone: light skin"}
    assert len(done.skipped) == 1
    audit = audit_of(tmp_path, swapped=4)
    measure(audit, [ColourJudge()])
    results = analyze(audit, settings=FAST)
    assert [check.source for check in results.labels.checks] == ["validation", "prompts"]
    assert results.labels.unfit("colours") == {}, "known labels count before prompts"
    page = write_report(audit).read_text(encoding="utf-8")
    assert "images with known labels" in page
    for file in home.rglob("*.json"):
        file.unlink()
    again = analyze(audit, settings=FAST)
    assert again.labels.validations == results.labels.validations, "the audit keeps it"


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([f"0.png,{GENDER},Female"], "row 2: has the label 'Female' on the axis .*; allowed: woma"),
        ([f"9.png,{GENDER},woman"], "row 2: .* has no image 9.png"),
        (
            ["0.png,gendr,woman"],
            "names no group of an axis that can be tried; got labels on 'gendr'; allowed: perc",
        ),
        ([f"0.png,{GENDER},unknown"], "names no group of an axis that can be tried"),
        (
            [f"0.png,{GENDER},woman", f"0.png,{GENDER},man"],
            "row 3: image '0.png' is 'man' here and 'woman' before",
        ),
        (
            [f"0.png,{GENDER},woman", "0.png,percieved gender,man"],
            "row 3: has the axis 'percieved gender', which is not known; did you mean 'perceived g",
        ),
    ],
)
def test_a_bad_truth_is_one_line(tmp_path: Path, rows: list[str], line: str) -> None:
    with pytest.raises(ImportFileError, match=line) as error:
        validate(ColourJudge(), files(tmp_path, ["woman"]), truth=truth(tmp_path, rows))
    assert "\n" not in str(error.value)


def test_a_truth_without_axes_is_not_taken_for_one_on_some_axis(tmp_path: Path) -> None:
    file = tmp_path / "truth.csv"
    file.write_text("image,label\n0.png,woman\n", encoding="utf-8")
    with pytest.raises(ImportFileError, match="row 1: needs the columns label, axis and image"):
        validate(ColourJudge(), files(tmp_path, ["woman"]), truth=file)


def test_axes_in_another_case_are_read_and_those_of_breakdowns_are_named(
    tmp_path: Path, home: Path
) -> None:
    folder = files(tmp_path, ["woman", "man"] * 2)
    rows = [f"{i}.png,Perceived Gender,{'Woman' if i % 2 == 0 else 'man'}" for i in range(4)]
    rows += ["0.png,Skin Tone,dark skin", "1.png,hair,blond", "2.png,hair,red"]
    done = validate(ColourJudge(), folder, truth=truth(tmp_path, rows))
    (one,) = done.validations
    assert (one.axis, one.accuracy) == (GENDER, 1.0)
    assert set(one.by) == {"skin tone: dark skin", "hair: blond", "hair: red"}
    assert done.broken_down_by == ("hair",)
    assert done.read_as == {
        "Perceived Gender": GENDER, "Woman": "woman", "Skin Tone": "skin tone",
    }  # fmt: skip


def test_imported_labels_are_validated_on_their_audit(tmp_path: Path, home: Path) -> None:
    import_images(files(tmp_path, ["woman", "man"] * 3), tmp_path / "own-audit")
    audit = AuditFolder(tmp_path / "own-audit")
    given = truth(tmp_path, [f"{i}.png,{GENDER},woman" for i in range(4)])
    import_labels(audit, given, measurer="MyTool")
    rows = [f"{i}.png,{GENDER},{'woman' if i % 2 == 0 else 'man'}" for i in range(6)]
    done = validate("MyTool", audit.path, truth=truth(tmp_path, rows))
    (one,) = done.validations
    assert (one.measurer.name, one.n, one.accuracy) == ("MyTool", 4, 0.5)
    assert done.skipped == ("2 images: no label by MyTool",)
    assert len(done.files) == 1
    assert len(audit.measurers()) == 1


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([f"0.png,{GENDER},woman"], "row 2: image '0.png' is the name of 2 images of .*: a/0.png,"),
        (
            [f"c/0.png,{GENDER},woman"],
            "row 2: image 'c/0.png' is not in .*; perhaps meant: a/0.png",
        ),
        (
            [f"a/0.png,{GENDER},woman", f"files/a/0.png,{GENDER},man"],
            "row 3: image 'files/a/0.png' is 'man' here and 'woman' before",
        ),
    ],
)
def test_a_truth_about_other_images_of_an_audit_is_one_line(
    tmp_path: Path, rows: list[str], line: str
) -> None:
    for place, what in (("a", "woman"), ("b", "man")):
        (tmp_path / "own" / place).mkdir(parents=True)
        (tmp_path / "own" / place / "0.png").write_bytes(png(what, 0))
    import_images(tmp_path / "own", tmp_path / "own-audit")
    with pytest.raises(ImportFileError, match=line):
        validate(ColourJudge(), tmp_path / "own-audit", truth=truth(tmp_path, rows))


def test_images_of_one_group_are_shown_and_displace_nothing(tmp_path: Path, home: Path) -> None:
    folder = files(tmp_path, ["woman", "man"] * 10)
    rows = [f"{i}.png,{GENDER},{'woman' if i % 2 == 0 else 'man'}" for i in range(20)]
    (kept,) = validate(ColourJudge(), folder, truth=truth(tmp_path, rows)).files
    before = kept.read_bytes()
    done = validate(ColourJudge(), folder, truth=truth(tmp_path, rows[::2]))
    assert [one.accuracy for one in done.validations] == [None]
    assert done.files == ()
    assert kept.read_bytes() == before


def test_images_without_an_answer_are_named_and_nothing_is_measured_for_nowhere(
    tmp_path: Path, home: Path
) -> None:
    folder = files(tmp_path, ["woman", "man", "woman"])
    (folder / "2.png").write_bytes(b"no image")
    rows = [f"{i}.png,{GENDER},{label}" for i, label in enumerate(("woman", "man", "woman"))]
    done = validate(ColourJudge(), folder, truth=truth(tmp_path, rows))
    assert done.validations[0].n == 2
    assert done.skipped == ("1 image: corrupt image",)
    with pytest.raises(MeasurementError, match="nothing to validate: 1 image: corrupt image"):
        validate(ColourJudge(), folder, truth=truth(tmp_path, rows[2:]))
    alone = validate(ColourJudge(), folder, truth=truth(tmp_path, rows[:1]))
    assert [one.source for one in alone.validations] == ["files, 1 image"]
    shutil.rmtree(home)
    home.write_text("a file", encoding="utf-8")
    with pytest.raises(AuditError, match=r"validations cannot be stored there; .* PORTRAYAL_HOME"):
        validate(ColourJudge(), folder, truth=truth(tmp_path, rows))
    assert validate(ColourJudge(), folder, truth=truth(tmp_path, rows), store=False).validations


def test_what_comes_with_faces_is_about_the_faces_measurer_of_today() -> None:
    from portrayal.findings.validations import _packaged

    known = [Validation.from_dict(one) for one in _packaged()]
    assert {one.axis for one in known} == {GENDER, "skin tone"}
    assert [one.measurer for one in known] == [open_measurer("faces").identity] * 2


def test_a_group_that_never_gets_a_label_is_refused() -> None:
    judged = [Judged("woman", "unknown", 1.0)] * 40 + [Judged("man", "man", 0.9)] * 40
    found = validation_of(Identity("x", "x"), GENDER, ("woman", "man"), judged, source="s")
    assert (found.accuracy, found.high) == (0.5, pytest.approx(0.524, abs=0.005))
    assert found.high < floor(2)
    alone = validation_of(Identity("x", "x"), GENDER, ("woman", "man"), judged[:40], source="s")
    assert alone.accuracy is None, "of one group, balanced accuracy says nothing"
    check = LabelCheck("x", GENDER, "validation", 0.5, 0.46, 0.54, 80, 0.5, floor(2))
    assert "on 80 images with known labels, 50% of them labelled unknown; below" in check.sentence()
