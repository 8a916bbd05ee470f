"""Training captions and their pictures: search, sampling, indicators, neighbours, phrases.

folder.py         a corpus: sources added once, sets of captions found in them
sources.py        files, tables, tars, here or at a URL (inspection, columns, listings)
terms.py          what counts as an occurrence of a term (matching.py: the same as SQL)
search.py         one pass over all captions (reading.py), counted and sampled
captions.py       stored sets; sampling.py draws smaller ones
indicators.py     which gender the words of a caption indicate
neighbours.py     captions that resemble a prompt (embeddings.py keeps vectors)
phrases.py, cooccurrence.py   what stands around a phrase; which words come together
pictures.py       the pictures of captions
"""

from __future__ import annotations

from portrayal.corpus.captions import CaptionSet
from portrayal.corpus.cooccurrence import Cooccurrence, cooccurrence
from portrayal.corpus.folder import Corpus, create_corpus
from portrayal.corpus.indicators import (
    Label,
    TermShares,
    indicator_identity,
    indicators,
    label_set,
    shares_by_term,
)
from portrayal.corpus.neighbours import Neighbours, Similarity, nearest
from portrayal.corpus.phrases import Phrase, phrases
from portrayal.corpus.pictures import Unreadable
from portrayal.corpus.problems import Problem
from portrayal.corpus.sampling import draw
from portrayal.corpus.terms import Term, read_terms, terms_of

__all__ = [
    "CaptionSet",
    "Cooccurrence",
    "Corpus",
    "Label",
    "Neighbours",
    "Phrase",
    "Problem",
    "Similarity",
    "Term",
    "TermShares",
    "Unreadable",
    "cooccurrence",
    "create_corpus",
    "draw",
    "indicator_identity",
    "indicators",
    "label_set",
    "nearest",
    "phrases",
    "read_terms",
    "shares_by_term",
    "terms_of",
]
