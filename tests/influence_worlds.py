"""Influence studies in the practice world: exact truth, and images drawn from it.

The painter draws a scene and paints it. Here the scene itself says who is shown, so that what is
tested is the statistics alone, without an encoder's mistakes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from portrayal.kinds.influence.drawing import draw_texts
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.kinds.influence.word_scores import PromptScores, score_prompt
from portrayal.kinds.influence.word_sets import PromptCounts, Seen
from portrayal.language.candidates import CandidateWords
from portrayal.records import Request
from portrayal.studies import Study
from portrayal_practice.truth import Replacement, word_influences
from portrayal_practice.world import World

ADJECTIVES = [
    "confident", "caring", "rational", "sensitive", "smart", "successful", "respected", "retired",
    "famous", "experienced", "friendly", "busy", "proud", "tall",
]  # fmt: skip
PEOPLE = [
    "doctor", "scientist", "artist", "nurse", "lawyer", "cook", "pilot", "tailor", "waiter",
    "engineer", "teacher", "mechanic", "author", "student", "musician", "judge", "baker", "farmer",
]  # fmt: skip
PLACES = [
    "office", "gym", "salon", "spa", "mall", "hospital", "classroom", "university", "laboratory",
    "kitchen", "garage",
]  # fmt: skip
OTHERS = {"a": ["the", "this", "one"], "at": ["in", "near"], "the": ["a", "this"]}


def requests_of(study: Study) -> list[Request]:
    """Return every image that a study wants."""
    return [Request(prompt.text, seed) for prompt in study.prompts() for seed in prompt.seeds]


def candidate_lists() -> dict[str, list[str]]:
    """Every word of a kind may be replaced by every other word of its kind."""
    lists = {
        word: [other for other in words if other != word]
        for words in (ADJECTIVES, PEOPLE, PLACES)
        for word in words
    }
    return {**lists, **OTHERS}


def twenty_prompts() -> list[str]:
    """Twenty prompts of the paper's form, chosen once."""
    rng = np.random.default_rng(5)
    kinds = (ADJECTIVES, PEOPLE, PLACES)
    chosen = [[str(rng.choice(words)) for words in kinds] for _ in range(20)]
    return [f"a {adjective} {person} at the {place}" for adjective, person, place in chosen]


def true_scores(prompt: str, level: int, lists: Mapping[str, Sequence[str]]) -> np.ndarray:
    """Exact influence of every word towards woman, over all texts that the lists can give."""
    every = CandidateWords(lists, choice="top")
    n = len(prompt.split())
    texts: dict[frozenset[int], list[Replacement]] = {frozenset(): [Replacement(prompt, 1.0)]}
    for size in range(1, level + 1):
        for chosen in itertools.combinations(range(n), size):
            number = int(np.prod([len(every.candidates(prompt, word)) for word in chosen]))
            draws = every.draw(prompt, chosen, range(number), seed=0)
            texts[frozenset(chosen)] = [Replacement(one.text, 1 / number) for one in draws]
    found = word_influences(texts, words=n, level=level, axis="perceived gender", group="woman")
    return np.array([one.score for one in found])


def asked(prompt: str, lists: Mapping[str, Sequence[str]], **settings: object) -> InfluenceStudy:
    """A study of one prompt with all its texts drawn."""
    study = InfluenceStudy.model_validate(
        {
            "name": "world",
            "kind": "influence",
            "axes": {"perceived gender": _axis()},
            "prompts": [{"text": prompt}],
            "transmuter": {"by": "list", "candidates": lists},
            **settings,
        }
    )
    return draw_texts(study, transmuter=CandidateWords(lists))


def _axis() -> dict[str, object]:
    return {"groups": {"woman": ["a woman"], "man": ["a man"]}}


def scenes(study: InfluenceStudy, rng: np.random.Generator) -> Seen:
    """Draw a scene for every request; say who is shown first in it."""
    seen: dict[str, dict[int, str]] = {}
    for request in requests_of(study):
        scene = World.load().distribution(request.prompt).sample(rng)
        label = scene.people[0].presentation if scene.people else "nobody"
        label = "unknown" if label == "ambiguous" else label
        seen.setdefault(request.prompt, {})[request.seed] = label
    return seen


def scored(counts: PromptCounts, level: int = 1, *, sampled: bool = True) -> PromptScores:
    """Score the words of a prompt, always with the same random numbers."""
    return score_prompt(
        counts,
        level,
        sampled_texts=sampled,
        resamples=2000,
        confidence=0.95,
        rng=np.random.default_rng(0),
    )
