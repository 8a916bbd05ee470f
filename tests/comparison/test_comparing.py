from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import portrayal as pt
from compared_audits import FAST, JOBS, STUDY, audit_of, share
from portrayal import raters
from portrayal.audit import AuditFolder
from portrayal.comparison import ModelComparison, ModelDifference, compare_audits, open_audits
from portrayal.comparison.comparing import corrected_differences
from portrayal.comparison.pairs import changed_pairs
from portrayal.errors import AuditError, SettingError
from portrayal.records import Identity, Prompt
from portrayal.runner.analysis import analyze
from portrayal.statistics import benjamini_hochberg, share_difference
from toy_generators import MeanColour


def compared(*audits: AuditFolder, **settings: Any) -> ModelComparison:
    return compare_audits(audits, settings=FAST, **settings)


def found(comparison: ModelComparison, question: str) -> ModelDifference:
    (one,) = [one for one in comparison.differences if one.question == question]
    return one


WOMEN = "perceived gender: share of women"


def test_a_planted_difference_is_told_apart_and_says_where(tmp_path: Path) -> None:
    first = audit_of(tmp_path / "base", share(0.25))
    second = audit_of(tmp_path / "tuned", share(0.75))
    comparison = compared(first, second)
    whole = found(comparison, WOMEN)
    assert (whole.before, whole.after, whole.value) == pytest.approx((0.25, 0.75, 0.5))
    assert whole.verdict(0.05) == "differ"
    assert (whole.n_pairs, whole.n_prompts) == (72, 6)
    assert [one.level for one in comparison.differences if one.level] == JOBS
    assert found(comparison, f"{WOMEN}, job chef").value == pytest.approx(0.5)
    (line,) = comparison.conclusions()
    assert line.startswith("base and tuned differ in ")
    assert "25% with base, 75% with tuned (+50 points)" in whole.sentence()


def test_shares_are_those_of_the_statistic_on_paired_labels(tmp_path: Path) -> None:
    """An independent way: labels from the audits' tables, put together by hand."""
    rules = {"a": share(0.5, unknown=0.1), "b": share(0.4, unknown=0.2)}
    audits = {name: audit_of(tmp_path / name, rule) for name, rule in rules.items()}
    tables = []
    for audit in audits.values():
        frame = pt.Audit(audit.path).labels.to_frame()
        wide = frame.pivot_table(index="prompt", columns="seed", values="label", aggfunc="first")
        known = {"woman": 1.0, "man": 0.0, "unknown": np.nan}
        tables.append(wide.map(lambda label, known=known: known.get(label, np.nan)).to_numpy())
    wanted = share_difference(*tables, rng=np.random.default_rng(0))
    whole = found(compared(*audits.values()), WOMEN)
    assert whole.value == pytest.approx(wanted.value)
    assert (whole.low, whole.high) == pytest.approx(wanted.interval)
    assert (whole.p, whole.n_pairs) == (pytest.approx(wanted.p_value), wanted.n_pairs)


def test_q_is_over_all_questions_and_pairs(tmp_path: Path) -> None:
    audits = [audit_of(tmp_path / f"m{n}", share(n / 4)) for n in (1, 2, 3)]
    comparison = compared(*audits)
    tested = [one for one in comparison.differences if one.p is not None]
    wanted = benjamini_hochberg([one.p for one in tested if one.p is not None])
    assert [one.q for one in tested] == pytest.approx(wanted.tolist())
    pairs = Counter((one.first, one.second) for one in tested)
    assert list(pairs) == [("m1", "m2"), ("m1", "m3"), ("m2", "m3")]


def test_three_models_and_which_cannot_be_told_apart(tmp_path: Path) -> None:
    audits = [
        audit_of(tmp_path / name, share(of))
        for name, of in (("old", 0.25), ("same", 0.25), ("new", 0.9))
    ]
    comparison = compared(*audits)
    row = next(row for row in comparison.table() if row.question.question == WOMEN)
    assert list(row.numbers) == ["old", "same", "new"]
    assert row.together == (("old", "same"),)
    assert comparison.together() == "These images do not tell old from same apart."


def test_equal_models_are_equivalent_where_images_suffice(tmp_path: Path) -> None:
    study = {**STUDY, "images": 200}
    audits = [audit_of(tmp_path / name, share(0.5), study) for name in ("one", "other")]
    whole = found(compared(*audits), WOMEN)
    assert (whole.value, whole.verdict(0.05)) == (0.0, "equivalent")
    few = {**STUDY, "images": 4, "factors": {"job": JOBS[:2]}}
    rare = [audit_of(tmp_path / name, share(0.5), few) for name in ("small", "little")]
    assert found(compared(*rare), WOMEN).verdict(0.05) == "undecided"


def test_other_seeds_are_compared_without_pairs(tmp_path: Path) -> None:
    first = audit_of(tmp_path / "base", share(0.25))
    later = audit_of(tmp_path / "later", share(0.25), later=1000)
    whole = found(compared(first, later), WOMEN)
    assert (whole.n_pairs, whole.n_before, whole.n_after) == (0, 72, 72)


def test_refusals_and_unknown_images_are_side_effects(tmp_path: Path) -> None:
    def shy(prompt: Prompt, n: int) -> str:
        return "refused" if n % 2 else share(0.5, unknown=0.5)(prompt, n)

    base, after = audit_of(tmp_path / "base", share(0.5)), audit_of(tmp_path / "shy", shy)
    comparison = compared(base, after)
    refused = found(comparison, "requests refused")
    assert (refused.before, refused.after) == (0.0, 0.5)
    assert refused.is_worse(0.05)
    assert refused.no_worse(0.05) is False
    worse = {one.measure for one in comparison.side_effects()}
    assert worse >= {"refused", "unknown"}
    backwards = found(compared(after, base), "requests refused")
    assert not backwards.is_worse(0.05)
    assert backwards.no_worse(0.05) is True


def test_images_without_a_person_count_against_a_model(tmp_path: Path) -> None:
    def ruined(prompt: Prompt, n: int) -> str:
        return "nobody" if n % 3 else share(0.5)(prompt, n)

    base, after = audit_of(tmp_path / "base", share(0.5)), audit_of(tmp_path / "ruined", ruined)
    shown = found(compared(base, after), "images that show a person")
    assert (shown.before, shown.after) == pytest.approx((1.0, 1 / 3))
    assert shown.is_worse(0.05)
    assert shown in compared(base, after).utility()


def test_estimates_of_both_audits_are_compared_by_their_intervals(tmp_path: Path) -> None:
    audits = [audit_of(tmp_path / name, share(of)) for name, of in (("a", 0.5), ("b", 0.95))]
    for audit in audits:
        analyze(audit, settings=FAST)
    comparison = compared(*audits)
    (uneven,) = [one for one in comparison.differences if one.statistic == "diversity score"]
    assert uneven.is_worse(0.05), "further from an even split"
    assert (uneven.margin, uneven.no_worse(0.05)) == (0.1, False)
    results = [pt.load_results(audit.path).findings for audit in audits]
    own = [one.filter(statistic="diversity score")[0].estimate for one in results]
    assert [uneven.before, uneven.after] == pytest.approx(own)
    assert not any(one.statistic == "group share" for one in comparison.differences)
    analyze(audits[1], settings=pt.AnalysisSettings(resamples=99, unit="image"))
    other = compared(*audits)
    assert not any(one.measure == "estimate" for one in other.differences)
    assert any("were analyzed with other settings" in note for note in other.notes)


class Reader(MeanColour):
    """An encoder whose texts are directions of colours."""

    def embed_texts(self, texts: list[str]) -> Any:
        from portrayal.measurers.protocol import TextEmbeddings

        if any("too long" in text for text in texts):
            raise pt.PortrayalError("too long")
        vectors = np.tile(np.array([255, 165, 0], dtype=np.float32), (len(texts), 1))
        return TextEmbeddings(vectors, [1] * len(texts), [False] * len(texts))


def test_similarity_to_the_prompt_is_compared_by_group(tmp_path: Path) -> None:
    from portrayal.measurers import embed_prompts, measure

    audits = [audit_of(tmp_path / name, share(of)) for name, of in (("a", 0.75), ("b", 0.25))]
    measurer: Any = Reader(name="reader")
    for audit in audits:
        measure(audit, [measurer])
    missing = compared(*audits)
    assert any("has not embedded the prompts of" in note for note in missing.notes)
    for audit in audits:
        embed_prompts(audit, measurer, [prompt.text for prompt in _prompts()])
    lost = found(compared(*audits), "similarity of images and prompts · reader")
    assert lost.value is not None
    assert lost.value < 0, "fewer images have the prompts' colour"
    assert lost.is_worse(0.05)


def _prompts() -> tuple[Prompt, ...]:
    from portrayal.studies import study_from_dict

    return study_from_dict(STUDY).prompts()


def test_raters_yes_and_no_are_compared(tmp_path: Path) -> None:
    audits = []
    for name, every in (("good", 12), ("poor", 2)):
        audit = audit_of(tmp_path / name, share(0.5))
        keys = [row[0] for row in audit.images(columns=("key", "prompt")).order("key").fetchall()]
        votes = [
            raters.Vote(key, rater, {"attribute": "no" if n % every == 0 else "yes"})
            for n, key in enumerate(keys)
            for rater in ("x", "y")
        ]
        about = {key: raters.RatedImage() for key in keys}
        raters.store_votes(audit, raters.Votes(raters.default_questions(), about, votes))
        audits.append(audit)
    comparison = compared(*audits)
    asked = found(comparison, "raters: Does it show what was asked for? Yes")
    assert (asked.before, asked.after) == pytest.approx((11 / 12, 0.5), abs=0.02)
    assert asked.is_worse(0.05)
    assert asked in comparison.utility()


def test_pairs_of_one_prompt_and_seed_show_what_changed_first(tmp_path: Path) -> None:
    audits = [audit_of(tmp_path / name, share(of)) for name, of in (("a", 0.25), ("b", 0.5))]
    first, second = open_audits(audits, FAST)
    texts = [prompt.text for prompt in _prompts()]
    pairs = changed_pairs(
        first, second, study="jobs", axis="perceived gender", measurer="colours", prompts=texts
    )
    assert len(pairs) == 72
    assert [one.changed for one in pairs] == [True] * 18 + [False] * 54
    assert {one.labels for one in pairs[:18]} == {("man", "woman")}
    assert len({one.prompt for one in pairs[:6]}) == 6, "prompts take turns"


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ({**STUDY, "name": "others"}, "others was asked of .*, but not of .*; run: portrayal run"),
        ({**STUDY, "template": "a drawing of {a job}"}, "jobs: all prompts not in all audits"),
    ],
)
def test_audits_with_nothing_in_common_say_what_to_run(
    tmp_path: Path, study: dict[str, Any], message: str
) -> None:
    first = audit_of(tmp_path / "a", share(0.5))
    second = audit_of(tmp_path / "b", share(0.5), study)
    with pytest.raises(AuditError, match=message):
        compared(first, second)


def test_an_unmeasured_audit_says_what_to_run(tmp_path: Path) -> None:
    first = audit_of(tmp_path / "a", share(0.5))
    second = audit_of(tmp_path / "b", share(0.5), measured=False)
    with pytest.raises(AuditError, match=r"portrayal measure \S+b --measurer colours"):
        compared(first, second)


def test_other_thresholds_and_other_prompts_are_left_out_and_said(tmp_path: Path) -> None:
    from portrayal.studies import default_axes

    axis = default_axes()["perceived gender"].model_dump(mode="json")
    strict = {**STUDY, "axes": {"perceived gender": {**axis, "threshold": 0.9}}}
    first = audit_of(tmp_path / "a", share(0.5))
    other = compared(first, audit_of(tmp_path / "b", share(0.5), strict))
    assert any("has other thresholds (0.5 and 0.9)" in note for note in other.notes)
    assert not any(one.measure == "group share" for one in other.differences)
    fewer = {**STUDY, "factors": {"job": JOBS[:4]}}
    some = compared(first, audit_of(tmp_path / "c", share(0.5), fewer))
    assert any("2 prompts not in all audits" in note for note in some.notes)
    assert found(some, WOMEN).n_prompts == 4


def test_questions_of_several_studies_name_their_study_and_no_level_is_asked_twice(
    tmp_path: Path,
) -> None:
    twice: dict[str, Any] = {
        **{key: STUDY[key] for key in ("kind", "images", "axes")},
        "name": "written",
        "prompts": [
            {"text": f"a photo of a {job}", "factors": {"job": job, "work": f"as a {job}"}}
            for job in JOBS
        ],
    }
    audits = [audit_of(tmp_path / name, share(0.5)) for name in ("a", "b")]
    for audit in audits:
        audit.remember_study("written", twice)
    comparison = compared(*audits)
    names = [(one.study, one.question) for one in comparison.differences]
    assert ("written", f"written: {WOMEN}") in names
    assert ("jobs", f"jobs: {WOMEN}") in names
    levels = [one.level for one in comparison.differences if one.study == "written" and one.level]
    assert levels == JOBS


def test_wrong_settings_are_one_line(tmp_path: Path) -> None:
    first, second = audit_of(tmp_path / "a", share(0.5)), audit_of(tmp_path / "b", share(0.5))
    with pytest.raises(SettingError, match="audits has 1 audit; allowed: two or more"):
        pt.compare(first.path)
    with pytest.raises(SettingError, match="twice; allowed: every audit once"):
        pt.compare(first.path, first.path)
    with pytest.raises(SettingError, match=r"margin is 5; allowed: a share between 0 and 1"):
        pt.compare(first.path, second.path, margin=5)
    with pytest.raises(SettingError, match=r"names is \['same', 'same'\]; allowed: one for each"):
        pt.compare(first.path, second.path, names=["same", "same"])
    with pytest.raises(SettingError, match="names is 'ab'; allowed: one for each audit"):
        pt.compare(first.path, second.path, names="ab")
    with pytest.raises(SettingError, match="audits is 5; allowed"):
        pt.compare(first.path, 5)  # type: ignore[arg-type]


def test_models_of_one_name_are_told_by_their_settings(tmp_path: Path) -> None:
    audits = []
    for guidance in (1.0, 4.0):
        model = Identity("diffusers", "model", {"guidance": guidance, "hash": "0" * 40})
        audits.append(AuditFolder.at(tmp_path / f"g{guidance:g}", model))
    named = [one.name for one in open_audits(audits, FAST)]
    assert named == ["guidance 1", "guidance 4"]


def test_nothing_tested_needs_no_correction() -> None:
    asked = ModelDifference(
        "a", "b", "s", "estimate", "d", "is d?", reason="an estimate is missing"
    )
    (one,) = corrected_differences([asked])
    assert (one.q, one.verdict(0.05)) == (None, "no data")
    assert one.sentence() == "is d?: not compared: an estimate is missing."


def test_damaged_results_and_missing_images_are_told(tmp_path: Path) -> None:
    first, second = (audit_of(tmp_path / name, share(0.5)) for name in ("a", "my b"))
    for audit in (first, second):
        analyze(audit, settings=FAST)
    second.results_file.write_text("{", encoding="utf-8")
    for part in (first.path / "images").glob("*.parquet"):
        part.unlink()
    notes = compared(*map(AuditFolder, (first.path, second.path))).notes
    assert any(": the audit lacks " in one for one in notes)
    (line,) = [one for one in notes if "results.json cannot be read" in one]
    assert line.endswith(f"run: portrayal analyze '{second.path}'.")
