"""Phrases in their contexts: how often captions contain one, and what is around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from portrayal.corpora.folder import Corpus
from portrayal.corpora.terms import Term
from portrayal.progress import OnProgress

LOOKED_AT = 10_000
"""Captions of a phrase whose contexts are counted; of more, so many at random."""
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Context:
    """A phrase as one caption has it."""

    left: str
    phrase: str
    right: str
    source: str
    row: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a corpus says with a phrase.

    Attributes:
        phrase: The words.
        captions: Captions that contain it.
        of: Captions of the corpus.
        looked_at: Captions whose contexts were counted.
        before: The most frequent words right before it, with counts.
        after: The same right after it.
        contexts: Some of them, at random.
    """

    phrase: str
    captions: int
    of: int
    looked_at: int
    before: Sequence[tuple[str, int]]
    after: Sequence[tuple[str, int]]
    contexts: Sequence[Context]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


def phrases(
    corpus: Corpus,
    wanted: Sequence[str],
    *,
    width: int = 6,
    examples: int = 10,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> list[Phrase]:
    """Search phrases word for word, all in one pass.

    Args:
        corpus: Where.
        wanted: The phrases; case and the blanks between words do not matter, plurals do.
        width: Words of context on each side.
        examples: Contexts to return.
        seed: Another seed, other examples.
        on_progress: Told how many captions were looked at.
    """
    terms = [Term.of(one, plural=False) for one in wanted]
    found = corpus.search(terms, per_term=LOOKED_AT, seed=seed, on_progress=on_progress)
    rows = found.table().to_pylist()
    answers = []
    for term in terms:
        own = [row for row in rows if row["term"] == term.name]
        contexts = [
            context
            for row in own
            for context in _contexts(row, term, width, corpus.sources[row["source"]].label)
        ]
        answers.append(
            Phrase(
                phrase=term.name,
                captions=found.counts[term.name],
                of=corpus.rows,
                looked_at=len(own),
                before=_frequent((context.left for context in contexts), -1),
                after=_frequent((context.right for context in contexts), 0),
                contexts=contexts[:examples],
            )
        )
    return answers


def _contexts(row: dict[str, Any], term: Term, width: int, source: str) -> list[Context]:
    caption = row["caption"]
    gap = r"[\s\u00a0-]+"
    forms = "|".join(gap.join(map(re.escape, form.split())) for form in term.forms)
    found = re.finditer(rf"(?<![^\W])(?:{forms})(?![^\W])", caption, re.IGNORECASE)
    return [
        Context(
            " ".join(caption[: one.start()].split()[-width:]) if width else "",
            one.group(),
            " ".join(caption[one.end() :].split()[:width]) if width else "",
            source,
            row["row"],
        )
        for one in found
    ]


def _frequent(texts: Iterable[str], at: int, *, most: int = 10) -> list[tuple[str, int]]:
    """Return the most frequent first or last words of texts; of equals in alphabetical order."""
    words = (_WORDS.findall(text.lower()) for text in texts)
    counts = Counter(own[at] for own in words if own)
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:most]
