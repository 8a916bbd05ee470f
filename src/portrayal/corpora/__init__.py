"""Training captions and their images: search, sampling, indicators, neighbours, phrases.

folder.py         a corpus: sources added once, sets of captions found in them
sources.py        files, tables, tars, here or at a URL (inspection, columns, listings)
terms.py          what counts as an occurrence of a term (matching.py: the same as SQL)
search.py         one pass over all captions (reading.py), counted and sampled
captions.py       stored sets; sampling.py draws smaller ones
indicators.py     which gender the words of a caption indicate
neighbours.py     captions that resemble a prompt (embeddings.py keeps vectors)
phrases.py, cooccurrence.py   what stands around a phrase; which words come together
images.py       the images of captions
"""

from __future__ import annotations

from portrayal.corpora.captions import CaptionSet
from portrayal.corpora.cooccurrence import Cooccurrence, cooccurrence
from portrayal.corpora.folder import Corpus, create_corpus
from portrayal.corpora.images import Unreadable
from portrayal.corpora.indicators import (
    Label,
    TermShares,
    indicator_identity,
    indicators,
    label_set,
    shares_by_term,
)
from portrayal.corpora.neighbours import Neighbours, Similarity, nearest
from portrayal.corpora.phrases import Phrase, phrases
from portrayal.corpora.problems import Problem
from portrayal.corpora.sampling import draw
from portrayal.corpora.terms import Term, read_terms, terms_of

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
