"""Influence studies: which word of a prompt causes who is shown?

Every prompt is also asked with some of its words replaced, in all sets of up to `level` words. The
replaced texts come from a transmuter (a masked language model, a list, WordNet). They are drawn
once, in a fixed order, and kept in the study itself (`drawn`), so that a stored study is exact data
and asking for more adds to what is there. Lin et al. 2023, section 2.

Seeds go by the number of the draw: draw j of every set of words has the seeds j, j + 1000, ...; and
the prompt as it is has them all. So no two draws of a set share their noise (images of different
texts with the same seed resemble each other), all sets have the same noise, and neither more draws
nor more images per draw change what was asked before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from portrayal.errors import StudyError, one_of
from portrayal.kinds.composition import CompositionStudy
from portrayal.kinds.influence.subsets import Subset, all_subsets, count_subsets, sampled_subsets
from portrayal.language import default_text_model
from portrayal.records import Prompt
from portrayal.studies import Count, StudyPart, Undrawn, Word, did_you_mean, split_words

REPLACED = "replaced"
"""The factor that names the replaced words; "" for the prompt as it is."""

MOST_DRAWS = 1000
"""Draws of a set of words at most; the step between the seeds of one draw."""

MOST_APART = 60
"""After so many texts that name a group a set of words keeps those that it has."""

VERIFIED_FROM = 500_000_000
"""The first seed of images that verify a rewritten prompt: no draw has it."""

MOST_SUBSETS = 20_000
"""More sets of words than this in one prompt are a mistake, not a plan."""


class Transmutation(StudyPart):
    """Where replaced texts come from.

    Attributes:
        by: A masked language model, a list of candidates, or WordNet.
        model: For "masked-words": a folder, a Hub id, or the name of an installed one; left out:
            the installed default, "" where there is none.
        revision: Of the Hub id.
        choice: "sample": texts at random, with their probabilities, standing for all others. "top":
            the most probable texts, each once, standing for themselves, as in the paper. Either way
            all draws count alike.
        keep: Only so many of the most probable words of a place count.
        temperature: Above 1 the choice is more even, below 1 more certain.
        tagger: "nltk" or "spacy:PIPELINE" keeps a noun a noun; "" takes any part of speech.
        avoid: Words that are never put in, nor their inflections.
        naming: Texts that name a group which the prompt does not name ("female doctor") answer
            another question. "apart": they are listed, and others drawn in their place;
            "counted": they count like all others.
        candidates: For "list": replacements by word; "*" serves all other words.
        relations: For "wordnet".
    """

    by: Literal["masked-words", "list", "wordnet"] = "masked-words"
    model: str = Field(default_factory=lambda: default_text_model("words"))
    revision: Word | None = None
    choice: Literal["sample", "top"] = "sample"
    keep: Count | None = None
    temperature: Annotated[float, Field(gt=0, le=100)] = 1.0
    tagger: str = ""
    avoid: tuple[Word, ...] = ()
    naming: Literal["apart", "counted"] = "apart"
    candidates: dict[Word, Annotated[tuple[Word, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    relations: Annotated[tuple[Literal["synonyms", "antonyms"], ...], Field(min_length=1)] = (
        "synonyms",
        "antonyms",
    )

    @model_validator(mode="after")
    def _candidates_for_lists(self) -> Self:
        if (self.by == "list") != bool(self.candidates):
            state = "is missing" if self.by == "list" else f"is given, but by is {self.by!r}"
            raise ValueError(f"candidates {state}; candidates and by = 'list' go together")
        return self


class DrawnText(NamedTuple):
    """A text with replaced words, and the probability with which it is drawn."""

    text: str
    probability: float


class DrawnSubset(StudyPart):
    """The texts of one set of replaced words, in the order in which they were drawn.

    Attributes:
        words: Positions of the replaced words, from 0; none: the prompt as it is, without texts.
        draws: So many draws are wanted where that is more than the study's own.
        texts: All that were drawn so far.
        apart: Texts that were drawn and set apart, for they name a group.
    """

    words: tuple[int, ...]
    draws: int = 0
    texts: tuple[DrawnText, ...] = ()
    apart: tuple[DrawnText, ...] = ()

    @property
    def is_exhausted(self) -> bool:
        """Whether so many texts name a group that looking for others was given up."""
        return len(self.apart) >= MOST_APART


class DrawnPrompt(StudyPart):
    """What was drawn for one prompt.

    Attributes:
        prompt: The prompt.
        replaceable: Positions of the words that the transmuter can replace.
        subsets: One entry for each set of replaced words.
    """

    prompt: Word
    replaceable: tuple[int, ...]
    subsets: tuple[DrawnSubset, ...] = ()


class Drawn(StudyPart):
    """Everything that was drawn, and who drew it."""

    transmuter: dict[str, Any]
    prompts: tuple[DrawnPrompt, ...] = ()


class Cost(NamedTuple):
    """What an influence study asks for, before images that are there are taken off.

    `images` counts a text for each prompt that asks for it; prompts may share texts.
    """

    subsets: int
    texts: int
    images: int


@dataclass(frozen=True, slots=True)
class WordSet:
    """A set of words to replace together.

    Attributes:
        words: Their positions; none: the prompt as it is.
        draws: Draws that are wanted.
        texts: Those that were drawn, in order.
        apart: Those that name a group, which have no images.
    """

    words: Subset
    draws: int
    texts: tuple[DrawnText, ...]
    apart: tuple[DrawnText, ...] = ()

    @property
    def room(self) -> int:
        """How many more draws can be had: none where almost all texts name a group."""
        return 0 if len(self.apart) >= MOST_APART else MOST_DRAWS - self.draws


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """A prompt and all that is asked with its words replaced.

    Attributes:
        source: The prompt with its factors.
        words: Its words.
        replaceable: Positions of the words that the transmuter can replace.
        sets: Sets of words to replace, smaller ones first.
        sampled: Whether the sets are a sample of all those of the level.
    """

    source: Prompt
    words: tuple[str, ...]
    replaceable: tuple[int, ...]
    sets: tuple[WordSet, ...]
    sampled: bool

    def named(self, subset: Subset) -> str:
        """Return the words of a set: `doctor, hospital`."""
        return ", ".join(self.words[position] for position in subset)

    def draws(self, one: WordSet) -> list[tuple[str, int]]:
        """Return the texts of a set with their numbers; the prompt as it is stands for itself."""
        if not one.words:
            return [(self.source.text, draw) for draw in range(one.draws)]
        return [(drawn.text, draw) for draw, drawn in enumerate(one.texts)]


class InfluenceStudy(CompositionStudy):
    """Prompts, as in a composition study, whose words are replaced in turn.

    Attributes:
        images: Images per text.
        draws: Texts for each set of replaced words. The prompt as it is gets draws x images images.
        level: The largest number of words replaced together (r of Definition 1). With all words,
            Shapley values are given too.
        subsets: At most so many sets of words per prompt, sampled; None: all of them.
        group: The group that findings speak of; None: the first of two, each of more.
        budget: Images in all; what draws x images leave of it is spent on the sets of words behind
            the widest intervals, once the first images are measured. None: no more than those.
        verify: Images of each rewritten prompt that is suggested, from seeds of their own; 0:
            suggestions are not verified.
        target: The share of the group that a rewritten prompt should come near; None: an even one.
        rewrites: Rewritten prompts to verify, once a word is named.
        transmuter: Where replaced texts come from.
        seed: Start of the random numbers for texts and sampled sets.
        drawn: The texts, once they are drawn.
    """

    amounts: ClassVar[frozenset[str]] = frozenset(
        {"images", "draws", "level", "subsets", "budget", "drawn", "verify", "target", "rewrites"}
    )

    kind: Literal["influence"]  # type: ignore[assignment]
    images: Count = 2
    draws: Annotated[int, Field(ge=1, le=MOST_DRAWS, strict=True)] = 12
    level: Annotated[int, Field(ge=1, strict=True)] = 1
    subsets: Count | None = None
    group: Word | None = None
    budget: Count | None = None
    verify: Annotated[int, Field(ge=0, le=100_000, strict=True)] = 0
    target: Annotated[float, Field(gt=0, lt=1)] | None = None
    rewrites: tuple[Word, ...] = ()
    transmuter: Transmutation = Transmutation()
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    drawn: Drawn | None = None

    @model_validator(mode="after")
    def _words_enough(self) -> Self:
        for source in self.sources():
            check_words(source.text, self.level, self.subsets)
        groups = [name for axis in self.axes.values() for name in axis.groups]
        if self.group is not None and self.group not in groups:
            raise ValueError(
                f"group is {self.group!r}{did_you_mean(self.group, groups)}; "
                f"allowed: {one_of(groups)}"
            )
        return self

    @model_validator(mode="after")
    def _budget_enough(self) -> Self:
        self._check_budget()
        return self

    def _check_budget(self) -> None:
        if self.budget is None:
            return
        sets = sum(len(plan.sets) for plan in self.plan())
        least = sets * self.draws * self.images
        if self.budget < least:
            raise ValueError(
                f"budget is {self.budget} images; allowed: {least} or more ({sets} sets of words x "
                f"{self.draws} texts x {self.images} images)"
            )

    def _with(self, **amounts: int) -> Self:
        """Return the study with other amounts, which its budget must pay for."""
        changed = self.model_copy(update=amounts)
        try:
            changed._check_budget()
        except ValueError as error:
            raise StudyError(f"{self.name}: {error}") from error
        return changed

    def with_images(self, images: int) -> Self:
        """Return the same study with another number of images for every text.

        Raises:
            StudyError: Less than one, more than a million, or more than the budget pays for.
        """
        return self._with(images=super().with_images(images).images)

    def at_stage(self, images: int) -> Self:
        """Return the study on the way to its images per text, with that part of its budget."""
        if self.budget is None:
            return super().at_stage(images)
        part = self.budget * images // self.images
        return self.model_copy(update={"images": images, "budget": part})

    def sources(self) -> tuple[Prompt, ...]:
        """Return the prompts that are asked about, as they are written."""
        return super().prompts()

    def plan(self) -> tuple[PromptPlan, ...]:
        """Return, for each prompt, the sets of words to replace and what was drawn for them."""
        known = {one.prompt: one for one in (self.drawn.prompts if self.drawn else ())}
        return tuple(self._plan(source, known.get(source.text)) for source in self.sources())

    def _plan(self, source: Prompt, known: DrawnPrompt | None) -> PromptPlan:
        positions = known.replaceable if known else self._positions(source.text)
        level = min(self.level, len(positions))
        every = count_subsets(len(positions), level)
        sampled = self.subsets is not None and self.subsets < every
        if self.subsets is not None and sampled:
            subsets = sampled_subsets(positions, level, self.subsets, seed=self.seed)
        else:
            subsets = all_subsets(positions, level)
        drawn = {one.words: one for one in (known.subsets if known else ())}
        sets = []
        for subset in subsets:
            record = drawn.get(subset, DrawnSubset(words=subset))
            wanted = max(self.draws, record.draws)
            if record.is_exhausted:
                wanted = min(wanted, len(record.texts))
            sets.append(WordSet(subset, wanted, record.texts[:wanted], record.apart))
        words = tuple(word.text for word in split_words(source.text))
        return PromptPlan(source, words, positions, tuple(sets), len(subsets) < every)

    def is_drawn(self) -> bool:
        """Tell whether all texts that the study wants are there."""
        return self.drawn is not None and all(
            len(one.texts) == one.draws for plan in self.plan() for one in plan.sets if one.words
        )

    def prompts(self) -> tuple[Prompt, ...]:
        """Return each prompt, then its texts with replaced words, as far as they are drawn.

        Every text stands once, with the seeds of its images. A text that was drawn twice wants
        twice the images: every draw has its own.
        """
        wanted: dict[str, set[int]] = {}
        factors: dict[str, Mapping[str, str]] = {}
        for plan in self.plan():
            for one in plan.sets:
                named = {**plan.source.factors, REPLACED: plan.named(one.words)}
                for text, draw in plan.draws(one):
                    wanted.setdefault(text, set()).update(draw_seeds(draw, self.images))
                    factors.setdefault(text, named)
        for text in self.rewrites:
            wanted.setdefault(text, set()).update(self.verified_seeds())
            factors.setdefault(text, {REPLACED: "rewritten"})
        return tuple(
            Prompt(text, factors[text], len(seeds), listed_seeds=tuple(sorted(seeds)))
            for text, seeds in wanted.items()
        )

    def cost(self) -> Cost:
        """Return what the study asks for; exact also before texts are drawn.

        Before they are drawn, WordNet is taken to know every word.
        """
        sets = [one for plan in self.plan() for one in plan.sets]
        texts = sum(one.draws if one.words else 1 for one in sets)
        return Cost(len(sets), texts, sum(one.draws for one in sets) * self.images)

    def undrawn(self) -> Undrawn:
        """Return how many texts and images are still to be drawn, for the whole budget."""
        if self.is_drawn():
            return Undrawn()
        cost, prompts = self.cost(), self.prompts()
        more = max((self.budget or 0) - cost.images, 0) // self.images
        return Undrawn(
            cost.texts + more - len(prompts),
            cost.images + more * self.images - sum(prompt.images for prompt in prompts),
        )

    def verified_seeds(self) -> range:
        """Return the seeds of the images of a rewritten prompt."""
        return range(VERIFIED_FROM, VERIFIED_FROM + self.verify)

    def with_draws(self, draws: int) -> Self:
        """Return the same study with another number of texts for each set of words."""
        if not 1 <= draws <= MOST_DRAWS:
            raise StudyError(
                f"{self.name}: texts per set of words is {draws}; allowed: 1 ... {MOST_DRAWS}"
            )
        return self._with(draws=draws)

    def _positions(self, prompt: str) -> tuple[int, ...]:
        words = split_words(prompt)
        if self.transmuter.by != "list":
            return tuple(range(len(words)))
        known = {word.casefold() for word in self.transmuter.candidates}
        return tuple(i for i, w in enumerate(words) if w.text.casefold() in known or "*" in known)


def draw_seeds(draw: int, images: int) -> range:
    """Return the seeds of the images of one draw."""
    return range(draw, draw + images * MOST_DRAWS, MOST_DRAWS)


def check_words(prompt: str, level: int, subsets: int | None = None) -> None:
    """Raise ValueError where a prompt has no words to compare, or fewer than the level asks for."""
    words = len(split_words(prompt))
    if words == 0:
        raise ValueError(f"prompt is {prompt!r}: it has no words; allowed: one word or more")
    if not 1 <= level <= words:
        raise ValueError(f"level is {level} for the prompt {prompt!r}; allowed: 1 ... {words}")
    n = count_subsets(words, level)
    if n > MOST_SUBSETS and subsets is None:
        raise ValueError(
            f"level {level} replaces {n:,} sets of words in the prompt {prompt!r}; "
            f"allowed: {MOST_SUBSETS:,}; take a lower level, or sample them with subsets = 200"
        )
