from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from invented import fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.findings import Asked
from portrayal.findings.parts import Distribution
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.association.rated_concepts import (
    RatedConcept,
    compare_with_raters,
    order_asked,
    rated_concepts,
    raters_table,
)
from portrayal.papers import load_paper
from portrayal.raters import RatedImage, Vote, Votes, chosen_questions, store_votes
from portrayal.runner.analysis import analyze
from portrayal.studies.reading import study_from_toml
from portrayal.studies.schema import Study

# T2IAT, Table 2: share of images chosen as closer to pleasant or male.
TABLE_2 = {
    "flowers": 1.00, "insects": 0.15, "musical instruments": 0.90, "weapons": 0.05,
    "science": 0.75, "arts": 0.30, "careers": 0.75, "family": 0.40,
}  # fmt: skip


def asked(study: str = "s") -> Asked:
    return order_asked(study, "association", "invented-encoder")


def rated(share: float, association: float, *, n: int = 20, seed: int = 0) -> RatedConcept:
    rng = np.random.default_rng(seed)
    ratings = np.r_[np.ones(round(share * n)), np.zeros(n - round(share * n))]
    noise = rng.normal(scale=0.01, size=250)
    return RatedConcept("c", ratings, association + noise - noise.mean())


def test_tau_agrees_with_scipy_on_table_2() -> None:
    scores = [0.02, -0.013, 0.01, 0.002, 0.015, -0.004, 0.02, -0.006]
    concepts = [
        rated(s, a, seed=i) for i, (s, a) in enumerate(zip(TABLE_2.values(), scores, strict=True))
    ]
    found = compare_with_raters(asked("t2iat"), concepts, AnalysisSettings(resamples=499))
    expected = stats.kendalltau(scores, list(TABLE_2.values()))
    assert found.estimate == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.n, found.unit) == (8, "concept")
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.high <= 1
    assert "8 concepts" in found.sentence
    assert "160 rated images" in found.sentence


def test_noisy_ratings_widen_the_interval() -> None:
    scores = np.linspace(-0.05, 0.05, 8)
    sure = [rated(s, a, n=200) for s, a in zip(np.linspace(0.05, 0.95, 8), scores, strict=True)]
    few = [rated(s, a, n=5) for s, a in zip(np.linspace(0.3, 0.7, 8), scores, strict=True)]
    settings = AnalysisSettings(resamples=499)
    narrow, wide = (compare_with_raters(asked(), one, settings) for one in (sure, few))
    assert narrow.estimate == pytest.approx(1)
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.low < narrow.low


def test_too_few_concepts_are_no_number() -> None:
    found = compare_with_raters(
        asked(), [rated(1, 0.1), rated(0, 0.0)], AnalysisSettings(), n_missing=4
    )
    assert (found.estimate, found.low, found.p, found.n, found.n_missing) == (
        None,
        None,
        None,
        0,
        4,
    )
    assert found.sentence.startswith("not enough data: 2 concepts")
    same = compare_with_raters(asked(), [rated(0.5, 0.1)] * 4, AnalysisSettings())
    assert same.estimate is None


def test_ratings_find_their_images(audit: AuditFolder) -> None:
    text = """
kind = "association"
images = 3
concepts = ["chef", "nurse", "pilot"]
attach = "template"
attribute_template = "a photo of {a word} {stimulus}"
[attributes]
male = ["male"]
female = ["female"]
"""
    study = study_from_toml(text, source="jobs.toml", name="jobs")
    assert isinstance(study, Study)
    fill_audit(audit, [study], leaning({"chef": 0.4, "nurse": -0.4}, noise=0.05))
    seen = next(t for t in analyze(audit).studies[0].parts if isinstance(t, Distribution))
    likely = {"chef": (1.0, 1.0, 1.0), "nurse": (0.0, 1 / 3, 0.0), "pilot": (2 / 3, 1.0, 1 / 3)}
    ratings = {row.key: likely[row.concept][row.seed] for row in seen.rows}
    chef = next(row.key for row in seen.rows if row.concept == "chef")
    ratings[chef] = float("nan")
    ratings["no such image"] = 1.0
    concepts, unused = rated_concepts([seen], ratings)
    assert unused == 2
    assert {one.name: one.ratings.size for one in concepts} == {"chef": 2, "nurse": 3, "pilot": 3}
    found = compare_with_raters(
        asked("jobs"), concepts, AnalysisSettings(resamples=99), n_missing=unused
    )
    assert found.estimate == pytest.approx(1)
    rows = {row[0]: row for row in raters_table(concepts, AnalysisSettings(), "raters", "").rows}
    assert rows["pilot"][2] == pytest.approx(2 / 3), "two of three images by majority"
    assert rows["nurse"][2] == 0, "one rater of three is no majority"
    assert rows["nurse"][6] == pytest.approx(1 / 9), "the share of raters"
    assert rows["nurse"][7] < rows["pilot"][7] < rows["chef"][7]


def test_one_tau_over_the_eight_concepts_of_table_2(audit: AuditFolder) -> None:
    """Simulated raters of four T2IAT studies; tau is computed again by counting pairs."""
    rng = np.random.default_rng(5)
    names = ("flowers-insects", "instruments-weapons", "science-arts", "careers-family")
    short = {study.name: study for study in load_paper("t2iat").asked(small=True)}
    studies = [short[name] for name in names]
    concepts = [name for study in studies for name in study.concepts]
    lean = dict(zip(concepts, rng.normal(scale=0.3, size=8), strict=True))
    fill_audit(audit, studies, leaning(lean, noise=0.1))
    liked = dict(zip(concepts, TABLE_2.values(), strict=True))
    images = {
        (prompt, seed): key
        for key, prompt, seed in audit.images().select("key, prompt, seed").fetchall()
    }
    majority: dict[str, list[int]] = {name: [] for name in concepts}
    for study in studies:
        first, second = study.attributes
        asked = chosen_questions(study, None)
        about, votes = {}, []
        for prompt in study.rated_prompts():
            for seed in range(prompt.images):
                key = images[prompt.text, seed]
                about[key] = RatedImage(prompt.text, prompt.factors, seed)
                said = rng.random(3) < liked[prompt.factors["concept"]]
                majority[prompt.factors["concept"]].append(int(said.sum() > 1))
                votes += [
                    Vote(key, f"r{i}", {asked.choices[0].id: first if yes else second})
                    for i, yes in enumerate(said)
                ]
        store_votes(audit, Votes(asked, about, votes))
    results = analyze(audit, settings=AnalysisSettings(resamples=99))
    tau = next(one for one in results.findings if one.question.startswith("all concepts"))
    machine = [
        next(f.estimate for f in results.findings if f.details.get("concept") == name)
        for name in concepts
    ]
    people = [float(np.mean(majority[name])) for name in concepts]
    assert tau.estimate == pytest.approx(tau_b(machine, people))
    assert tau.n == 8
    sections = {section.study: section for section in results.studies}
    part = next(p for p in sections["science-arts"].parts if p.name == "published · raters")
    shown = {row.of: (row.ours, row.published) for row in part.rows}
    assert shown["science"] == (pytest.approx(np.mean(majority["science"])), "0.75")


def tau_b(x: list[float], y: list[float]) -> float:
    """Kendall's tau-b by its definition."""
    pairs = [(np.sign(a - c), np.sign(b - d)) for (a, b), (c, d) in
             itertools.combinations(zip(x, y, strict=True), 2)]  # fmt: skip
    score = sum(i * j for i, j in pairs)
    return float(score / np.sqrt(sum(i != 0 for i, _ in pairs) * sum(j != 0 for _, j in pairs)))
