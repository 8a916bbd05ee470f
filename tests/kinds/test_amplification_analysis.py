"""Amplification studies answered: from two sides of images to findings and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amplification_worlds import Captions, Shown, a_study, analyzed, build, caption_text, split
from portrayal.audit import AuditFolder, read_selection
from portrayal.findings import Finding, PublishedNumbers, StudyResult
from portrayal.findings.parts import Sides
from portrayal.kinds.amplification import measured
from portrayal.kinds.amplification.image_groups import face_reason
from portrayal.kinds.amplification.schema import AmplificationStudy, FaceRule
from portrayal.records import Identity
from portrayal.statistics.intervals import UNKNOWN, Interval

ENGINEER = ("A photo of an engineer", "An engineer at work")
NURSE = ("A photo of a nurse", "A nurse at work")

# 20 captions each: engineers 30% women naive, 10% without indicators (of ten), nurses 70 and 90.
MARKED = ["female"] * 5 + ["unknown"] + ["male"] * 5 + ["unknown"] * 9
ENGINEERS = Captions(
    split(6, 14, MARKED),
    {0: [*range(2), *range(6, 14)], 1: [*range(4, 7), *range(13, 20)]},
)
NURSES = Captions(
    split(14, 6, ["male"] * 5 + ["unknown"] * 9 + ["female"] * 5 + ["unknown"]),
    {0: [*range(8), 18, 19], 1: [*range(7), 17, 18, 19]},
)
GENERATED = {
    ENGINEER[0]: Shown(1, 9),
    ENGINEER[1]: Shown(2, 8),
    NURSE[0]: Shown(9, 1),
    NURSE[1]: Shown(6, 2, unclear=1, nobody=1),
}


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> tuple[AuditFolder, AmplificationStudy]:
    return build(
        tmp_path_factory.mktemp("two sides") / "audit",
        a_study(),
        GENERATED,
        {"engineer": ENGINEERS, "nurse": NURSES},
    )


@pytest.fixture(scope="module")
def result(answered: tuple[AuditFolder, AmplificationStudy]) -> StudyResult:
    return analyzed(*answered)


def of(result: StudyResult, statistic: str) -> dict[str, Finding]:
    return {f.details["subset"]: f for f in result.findings if f.statistic == statistic}


def test_headlines_of_subsets_differ_and_are_short(result: StudyResult) -> None:
    lines = [f.headline for f in of(result, measured.AMPLIFICATION).values() if f.headline]
    assert len(lines) > 1
    for said in ([one.claim for one in lines], [one.otherwise for one in lines]):
        assert len(set(said)) == len(lines)
        assert all(len(line.split()) <= 12 for line in said)


def rows(result: StudyResult, name: str) -> list[dict[str, Any]]:
    (part,) = (part for part in result.parts if part.name == name)
    table = part.as_table(result.findings)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_amplification_is_the_papers_formula(result: StudyResult) -> None:
    found = of(result, "amplification")
    # By hand: |G - 50| - |T - 50|, mean over occupations, then over prompts.
    naive = [np.mean([40 - 20, 40 - 20]), np.mean([30 - 20, 25 - 20])]
    assert found["naive"].details["plug_in"] == pytest.approx(np.mean(naive))
    plain = [np.mean([0.0, 0.0]), np.mean([30 - 40, 25 - 40])]
    assert found["no-indicators"].details["plug_in"] == pytest.approx(np.mean(plain))
    near = [np.mean([40 - 30, 40 - 30]), np.mean([30 - 30, 25 - 20])]
    nearest = rows(result, "scatter-nearest")
    assert [r["training"] for r in nearest if r["prompt"] == "#1"] == [20.0, 80.0]
    assert found["nearest"].details["per_prompt"]["#1"] == pytest.approx(near[0])
    assert found["naive"].n == 2
    assert found["naive"].unit == "occupation"
    assert found["naive"].low is not None
    assert found["naive"].low <= found["naive"].estimate <= found["naive"].high  # type: ignore[operator]


def test_one_estimate_has_one_p(result: StudyResult) -> None:
    found = of(result, "amplification")
    for row in rows(result, "amplification-numbers"):
        if row["prompt"] == "all prompts":
            finding = found[row["subset"]]
            assert (row["amplification"], row["p"]) == (finding.estimate, finding.p)
        else:
            assert row["p"] is None
    assert {key for key in found["naive"].details if "p of" in key or key == "t"} == set()


def test_shared_training_images_are_one_chance_for_all_prompts(tmp_path: Path) -> None:
    """With unlimited generated images, what is left to chance is the training side alone."""
    study = a_study(occupations=["engineer"], subsets=["naive"], images=400)
    captions = {"engineer": Captions(split(6, 14))}
    generated = {text: Shown(40, 360) for text in ENGINEER}
    many = analyzed(*build(tmp_path / "two", study, generated, captions), resample="images")
    alone = study.model_copy(update={"templates": study.templates[:1]})
    one = {ENGINEER[0]: generated[ENGINEER[0]]}
    single = analyzed(*build(tmp_path / "one", alone, one, captions), resample="images")
    widths = [
        (f.high or 0) - (f.low or 0)
        for f in (of(many, "amplification")["naive"], of(single, "amplification")["naive"])
    ]
    assert widths[0] == pytest.approx(widths[1], rel=0.15), "not narrower by the root of two"


def test_reduction_and_decomposition_add_up(result: StudyResult) -> None:
    found, less = of(result, "amplification"), of(result, "reduction of amplification")
    for name in ("no-indicators", "nearest", "both"):
        # Captions of these subsets are further from 50% than those of the naive one.
        assert less[name].estimate > 0  # type: ignore[operator]
        assert found[name].estimate < found["naive"].estimate  # type: ignore[operator]
    parts = rows(result, "decomposition")
    assert [row["correction"] for row in parts] == [
        "nearest neighbours", "no indicators", "remains",
    ]  # fmt: skip
    assert sum(row["points"] for row in parts) == pytest.approx(found["naive"].estimate)
    assert sum(row["of naive"] for row in parts) == pytest.approx(1.0)


def test_the_papers_tables_have_its_layout(result: StudyResult) -> None:
    table = rows(result, "table-3")
    assert list(table[0]) == ["approach", "#1", "#2", "average", "bias-corrected"]
    assert table[0]["average"] == pytest.approx((table[0]["#1"] + table[0]["#2"]) / 2)
    occupations = rows(result, "tables-6-7")
    assert occupations == [
        {"occupation": "engineer", "training": 30.0, "#1": 10.0, "#2": 20.0},
        {"occupation": "nurse", "training": 70.0, "#1": 90.0, "#2": 75.0},
    ]


def test_every_dropped_image_has_a_reason_and_a_side(result: StudyResult) -> None:
    dropped = {(r["subset"], r["occupation"], r["side"]): r for r in rows(result, "dropped")}
    nurse = dropped["naive", "nurse", "generated"]
    assert (nurse["images"], nurse["dropped"]) == (20, 2)
    assert "1 group unknown" in nurse["reasons"]
    assert "1 shows nobody" in nurse["reasons"]
    assert dropped["naive", "nurse", "training"]["images"] == 20, "once, not once a prompt"


def test_captions_are_more_like_prompts_when_they_are_near(result: StudyResult) -> None:
    alike = {row["subset"]: row for row in rows(result, "similarity")}
    assert alike["naive: any caption with the occupation"]["caption and prompt"] == pytest.approx(
        0.4
    )
    assert alike["nearest neighbours of the prompt"]["caption and prompt"] == pytest.approx(0.7)


def test_image_similarity_is_the_mean_over_pairs(
    answered: tuple[AuditFolder, AmplificationStudy], result: StudyResult
) -> None:
    from amplification_worlds import vector

    unit = {name: vector(name) / np.linalg.norm(vector(name)) for name in ("woman", "man")}

    def pairs(first: tuple[int, int], second: tuple[int, int]) -> float:
        one = [unit["woman"]] * first[0] + [unit["man"]] * first[1]
        two = [unit["woman"]] * second[0] + [unit["man"]] * second[1]
        return float(np.mean([[a @ b for b in two] for a in one]))

    expected = np.mean([
        pairs((6, 14), (1, 9)), pairs((6, 14), (2, 8)), pairs((14, 6), (9, 1)),
        pairs((14, 6), (6, 2)),
    ])  # fmt: skip
    alike = {row["subset"]: row for row in rows(result, "similarity")}
    naive = alike["naive: any caption with the occupation"]["training and generated images"]
    assert naive == pytest.approx(expected, abs=1e-6)


def test_images_and_captions_of_both_sides_are_named(
    answered: tuple[AuditFolder, AmplificationStudy], result: StudyResult
) -> None:
    audit, _ = answered
    sides = rows(result, "sides")
    made = {r["key"] for r in sides if r["side"] == "generated"}
    assert made <= {key for (key,) in audit.images().select("key").fetchall()}
    assert {r["group"] for r in sides} == {"woman", "man"}
    nearest = [r for r in rows(result, "captions") if r["subset"] == "both"]
    assert {r["indicator"] for r in nearest} == {"unknown"}


def test_the_notes_say_what_the_numbers_stand_on(result: StudyResult) -> None:
    text = " ".join(result.notes)
    assert "corpus invented captions" in text
    assert "No face detector was asked" in text


def test_captions_as_prompts_are_compared_with_their_own_images(tmp_path: Path) -> None:
    study = a_study(
        subsets=["naive", "captions", "captions-no-indicators", "paraphrased"], caption_images=2
    )
    captions = {"engineer": ENGINEERS, "nurse": NURSES}
    generated = dict(GENERATED)
    for name, one in captions.items():
        for i, (_, label) in enumerate(one.sampled):
            both = Shown(2, 0) if label == "woman" else Shown(0, 2)
            generated[caption_text(name, i)] = both
            generated[f"other words: {caption_text(name, i)}"] = both
    result = analyzed(*build(tmp_path / "audit", study, generated, captions))
    found = of(result, "amplification")
    # Shares are the same; thinning 40 images to 20 leaves a hundredth of a point.
    assert found["captions"].estimate == pytest.approx(0.0, abs=0.05)
    assert found["captions-no-indicators"].estimate == pytest.approx(0.0, abs=0.05)
    assert "as far from 50% as" in found["captions"].sentence
    assert of(result, "reduction of amplification")["captions"].estimate == pytest.approx(
        found["naive"].estimate, abs=0.05
    )
    points = rows(result, "scatter-captions")
    assert [(p["training n"], p["generated n"]) for p in points] == [(20, 40), (20, 40)]
    lost = rows(result, "scatter-paraphrased")
    assert [(p["training n"], p["generated n"]) for p in lost] == [(16, 32), (16, 32)]
    assert "8 captions have no paraphrase that keeps the occupation" in " ".join(result.notes)


def test_switching_occupations_are_shown_both_ways(tmp_path: Path) -> None:
    generated = {**GENERATED, NURSE[0]: Shown(4, 6), NURSE[1]: Shown(3, 7)}
    captions = {"engineer": ENGINEERS, "nurse": NURSES}
    result = analyzed(*build(tmp_path / "audit", a_study(), generated, captions))
    naive = of(result, "amplification")["naive"]
    assert naive.details["plug_in"] == pytest.approx((20 + 10) / 2), "engineers alone"
    assert naive.details["switched"] == 2
    with_all = np.mean([np.mean([20, 10 - 20]), np.mean([10, 20 - 20])])
    assert naive.details["plug_in_with_switching"] == pytest.approx(with_all)
    assert "without 2 comparisons in which the majority flips: 15" in naive.sentence
    numbers = rows(result, "amplification-numbers")
    assert {r["occupations that switch"] for r in numbers} == {"excluded", "included"}


def test_indicators_against_images_is_the_papers_correlation(tmp_path: Path) -> None:
    shares = {"a": 2, "b": 5, "c": 8, "d": 9, "e": 6}
    named = {"a": 4, "b": 3, "c": 2, "d": 0, "e": 2}
    captions = {
        name: Captions(
            split(women, 10 - women, ["female"] * named[name] + ["unknown"] * (10 - named[name]))
        )
        for name, women in shares.items()
    }
    study = a_study(occupations=list(shares), subsets=["naive"])
    generated = {prompt.text: Shown(5, 5) for prompt in study.prompts()}
    result = analyzed(*build(tmp_path / "audit", study, generated, captions))
    every, own = (f for f in result.findings if f.statistic == "correlation")
    expected = np.corrcoef(list(shares.values()), list(named.values()))[0, 1]
    assert every.estimate == pytest.approx(expected)
    assert expected < 0
    assert "the less often captions say woman (of all captions)" in every.sentence
    # The first captions are the women's, so as many of theirs say so as there are, at most.
    told = [100 * min(named[name], women) / women for name, women in shares.items()]
    assert own.estimate == pytest.approx(np.corrcoef(list(shares.values()), told)[0, 1])
    assert "the less often their captions say so" in own.sentence


def test_real_world_shares_are_a_second_baseline(tmp_path: Path) -> None:
    study = a_study(real_world={"engineer": 20.0, "nurse": 88.0}, subsets=["naive"])
    captions = {"engineer": ENGINEERS, "nurse": NURSES}
    result = analyzed(*build(tmp_path / "audit", study, GENERATED, captions))
    (found,) = (f for f in result.findings if "real world" in f.statistic)
    assert found.details["plug_in"] == pytest.approx(np.mean([(10 + 0) / 2, (2 - 13) / 2]))
    assert found.estimate is not None
    assert found.estimate < found.details["plug_in"]
    assert rows(result, "tables-6-7")[1]["real world"] == 88.0


def test_a_warning_when_one_side_loses_more(tmp_path: Path) -> None:
    occupations = ["a", "b", "c", "d"]
    study = a_study(occupations=occupations, subsets=["naive"])
    captions = {name: Captions(split(6, 14)) for name in occupations}
    generated = {
        prompt.text: Shown(2, 3, nobody=5 if i % 2 else 4)
        for i, prompt in enumerate(study.prompts())
    }
    result = analyzed(*build(tmp_path / "audit", study, generated, captions))
    (warning,) = (note for note in result.notes if "treat the two sides differently" in note)
    assert "of generated and 0% of training images are dropped" in warning
    even = {prompt.text: Shown(4, 6) for prompt in study.prompts()}
    calm = analyzed(*build(tmp_path / "calm", study, even, captions))
    assert not any("treat the two sides" in note for note in calm.notes)


@pytest.mark.parametrize(
    ("faces", "reason"),
    [
        ([], "no face"),
        ([[0, 0, 0.5, 0.5, 0.4]], "no face that is sure and large enough"),
        ([[0, 0, 0.5, 0.09, 0.9]], "no face that is sure and large enough"),
        ([[0, 0, 0.5, 0.5, 0.9]], None),
        ([[0, 0, 0.5, 0.5, 0.9], [0.6, 0, 0.05, 0.05, 0.9]], None),
        ([[0, 0, 0.5, 0.5, 0.9], [0.6, 0, 0.3, 0.3, 0.5]], "more than one face"),
    ],
)
def test_exactly_one_sure_and_large_face(faces: list[list[float]], reason: str | None) -> None:
    assert face_reason(faces, FaceRule()) == reason


def test_a_face_detector_decides_where_the_study_names_one(tmp_path: Path) -> None:
    study = a_study(faces={"detector": "centerface"}, subsets=["naive"])
    captions = {"engineer": ENGINEERS, "nurse": NURSES}
    faces = {ENGINEER[0]: [], caption_text("nurse", 0): [[0, 0, 0.4, 0.4, 0.9]] * 2}
    real = Identity("diffusers", "some/model")
    built = build(tmp_path / "audit", study, GENERATED, captions, generator=real, faces=faces)
    result = analyzed(*built)
    dropped = {(r["occupation"], r["side"]): r["reasons"] for r in rows(result, "dropped")}
    assert dropped["engineer", "generated"] == "10 no face"
    assert dropped["nurse", "training"] == "1 more than one face"
    assert "shows nobody" not in dropped["nurse", "generated"], "faces, not the person question"
    assert any("invented faces finds exactly one face" in note for note in result.notes)
    unseen = build(tmp_path / "unseen", study, GENERATED, captions, generator=real)
    blind = analyzed(*unseen)
    reasons = {r["reasons"] for r in rows(blind, "dropped")}
    assert all("no face detector has looked" in text for text in reasons)
    assert blind.findings[0].estimate is None


def test_without_training_images_the_answer_says_what_to_do(tmp_path: Path) -> None:
    from amplification_worlds import ENCODER, GENERATOR, direction

    study = a_study()
    audit = AuditFolder.at(tmp_path / "audit", GENERATOR)
    audit.append_texts(
        ENCODER, list(study.texts()), np.stack([direction(t) for t in study.texts()]),
        tokens=[5] * 4, truncated=[False] * 4,
    )  # fmt: skip
    result = analyzed(audit, study)
    (finding,) = result.findings
    assert finding.estimate is None
    assert "with a corpus" in finding.sentence


def test_an_occupation_without_captions_is_missing_not_zero(tmp_path: Path) -> None:
    study = a_study(occupations=["engineer", "nurse", "wheelwright"])
    generated = {
        **GENERATED,
        "A photo of a wheelwright": Shown(5, 5),
        "A wheelwright at work": Shown(5, 5),
    }
    captions = {"engineer": ENGINEERS, "nurse": NURSES, "wheelwright": Captions([])}
    result = analyzed(*build(tmp_path / "audit", study, generated, captions))
    naive = of(result, "amplification")["naive"]
    assert (naive.n, naive.n_missing) == (2, 1)
    assert "No caption names: wheelwright." in result.notes


@pytest.mark.parametrize(("neighbours", "said"), [(1, False), (500, True)])
def test_where_all_captions_are_nearest_the_notes_say_so(
    tmp_path: Path, neighbours: int, said: bool
) -> None:
    study = a_study(neighbours=neighbours)
    captions = {"engineer": ENGINEERS, "nurse": NURSES}
    result = analyzed(*build(tmp_path / "audit", study, GENERATED, captions))
    line = (
        f"Nearest are the {neighbours} captions closest to a prompt. So few name engineer, nurse "
    )
    assert any(note.startswith(line) for note in result.notes) == said


def test_the_same_audit_gives_the_same_numbers(
    answered: tuple[AuditFolder, AmplificationStudy], result: StudyResult
) -> None:
    again = analyzed(*answered)
    assert again == result
    fixed = of(analyzed(*answered, resample="images"), "amplification")["naive"]
    assert fixed.estimate == of(result, "amplification")["naive"].estimate


def test_an_encoder_that_has_not_looked_has_no_answer_beside_one_that_has(
    answered: tuple[AuditFolder, AmplificationStudy],
) -> None:
    from amplification_worlds import ENCODER
    from portrayal.findings.data import AuditData
    from portrayal.findings.settings import AnalysisSettings
    from portrayal.kinds.amplification.analysis import analyze_amplification

    audit, study = answered
    other = Identity("clip", "another", {"logit_scale": 100.0})
    shared = AuditData(audit, (prompt.text for prompt in study.prompts()), study.texts())
    data = [shared.of_study(study.prompts(), one) for one in (ENCODER, other)]
    result = analyze_amplification(study, data, AnalysisSettings(resamples=100))
    first = [f for f in result.findings if f.question.endswith("· invented-encoder")]
    assert first[0].estimate is not None
    (blind,) = (f for f in result.findings if f.question.endswith("· another"))
    assert blind.estimate is None
    assert "has not read the texts of the axis" in blind.sentence
    assert {one.name for one in result.parts if isinstance(one, Sides)} == {
        "sides · invented-encoder"
    }


@pytest.mark.parametrize("interval", [Interval(1.0, 2.0), Interval(-2.0, -1.0), UNKNOWN])
def test_chance_is_named_only_where_an_interval_holds_zero(interval: Interval) -> None:
    assert measured._hedge(interval) == ""
    assert measured._hedge(Interval(-1.0, 2.0)) == ", which chance can explain"
    assert measured._hedge(UNKNOWN, 0.53) == ", which chance can explain", "three occupations"
    assert measured._hedge(UNKNOWN, 0.01) == measured._hedge(UNKNOWN) == ""


def test_groups_that_captions_have_no_indicators_of_have_no_correlation(
    answered: tuple[AuditFolder, AmplificationStudy],
    result: StudyResult,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def statistics(of: StudyResult) -> set[str]:
        return {finding.statistic for finding in of.findings}

    assert measured.CORRELATION in statistics(result)
    monkeypatch.setattr(measured, "INDICATORS", {})
    rest = statistics(analyzed(*answered))
    assert rest == statistics(result) - {measured.CORRELATION}


def test_indicators_are_counted_by_occupation_and_by_what_images_show(
    answered: tuple[AuditFolder, AmplificationStudy], result: StudyResult
) -> None:
    """Counted again from the selection and the labels of training images."""
    audit, study = answered
    selection = read_selection(audit, study.name)
    assert selection is not None
    sampled = [row for row in selection.table.to_pylist() if row["prompt"] == -1]
    said = [row["indicator"] != "unknown" for row in sampled]
    whole, *each = rows(result, "indicators")
    assert whole["captions"] == len(sampled)
    assert whole["all"] == pytest.approx(100 * sum(said) / len(said))
    for told in each:
        own = [row for row in sampled if row["occupation"] == told["occupation"]]
        marked = sum(row["indicator"] != "unknown" for row in own)
        assert told["all"] == (pytest.approx(100 * marked / len(own)) if own else None)
    flips = {row["approach"]: row for row in rows(result, "flips")}
    scatter = rows(result, "table-3")
    assert set(flips) == {row["approach"] for row in scatter}
    naive = next(row for row in scatter if row["approach"].startswith("naive"))
    for row in rows(result, "reduction-by-prompt"):
        mine = next(one for one in scatter if one["approach"] == row["approach"])
        for prompt in ("#1", "#2"):
            if naive[prompt] > 0:
                less = 100 * (1 - mine[prompt] / naive[prompt])
                assert row[prompt] == pytest.approx(less)


def test_the_papers_other_numbers_are_those_counted_by_hand(tmp_path: Path) -> None:
    """Sections 5.1, 5.2, 6 and 8: indicators, similarities, matching images, reductions."""
    printed = [
        ("captions", "% with an indicator"),
        ("engineer: image shows woman", "% with an indicator"),
        ("engineer #1", "% of woman"),
    ]
    numbers = [{"of": of, "statistic": name, "value": 1} for of, name in printed]
    study = a_study(
        occupations=["engineer"], subsets=["naive", "no-indicators", "nearest", "captions"],
        caption_images=1, published=[{"source": "the paper", "numbers": numbers}],
    )  # fmt: skip
    said = ["female", "female", "unknown", "unknown", "male", *["unknown"] * 5]
    captions = {"engineer": Captions(split(4, 6, said), {0: [0, 4, 5, 6], 1: [1, 4, 5, 6]})}
    # The image of the second "female" caption shows a man, all others what their caption says.
    shows = [Shown(women=1), Shown(men=1), *[Shown(men=1)] * 8]
    generated = {ENGINEER[0]: Shown(1, 9), ENGINEER[1]: Shown(2, 8)}
    generated |= {caption_text("engineer", i): one for i, one in enumerate(shows)}
    result = analyzed(*build(tmp_path / "audit", study, generated, captions))
    (part,) = [part for part in result.parts if isinstance(part, PublishedNumbers)]
    found = {(row.of, row.statistic): row.ours for row in part.rows}
    assert found["captions", "% with an indicator"] == 30
    assert found["engineer: image shows woman", "% with an indicator"] == 50
    assert ("engineer: image shows man", "% with an indicator") not in found, "not printed"
    assert found["engineer #1", "% of woman"] == 10
    assert found["captions", "% of images that match"] == pytest.approx(100 * 2 / 3)
    naive, plain = (40 - 10 + 30 - 10) / 2, (40 + 30) / 2 - (50 - 100 * 2 / 7)
    assert found["naive", "amplification"] == pytest.approx(naive)
    assert found["no-indicators", "reduction in %"] == pytest.approx(100 * (1 - plain / naive))
    assert found["nearest #1", "reduction in %"] == pytest.approx(100 * (1 - 15 / 30))
    assert found["nearest #2", "reduction in %"] == pytest.approx(100 * (1 - 5 / 20))
    assert found["naive", "cosine of captions and prompts"] == pytest.approx(0.4)
    assert found["nearest", "cosine of captions and prompts"] == pytest.approx(0.7)
    assert found["naive #1", "p of the t-test"] is None, "one occupation"
