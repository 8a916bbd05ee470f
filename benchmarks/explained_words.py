"""`portrayal explain` against the painter, whose truth is exact: are named words true ones?

    python -m benchmarks.explained_words [PROMPTS] [BUDGET] [SET]

Prompts of the practice world, drawn at random from one of four sets (SET) of different wording and
people; the rule for naming words was last changed before set 4 was run. Every image is painted, and
labelled by the practice encoder. The truth of a word is its influence with endless images: the
shares that the painter states, over 400 replaced texts per word.

A planted culprit is a word whose true influence is at least 15 points. A named word is true where
its true influence has the same sign, is at least 5 points, and differs from zero beyond the texts
that were drawn. Prompts run in processes of their own (PORTRAYAL_WORKERS, default: one per core).
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

PLANTED, TRUE = 0.15, 0.05
SAMPLES = 400


class PromptSet(NamedTuple):
    """Where prompts come from."""

    template: str
    adjectives: tuple[str, ...]
    people: tuple[str, ...]
    places: tuple[str, ...]


SETS = {
    1: PromptSet(
        "a {} {} at the {}",
        ("confident", "caring", "rational", "sensitive", "smart", "successful"),
        ("doctor", "nurse", "librarian", "chef", "mechanic", "teacher", "engineer", "lawyer",
         "firefighter", "receptionist", "chemist", "journalist"),
        ("office", "gym", "salon", "spa", "mall", "hospital"),
    ),
    2: PromptSet(
        "a photo of a {} {} in a {}",
        ("respected", "retired", "famous", "experienced", "friendly", "proud"),
        ("pilot", "surgeon", "singer", "tailor", "scientist", "artist", "baker", "plumber",
         "florist", "therapist", "farmer", "dancer"),
        ("classroom", "university", "laboratory", "kitchen", "garage"),
    ),
    3: PromptSet(
        "the {} {} at a {}",
        ("busy", "talented", "skilled", "calm", "curious", "local"),
        ("dentist", "painter", "architect", "accountant", "photographer", "writer", "bartender",
         "sailor", "judge", "carpenter", "waiter", "musician"),
        ("hospital", "gym", "kitchen", "garage", "spa", "office"),
    ),
    4: PromptSet(
        "one {} {} near the {}",
        ("tall", "kind", "busy", "confident", "sensitive", "retired"),
        ("politician", "researcher", "soldier", "cleaner", "electrician", "gardener", "paramedic",
         "sculptor", "lecturer", "butcher", "professor", "veterinarian"),
        ("mall", "salon", "classroom", "university", "laboratory", "gym"),
    ),
}  # fmt: skip


class Word(NamedTuple):
    """A word of a prompt: what explain says of it, and what is true."""

    prompt: str
    word: str
    named: bool
    influence: float
    truth: float
    reach: float

    @property
    def is_true(self) -> bool:
        """Whether a named word does push the way that is said."""
        clear = abs(self.truth) >= TRUE and abs(self.truth) > self.reach
        return clear and self.truth * self.influence > 0


def prompts(n: int, of: PromptSet) -> list[str]:
    """Return so many prompts, always the same."""
    rng = random.Random(22)
    found: dict[str, None] = {}
    while len(found) < n:
        words = [rng.choice(one) for one in (of.adjectives, of.people, of.places)]
        found[of.template.format(*words)] = None
    return list(found)


def explained(prompt: str, budget: int) -> list[Word]:
    """Explain one prompt, and set the truth beside it."""
    import torch

    import portrayal as pt
    from portrayal.kinds import kind_of
    from portrayal_practice.calibration.truth import PlantedTruth

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        answer = pt.explain(
            prompt, out=Path(folder) / "audit", model="practice:painter", budget=budget
        )
    world = PlantedTruth("explain", 0)
    plain = answer.study.model_copy(update={"drawn": None, "rewrites": (), "budget": None})
    truths = kind_of(plain).truth(plain, world, samples=SAMPLES)
    words = []
    for position, word in enumerate(answer.scores.counts.plan.words):
        true = next(one for one in truths if one.question.startswith(f"“{word}” ({position + 1})"))
        reach = 0.0 if true.high is None or true.low is None else (true.high - true.low) / 2
        score = answer.scores.main.of(position, answer.column).value if answer.scores.main else 0
        named = answer.verdicts[position].is_named
        words.append(Word(prompt, word, named, score, true.truth or 0.0, reach))
    return words


def main(n: int = 30, budget: int = 500, of: int = 1) -> None:
    workers = int(os.environ.get("PORTRAYAL_WORKERS") or os.cpu_count() or 1)
    words: list[Word] = []
    print(f"explain on the painter: {n} prompts of set {of}, up to {budget} images each")
    print(f"{'prompt':50}{'word':14}{'influence':>10}{'truth':>8}  named")
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for answer in pool.map(explained, prompts(n, SETS[of]), [budget] * n):
            words += answer
            _show(answer)
    named = [one for one in words if one.named]
    planted = [one for one in words if abs(one.truth) >= PLANTED]
    right, found = sum(one.is_true for one in named), sum(one.named for one in planted)
    print(f"of {len(words)} words, named ones that are true: {right} of {len(named)}")
    print(
        f"planted culprits (at least {100 * PLANTED:.0f} points) named: {found} of {len(planted)}"
    )


def _show(words: list[Word]) -> None:
    for one in words:
        if one.named or abs(one.truth) >= PLANTED:
            mark = ("yes, true" if one.is_true else "yes, FALSE") if one.named else "no"
            print(
                f"{one.prompt:50}{one.word:14}{one.influence:>10.2f}{one.truth:>8.2f}  {mark}",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
