"""Which captions a study compares with: sampled ones, and those nearest to each prompt.

All captions with an occupation are found in one pass over the corpus. A sample of them is the naive
subset; among all of them the sentence encoder finds those nearest to each prompt. Whether a caption
has an indicator of a group is told for every one of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from portrayal.audit import SAMPLED, SELECTION, Selection
from portrayal.corpora import CaptionSet, Corpus, Term, draw, indicators, nearest
from portrayal.kinds.amplification.schema import SUBSETS, AmplificationStudy
from portrayal.language import NameRecogniser, SentenceEncoder
from portrayal.progress import OnProgress
from portrayal.records import digest, image_key

SEEDS = 10**12
"""Rows of one source at most; an image's seed is its source times this, plus its row."""


def select_captions(
    study: AmplificationStudy,
    corpus: Corpus,
    *,
    recogniser: NameRecogniser,
    encoder: SentenceEncoder | None,
    on_progress: OnProgress | None = None,
) -> Selection:
    """Choose a study's training captions.

    Args:
        study: The study.
        corpus: Where to choose from.
        recogniser: Who finds names in captions.
        encoder: Who finds nearest captions; None where the study asks for none.
        on_progress: Called with what, done and total.
    """
    report = on_progress or (lambda what, done, total: None)
    every = corpus.search(
        [Term.of(occupation) for occupation in study.occupations],
        per_term=study.pool if encoder is not None else study.captions,
        seed=study.seed,
        on_progress=report,
    )
    name = f"{study.name}-sample-{digest([every.identity.digest, study.captions, study.seed])[:8]}"
    sampled = draw(every, study.captions, seed=study.seed, name=name)
    tables = [_sampled(study, sampled, encoder)]
    if encoder is not None:
        tables.append(_nearest(study, corpus, every, encoder, report))
    table = _with_keys(pa.concat_tables(tables), corpus)
    captions = table["caption"].to_pylist()
    once = list(dict.fromkeys(captions))
    labels = dict(zip(once, indicators(once, recogniser), strict=True))
    table = table.append_column(
        "indicator", pa.array([labels[caption] for caption in captions], pa.string())
    )
    about = {
        "origin": corpus.origin,
        **asked_of(study, corpus),
        "matches": dict(every.counts),
        "recogniser": recogniser.identity.as_dict(),
        "encoder": None if encoder is None else encoder.identity.as_dict(),
    }
    return Selection(table.select(SELECTION.names).cast(SELECTION), about)


def asked_of(study: AmplificationStudy, corpus: Corpus | None = None) -> dict[str, Any]:
    """Return what a choice of captions depends on; without a corpus, what the study says of it."""
    wanted = {
        name: getattr(study, name) for name in ("captions", "pool", "seed", "sentences", "names")
    }
    asked = digest({
        **wanted,
        "occupations": list(study.occupations),
        "prompts": list(study.templates),
        "bare": list(study.bare),
        "neighbours": study.nearest_captions if wants_nearest(study) else 0,
    })  # fmt: skip
    return {"asked": asked, **({} if corpus is None else {"corpus": corpus.identity.as_dict()})}


def wants_nearest(study: AmplificationStudy) -> bool:
    """Tell whether a subset of the study takes nearest captions."""
    return any(SUBSETS[name].nearest for name in study.subsets)


def _prompts(study: AmplificationStudy) -> dict[str, list[str]]:
    return {
        occupation: [study.prompt(template, occupation) for template in study.templates]
        for occupation in study.occupations
    }


def _sampled(
    study: AmplificationStudy, sampled: CaptionSet, encoder: SentenceEncoder | None
) -> pa.Table:
    table = sampled.table(["term", "source", "row", "caption"])
    terms = table["term"].to_pylist()
    ranks: list[int] = []
    seen: dict[str, int] = {}
    for term in terms:
        ranks.append(seen.get(term, 0))
        seen[term] = ranks[-1] + 1
    similarity: Sequence[float | None] = [None] * len(terms)
    if encoder is not None:
        similarity = _mean_similarity(study, table, encoder)
    return _rows(table, [SAMPLED] * len(terms), ranks, similarity)


def _mean_similarity(
    study: AmplificationStudy, table: pa.Table, encoder: SentenceEncoder
) -> list[float]:
    """Return the mean cosine of each caption with the prompts of its occupation."""
    prompts = {
        occupation: _unit(encoder.embed(texts)).mean(axis=0)
        for occupation, texts in _prompts(study).items()
    }
    captions = table["caption"].to_pylist()
    once = list(dict.fromkeys(captions))
    place = {caption: i for i, caption in enumerate(once)}
    vectors = _unit(encoder.embed(once))
    return [
        float(vectors[place[caption]] @ prompts[term])
        for term, caption in zip(table["term"].to_pylist(), captions, strict=True)
    ]


def _unit(vectors: Any) -> Any:
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _nearest(
    study: AmplificationStudy,
    corpus: Corpus,
    every: CaptionSet,
    encoder: SentenceEncoder,
    report: OnProgress,
) -> pa.Table:
    prompts = _prompts(study)
    found = nearest(
        corpus,
        every,
        prompts,
        encoder,
        k=study.nearest_captions,
        on_progress=report,
    ).captions.table()
    number: Mapping[tuple[str, str], int] = {
        (occupation, text): i
        for occupation, texts in prompts.items()
        for i, text in enumerate(texts)
    }
    places = [
        number[term, text]
        for term, text in zip(found["term"].to_pylist(), found["prompt"].to_pylist(), strict=True)
    ]
    ranks = [rank - 1 for rank in found["rank"].to_pylist()]
    return _rows(found, places, ranks, found["cosine"].to_pylist())


def _rows(
    table: pa.Table,
    prompts: Sequence[int],
    ranks: Sequence[int],
    similarity: Sequence[float | None],
) -> pa.Table:
    return pa.table(
        {
            "occupation": table["term"].cast(pa.string()),
            "prompt": pa.array(prompts, pa.int32()),
            "rank": pa.array(ranks, pa.int32()),
            "source": table["source"].cast(pa.int32()),
            "row": table["row"].cast(pa.int64()),
            "caption": table["caption"].cast(pa.string()),
            "similarity": pa.array(similarity, pa.float64()),
        }
    )


def _with_keys(table: pa.Table, corpus: Corpus) -> pa.Table:
    places = zip(table["source"].to_pylist(), table["row"].to_pylist(), strict=True)
    seeds = [source * SEEDS + row for source, row in places]
    identity = corpus.identity
    keys = [
        image_key(identity, caption, seed)
        for caption, seed in zip(table["caption"].to_pylist(), seeds, strict=True)
    ]
    table = table.append_column("seed", pa.array(seeds, pa.int64()))
    return table.append_column("key", pa.array(keys, pa.string()))
