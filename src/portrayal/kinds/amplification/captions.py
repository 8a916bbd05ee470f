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
from portrayal.kinds.amplification.link_rot import SPARE, Row, Tried, losses, to_try, walk
from portrayal.kinds.amplification.schema import INDICATORS, SUBSETS, AmplificationStudy
from portrayal.language import NameRecogniser, SentenceEncoder, names_of_groups
from portrayal.progress import OnProgress
from portrayal.records import digest, image_key
from portrayal.studies import tokens

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
    tried = corpus.tried()
    whole, matches = candidates(study, corpus, encoder, report, spare=SPARE if tried else 1)
    once = list(dict.fromkeys(whole["caption"].to_pylist()))
    labels = dict(zip(once, caption_labels(study, once, recogniser), strict=True))
    whole = whole.append_column(
        "indicator", pa.array([labels[one] for one in whole["caption"].to_pylist()], pa.string())
    )
    table, lost = _alive(study, whole, tried) if tried else (whole, {})
    table = _with_keys(table, corpus)
    about = {
        **({"lost": lost} if tried else {}),
        "origin": corpus.origin,
        **asked_of(study, corpus),
        "matches": matches,
        "recogniser": recogniser.identity.as_dict(),
        "encoder": None if encoder is None else encoder.identity.as_dict(),
    }
    return Selection(table.select(SELECTION.names).cast(SELECTION), about)


def candidates(
    study: AmplificationStudy,
    corpus: Corpus,
    encoder: SentenceEncoder | None,
    report: OnProgress,
    *,
    spare: int,
) -> tuple[pa.Table, dict[str, int]]:
    """Return the captions that a study may take, in order, and how many name each occupation.

    Args:
        study: The study.
        corpus: Where to choose from.
        encoder: Who finds nearest captions.
        report: Called with what, done and total.
        spare: So many times the wanted number, for links that are dead.
    """
    each = study.captions * spare
    every = corpus.search(
        [Term.of(occupation) for occupation in study.occupations],
        per_term=study.pool if encoder is not None else each,
        seed=study.seed,
        on_progress=report,
    )
    name = f"{study.name}-sample-{digest([every.identity.digest, each, study.seed])[:8]}"
    sampled = draw(every, each, seed=study.seed, name=name)
    tables = [_sampled(study, sampled, encoder)]
    if encoder is not None:
        tables.append(_nearest(study, corpus, every, encoder, report, spare=spare))
    return pa.concat_tables(tables), dict(every.counts)


def caption_labels(
    study: AmplificationStudy, captions: Sequence[str], recogniser: NameRecogniser
) -> list[str]:
    """Return what the words of captions indicate on the study's own axis.

    For perceived gender male, female, both or unknown, by the recogniser; for other axes, and where
    the study has lists of its own, the group, "both" for several, or "unknown".
    """
    groups = list(study.axis.groups)
    if not study.indicator_words and set(groups) <= set(INDICATORS):
        return list(indicators(captions, recogniser))
    lists = {group: {" ".join(tokens(one)) for one in words}
             for group, words in study.indicator_words.items()}  # fmt: skip
    found = []
    for caption in captions:
        line = f" {' '.join(tokens(caption))} "
        named = set() if lists else set(names_of_groups(caption, groups))
        named |= {g for g, words in lists.items() if any(f" {one} " in line for one in words)}
        found.append("both" if len(named) > 1 else next(iter(named), "unknown"))
    return found


def _by_place(table: pa.Table) -> dict[tuple[str, int], list[int]]:
    """Return the rows of each occupation and prompt, in their order."""
    found: dict[tuple[str, int], list[int]] = {}
    places = zip(table["occupation"].to_pylist(), table["prompt"].to_pylist(), strict=True)
    for number, place in enumerate(places):
        found.setdefault(place, []).append(number)
    return found


def _alive(
    study: AmplificationStudy, table: pa.Table, tried: Tried
) -> tuple[pa.Table, dict[str, dict[str, list[int]]]]:
    """Keep the captions whose link is alive, as many as are wanted; and say what was lost."""
    rows = list(zip(table["source"].to_pylist(), table["row"].to_pylist(), strict=True))
    kept: list[int] = []
    ranks: list[int] = []
    sampled: list[int] = []
    for (_, prompt), own in _by_place(table).items():
        wanted = study.captions if prompt == SAMPLED else study.nearest_captions
        found = walk([rows[i] for i in own], tried, wanted)
        kept += [own[i] for i in found.kept]
        ranks += range(len(found.kept))
        sampled += [own[i] for i in found.walked if prompt == SAMPLED]
    part = table.take(pa.array(sampled, pa.int64()))
    lost = losses(
        part["occupation"].to_pylist(), part["indicator"].to_pylist(),
        [rows[i] for i in sampled], tried,
    )  # fmt: skip
    chosen = table.take(pa.array(kept, pa.int64()))
    place = chosen.schema.get_field_index("rank")
    return chosen.set_column(place, "rank", pa.array(ranks, pa.int32())), lost


def links_to_try(
    study: AmplificationStudy,
    corpus: Corpus,
    encoder: SentenceEncoder | None,
    *,
    on_progress: OnProgress | None = None,
) -> dict[Row, str]:
    """Return the captions whose images a study needs next, by source and row.

    Args:
        study: The study.
        corpus: A corpus with links.
        encoder: Who finds nearest captions; None where the study asks for none.
        on_progress: Called with what, done and total.
    """
    report = on_progress or (lambda what, done, total: None)
    table, _ = candidates(study, corpus, encoder, report, spare=SPARE)
    rows = list(zip(table["source"].to_pylist(), table["row"].to_pylist(), strict=True))
    captions, tried = table["caption"].to_pylist(), corpus.tried()
    found: dict[Row, str] = {}
    for (_, prompt), own in _by_place(table).items():
        wanted = study.captions if prompt == SAMPLED else study.nearest_captions
        seen = walk([rows[i] for i in own], tried, wanted)
        found |= {rows[own[i]]: captions[own[i]] for i in to_try(seen, wanted)}
    return found


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
        **_axis_of_indicators(study),
    })  # fmt: skip
    if corpus is None:
        return {"asked": asked}
    tried = corpus.tried()
    state = {"tried": digest(sorted([*k, v is None] for k, v in tried.items()))} if tried else {}
    return {"asked": asked, "corpus": corpus.identity.as_dict(), **state}


def _axis_of_indicators(study: AmplificationStudy) -> dict[str, Any]:
    """Return what indicators depend on beside the recogniser: lists, or another axis."""
    groups = list(study.axis.groups)
    if study.indicator_words:
        return {"indicators": {name: list(own) for name, own in study.indicator_words.items()}}
    return {} if set(groups) <= set(INDICATORS) else {"indicators": groups}


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
    *,
    spare: int,
) -> pa.Table:
    prompts = _prompts(study)
    found = nearest(
        corpus,
        every,
        prompts,
        encoder,
        k=study.nearest_captions * spare,
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
