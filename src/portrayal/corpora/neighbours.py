"""Nearest neighbours: the captions of a term that most resemble a prompt (section 5.2).

Exact: every caption's cosine with every prompt of its term is computed, piece by piece, and the k
largest are kept; equal captions are ordered by source and row. From the same vectors the answer is
always the same, however the work was cut. The vectors themselves differ in their last digits from
machine to machine and with the captions that share a batch (about 1e-7 in a cosine), so embedding a
corpus again may swap captions that are nearer to each other than that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from portrayal.corpora.captions import COLUMNS, CaptionSet, stored, term_counts, write_set
from portrayal.corpora.embeddings import EmbeddingCache, Keys, caption_keys
from portrayal.corpora.folder import Corpus
from portrayal.errors import CorpusError
from portrayal.language import SentenceEncoder
from portrayal.progress import OnProgress
from portrayal.records import Identity, plain
from portrayal.studies import fields, fill

SCHEMA = pa.schema(
    [*COLUMNS, ("prompt", pa.string()), ("rank", pa.int32()), ("cosine", pa.float64())]
)
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Similarity:
    """How much the captions of a term resemble a prompt, on average.

    Attributes:
        term: The term.
        prompt: The prompt.
        n: Captions of the term.
        mean_all: Mean cosine over all of them; None for n = 0.
        k: Captions that were chosen.
        mean_nearest: Mean cosine over those.
    """

    term: str
    prompt: str
    n: int
    mean_all: float | None
    k: int
    mean_nearest: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest captions by term and prompt.

    Attributes:
        captions: A stored set: term, source, row, caption, prompt, rank from 1, cosine.
        similarity: One row a term and prompt.
        embedded: Captions that had to be embedded now; the others were known.
    """

    captions: CaptionSet
    similarity: tuple[Similarity, ...]
    embedded: int

    @property
    def identity(self) -> Identity:
        """Encoder, prompts, k and the set that was searched."""
        return self.captions.identity


class _Best:
    """The k largest cosines of one term and prompt, and the sum over all."""

    def __init__(self, k: int) -> None:
        self._k = k
        self.cosines: FloatArray = np.zeros(0)
        self.rows: IntArray = np.zeros(0, np.int64)
        self.total = 0.0
        self.count = 0

    def add(self, cosines: FloatArray, rows: IntArray, order: IntArray) -> None:
        """Take more captions in; `order` tells which of all rows comes first among equals."""
        self.total += float(cosines.sum())
        self.count += len(cosines)
        if len(self.cosines) == self._k and len(cosines):
            near = cosines >= self.cosines[-1]
            cosines, rows = cosines[near], rows[near]
        together = np.concatenate([self.cosines, cosines])
        both = np.concatenate([self.rows, rows])
        best = np.lexsort((order[both], -together))[: self._k]
        self.cosines, self.rows = together[best], both[best]


def nearest(
    corpus: Corpus,
    captions: CaptionSet,
    prompts: Mapping[str, Sequence[str]],
    encoder: SentenceEncoder,
    *,
    k: int,
    name: str | None = None,
    on_progress: OnProgress | None = None,
) -> Neighbours:
    """Return the k captions of each term that are nearest to each of its prompts.

    Args:
        corpus: Where embeddings are kept.
        captions: All captions of the terms; a set of `Corpus.search` with `per_term=None`.
        prompts: By term.
        encoder: Turns captions and prompts into vectors.
        k: How many; fewer where a term has fewer.
        name: What to call the set; made up from its identity if left out.
        on_progress: Told how many captions were embedded.

    Raises:
        CorpusError: k is no number of captions, or a term is not in the set.
    """
    _check(captions, prompts, k)
    asked = {term: list(dict.fromkeys(own)) for term, own in prompts.items()}
    identity = Identity(
        "captions",
        "nearest",
        {"of": captions.identity.digest, "encoder": encoder.identity.as_dict(),
         "prompts": asked, "k": k},
    )  # fmt: skip
    file = corpus.folder / "sets" / f"{name or 'nearest-' + identity.digest[:8]}.parquet"
    present = stored(file, identity)
    if present is not None:
        return Neighbours(present, _remembered(present), 0)
    cache = EmbeddingCache(corpus.folder, encoder)
    embedded = cache.fill(captions, on_progress=on_progress)
    best = _scan(_Rows(captions), cache, asked, encoder, k)
    similarity = tuple(_similarity(term, prompt, one) for (term, prompt), one in best.items())
    table = _table(captions, best)
    made = write_set(
        file,
        [table],
        identity=identity,
        counts=term_counts(table, list(asked)),
        remarks={"similarity": [plain(one.as_dict()) for one in similarity]},
    )
    return Neighbours(made, similarity, embedded)


def filled(templates: Sequence[str], terms: Sequence[str]) -> dict[str, list[str]]:
    """Return the prompts of each term: `{term}` or, with its article, `{a term}` filled in.

    Raises:
        CorpusError: A template has another field, or none.
    """
    for template in templates:
        try:
            named = fields(template)
        except ValueError as error:
            raise CorpusError(f"prompt {error}") from error
        if set(named) != {"term"}:
            raise CorpusError(f"prompt {template!r}: wanted: {{term}} or {{a term}} in it")
    return {term: [fill(template, {"term": term}) for template in templates] for term in terms}


class _Rows:
    """The rows of a set without their captions: terms, keys, and an order for equals."""

    def __init__(self, captions: CaptionSet) -> None:
        terms, keys, sources, rows = [], [], [], []
        numbers = {term: number for number, term in enumerate(captions.terms)}
        for batch in captions.batches(["term", "source", "row", "caption"]):
            terms.append(np.array([numbers[term] for term in batch["term"].to_pylist()], np.int32))
            keys.append(caption_keys(batch["caption"].to_pylist()))
            sources.append(batch["source"].to_numpy())
            rows.append(batch["row"].to_numpy())
        empty = np.zeros(0, np.int64)
        self.terms = np.concatenate([empty.astype(np.int32), *terms])
        self._numbers = numbers
        places = np.lexsort((np.concatenate([empty, *rows]), np.concatenate([empty, *sources])))
        self.order = np.empty(len(places), np.int64)
        self.order[places] = np.arange(len(places))
        own: Keys = np.concatenate([empty.astype(np.uint64), *keys])
        self._by_key = np.argsort(own, kind="stable")
        self._keys = own[self._by_key]
        self._seen = np.zeros(len(own), bool)

    def number(self, term: str) -> int:
        """Return a term's number."""
        return self._numbers[term]

    def take(self, keys: Keys) -> tuple[IntArray, IntArray]:
        """Return the rows that have these keys, each row once ever, and which key each has."""
        left = np.searchsorted(self._keys, keys, "left")
        counts = np.searchsorted(self._keys, keys, "right") - left
        which = np.repeat(np.arange(len(keys)), counts)
        offsets = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = self._by_key[np.repeat(left, counts) + offsets]
        fresh = ~self._seen[rows]
        self._seen[rows] = True
        return rows[fresh], which[fresh]


def _scan(
    rows: _Rows,
    cache: EmbeddingCache,
    prompts: Mapping[str, Sequence[str]],
    encoder: SentenceEncoder,
    k: int,
) -> dict[tuple[str, str], _Best]:
    texts = list(dict.fromkeys(prompt for own in prompts.values() for prompt in own))
    columns = {text: at for at, text in enumerate(texts)}
    # One by one: in company a text is padded, which moves its vector by rounding, and with it the
    # order of captions that are almost equally near. What else is asked must not matter.
    towards = _unit(np.concatenate([encoder.embed([text]) for text in texts]))
    best = {(term, prompt): _Best(k) for term, own in prompts.items() for prompt in own}
    for keys, vectors in cache.parts():
        found, which = rows.take(keys)
        if not len(found):
            continue
        unit = _unit(vectors)
        terms = rows.terms[found]
        for term, own in prompts.items():
            mine = np.flatnonzero(terms == rows.number(term))
            captions = unit[which[mine]]
            for prompt in own:
                # Not a matrix product: that rounds by its shape, and equal captions must be equal.
                cosines = np.einsum("ij,j->i", captions, towards[columns[prompt]])
                best[term, prompt].add(cosines, found[mine], rows.order)
    return best


def _unit(vectors: npt.NDArray[Any]) -> FloatArray:
    """Return vectors of length 1 in double precision, so that order does not hang on rounding."""
    wide = vectors.astype(np.float64)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    scaled: FloatArray = wide / np.where(length == 0, 1.0, length)
    return scaled


def _table(captions: CaptionSet, best: Mapping[tuple[str, str], _Best]) -> pa.Table:
    chosen = np.concatenate([np.zeros(0, np.int64), *(one.rows for one in best.values())])
    distinct, places = np.unique(chosen, return_inverse=True)
    picked, start = [SCHEMA.empty_table().select(["source", "row", "caption"])], 0
    for batch in captions.batches(["source", "row", "caption"]):
        own = distinct[(distinct >= start) & (distinct < start + len(batch))] - start
        picked.append(pa.Table.from_batches([batch]).take(pa.array(own)))
        start += len(batch)
    rows = pa.concat_tables(picked).take(pa.array(places.ravel()))
    sizes = [len(one.rows) for one in best.values()]
    each = [pair for pair, size in zip(best, sizes, strict=True) for _ in range(size)]
    ranks = [rank for size in sizes for rank in range(1, size + 1)]
    cosines = np.concatenate([np.zeros(0), *(one.cosines for one in best.values())])
    columns = {
        "term": pa.array([term for term, _ in each], pa.string()),
        **{name: rows[name] for name in ("source", "row", "caption")},
        "prompt": pa.array([prompt for _, prompt in each], pa.string()),
        "rank": pa.array(ranks, pa.int32()),
        "cosine": pa.array(cosines),
    }
    return pa.table(columns).cast(SCHEMA)


def _similarity(term: str, prompt: str, best: _Best) -> Similarity:
    mean = best.total / best.count if best.count else None
    near = float(best.cosines.mean()) if len(best.cosines) else None
    return Similarity(term, prompt, best.count, mean, len(best.cosines), near)


def _remembered(captions: CaptionSet) -> tuple[Similarity, ...]:
    return tuple(Similarity(**one) for one in captions.remarks["similarity"])


def _check(captions: CaptionSet, prompts: Mapping[str, Sequence[str]], k: int) -> None:
    if k < 1:
        raise CorpusError(f"k is {k}; allowed: 1 or more")
    for term, own in prompts.items():
        if term not in captions.terms:
            raise CorpusError(f"set {captions.name}: contains no term {term!r}")
        if not own:
            raise CorpusError(f"term {term!r}: no prompt to compare captions with")
