"""Do comparisons find planted differences, and only those? On images of the practice model.

    python -m benchmarks.compare_models [--pool FOLDER] [--images 200] [--draws 1000]

Makes a pool once (two audits of eight occupations, guidance 1 and 4), then draws from it: the same
model with disjoint seeds (false differences, equivalence), and both settings with the same seeds
and with others (power, and what pairs of seeds narrow).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import portrayal as pt
from portrayal.audit import AuditFolder
from portrayal.comparison.answering import Answering
from portrayal.comparison.comparing import corrected_differences
from portrayal.comparison.differences import ModelDifference
from portrayal.comparison.matching import common_to
from portrayal.comparison.models import open_audits
from portrayal.comparison.questions import ComparedQuestion, StudyQuestions
from portrayal.comparison.values import Values
from portrayal.kinds import kind_of
from portrayal.statistics.validation.worlds import binomial_band
from portrayal_practice.generator import PainterGenerator
from portrayal_practice.world import World

STUDY = "demo-occupations"
SHIFT = 1.0
"""Added to the log-odds of a woman in every occupation of the painter's table."""

GUIDANCE = (1.0, 4.0)
LEVEL = 0.05


def main() -> None:
    """Make the pool where it is not there yet, and print every figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare_models")
    parser.add_argument("--pool", type=Path, default=Path("audits/compare-pool"))
    parser.add_argument("--images", type=int, default=200, help="Images per prompt (default: 200).")
    parser.add_argument(
        "--draws", type=int, default=1000, help="Comparisons drawn (default: 1000)."
    )
    parser.add_argument("--seed", type=int, default=0, help="Of the random numbers (default: 0).")
    given = parser.parse_args()
    folders = [given.pool / f"guidance-{guidance:g}" for guidance in GUIDANCE]
    for folder, guidance in zip(folders, GUIDANCE, strict=True):
        pt.run(STUDY, model="practice", out=folder, images=given.images, guidance=guidance)
    pool, few = Pool(folders), min(given.draws, 200)

    def rng(*part: int) -> np.random.Generator:
        """Return the random numbers of one part, whatever the others draw."""
        return np.random.default_rng([given.seed, *part])

    for place, unit in enumerate(("prompt", "image")):
        for images in (20, given.images // 2):
            false_differences(pool, images, given.draws, unit, rng(1, place, images))
    equivalence(pool, given.images // 2, given.draws, rng(2))
    for images in (25, 50, 100, given.images):
        power(pool, images, few, rng(3, images))
    pairing(pool, "guidance 1 and 4", 50, few, rng(4))
    painted(given.pool, given.images // 2, few, rng(5))
    estimates(folders[0], given.images // 2, few, rng(6))
    whole = pt.compare(*folders)
    print(*whole.conclusions())


class Pool:
    """The labels of two audits, to draw comparisons from."""

    def __init__(self, folders: Sequence[Path]) -> None:
        settings = pt.AnalysisSettings(resamples=499)
        audits = open_audits([AuditFolder(folder) for folder in folders], settings)
        common = common_to(audits)
        (matched,) = common.studies
        asked = StudyQuestions(matched, audits, common.measurers).all()
        self.questions = [one for one in asked if one.measure in ("group share", "unknown")]
        self.seeds = {
            prompt.text: [np.array(list(one[place].seeds)) for one in matched.prompts]
            for place, prompt in enumerate(matched.prompts[0])
        }
        self.settings = settings

    def compared(
        self, sides: tuple[int, int], chosen: Mapping[str, Sequence[np.ndarray]], unit: str
    ) -> list[ModelDifference]:
        """Answer all questions about chosen seeds of two audits of the pool."""
        answering = Answering(replace(self.settings, unit=unit), LEVEL)  # type: ignore[arg-type]
        found = []
        for question in self.questions:
            first, second = (
                _of_seeds(question, side, chosen, place) for place, side in enumerate(sides)
            )
            asked = question.between("first", "second")
            found.append(answering.of_values(asked, question.prompts, first, second))
        return corrected_differences(found)


def _of_seeds(
    question: ComparedQuestion, side: int, chosen: Mapping[str, Sequence[np.ndarray]], place: int
) -> Values:
    values = question.values[side]
    return {
        prompt: {
            seed: values[prompt][seed]
            for seed in chosen[prompt][place].tolist()
            if seed in values.get(prompt, {})
        }
        for prompt in question.prompts
    }


class Drawn(NamedTuple):
    """Seeds by prompt: of the first side, and of the second."""

    seeds: dict[str, tuple[np.ndarray, np.ndarray]]


def disjoint(pool: Pool, images: int, rng: np.random.Generator) -> Drawn:
    """Draw seeds that both sides do not share."""
    found = {}
    for prompt, sides in pool.seeds.items():
        drawn = rng.permutation(sides[0])[: 2 * images]
        found[prompt] = (drawn[:images], drawn[images:])
    return Drawn(found)


def same(pool: Pool, images: int, rng: np.random.Generator) -> Drawn:
    """Draw seeds that both sides share."""
    found = {}
    for prompt, sides in pool.seeds.items():
        drawn = rng.permutation(sides[0])[:images]
        found[prompt] = (drawn, drawn)
    return Drawn(found)


def rate(hits: Sequence[bool]) -> str:
    """Write a rate with its 99% Monte Carlo interval."""
    share = float(np.mean(hits))
    low, high = binomial_band(share, len(hits))
    return f"{100 * share:.1f}% ({100 * low:.1f} to {100 * high:.1f}%)"


def _same_model(
    pool: Pool, images: int, draws: int, unit: str, rng: np.random.Generator
) -> Iterator[list[ModelDifference]]:
    for _ in range(draws):
        yield pool.compared((0, 0), disjoint(pool, images, rng).seeds, unit)


def false_differences(
    pool: Pool, images: int, draws: int, unit: str, rng: np.random.Generator
) -> None:
    """Print how often the same model with other seeds is told apart from itself."""
    found = list(_same_model(pool, images, draws, unit, rng))
    whole = [one[0].p is not None and one[0].p <= LEVEL for one in found]
    levels = [d.p <= LEVEL for one in found for d in one[1:] if d.p is not None]
    any_q = [any(d.q is not None and d.q <= LEVEL for d in one) for one in found]
    print(
        f"the same model, {images} images per prompt, by {unit}, {draws:,} pairs: false difference "
        f"of the share over all prompts {rate(whole)}; of {len(levels):,} other questions "
        f"{100 * float(np.mean(levels)):.1f}%; any question after correction {rate(any_q)}",
        flush=True,
    )


def equivalence(pool: Pool, images: int, draws: int, rng: np.random.Generator) -> None:
    """Print how often the same model is shown to be equivalent to itself."""
    found = [one[0] for one in _same_model(pool, images, draws, "prompt", rng)]
    shown = [one.p_equivalent is not None and one.p_equivalent <= LEVEL for one in found]
    print(
        f"the same model, {images} images per prompt: equivalence within 5 points confirmed in "
        f"{rate(shown)} of {draws:,} pairs",
        flush=True,
    )


def power(pool: Pool, images: int, draws: int, rng: np.random.Generator) -> None:
    """Print how often guidance 1 and 4 are told apart."""
    found = [pool.compared((0, 1), same(pool, images, rng).seeds, "prompt") for _ in range(draws)]
    whole = [one[0].p is not None and one[0].p <= LEVEL for one in found]
    any_q = [any(d.q is not None and d.q <= LEVEL for d in one) for one in found]
    print(
        f"guidance 1 and 4, {images} images per prompt: told apart by the share over all prompts "
        f"in {rate(whole)}, by any question after correction in {rate(any_q)}",
        flush=True,
    )


def painted(folder: Path, images: int, draws: int, rng: np.random.Generator) -> None:
    """Print what is found of a shift that was planted in the painter's table."""
    table = World.load().table
    effects = table.woman_effect
    moved = {name: effect + SHIFT for name, effect in effects["occupation"].items()}
    shifted = replace(table, woman_effect={**effects, "occupation": moved})
    folders = [folder / "painter", folder / "painter-shifted"]
    for place, world in zip(folders, (World.load(), World(shifted)), strict=True):
        pt.run(STUDY, model=PainterGenerator(world=world), out=place, images=images)
    pool = Pool(folders)
    occupations = [one.level for one in pt.compare(*folders).differences if one.level]
    before = np.array([table.occupations[name].woman for name in dict.fromkeys(occupations)])
    odds = before / (1 - before) * np.exp(SHIFT)
    truth = float((odds / (1 + odds) - before).mean())
    (found,) = pt.compare(*folders, names=["painter", "shifted"]).differences[:1]
    print(
        f"painter and painter with {100 * truth:.1f} points more women planted: {found.sentence()} "
        f"{found.in_numbers(0.95)}",
        flush=True,
    )
    pairing(pool, "painter and shifted painter", images // 2, draws, rng)


def estimates(folder: Path, images: int, draws: int, rng: np.random.Generator) -> None:
    """Print how often V and diversity of the same model, other seeds, differ by their intervals."""
    settings = pt.AnalysisSettings(resamples=199)
    (audit,) = open_audits([AuditFolder(folder)], settings, ["one"])
    study = audit.studies[STUDY]
    data = audit.data(study.prompts(), audit.measurers[0])
    all_images = data.images(study.prompts())
    by_prompt: dict[str, list[str]] = {}
    for prompt, key in zip(all_images.prompts, all_images.keys, strict=True):
        by_prompt.setdefault(prompt, []).append(key)
    answering = Answering(settings, LEVEL)
    wrong: dict[str, list[bool]] = {}
    for _ in range(draws):
        mixed = [rng.permutation(keys) for keys in by_prompt.values()]
        halves = [
            {key for keys in mixed for key in keys[part : part + images]} for part in (0, images)
        ]
        findings = [
            kind_of(study)
            .analyze(study, [data.without(set(all_images.keys) - half, "not drawn")], settings)
            .findings
            for half in halves
        ]
        for first, second in zip(*findings, strict=True):
            if first.low is None or second.low is None or first.statistic == "group share":
                continue
            asked = ModelDifference("a", "b", STUDY, "estimate", first.statistic, first.question)
            p = answering.of_findings(asked, first, second).p
            wrong.setdefault(first.statistic, []).append(p is not None and p <= LEVEL)
    for name, hits in wrong.items():
        print(f"the same model, about {images} images per prompt: false difference of {name} in "
              f"{rate(hits)} of {len(hits)} pairs", flush=True)  # fmt: skip


def pairing(pool: Pool, models: str, images: int, draws: int, rng: np.random.Generator) -> None:
    """Print how much narrower intervals are with the same seeds than with others."""
    for unit in ("prompt", "image"):
        widths: dict[str, list[float]] = {"same": [], "other": []}
        for _ in range(draws):
            for name, drawn in (
                ("same", same(pool, images, rng)),
                ("other", disjoint(pool, images, rng)),
            ):
                whole = pool.compared((0, 1), drawn.seeds, unit)[0]
                assert whole.low is not None
                assert whole.high is not None
                widths[name].append(whole.high - whole.low)
        mean = {name: float(np.mean(own)) for name, own in widths.items()}
        print(
            f"{models}, {images} images per prompt, by {unit}: intervals "
            f"{100 * mean['same']:.1f} points wide with the same seeds, {100 * mean['other']:.1f} "
            f"with others: {100 * (1 - mean['same'] / mean['other']):.0f}% narrower",
            flush=True,
        )


if __name__ == "__main__":
    main()
