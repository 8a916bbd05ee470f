"""The training side of an amplification study: captions chosen from a corpus, with their pictures.

captions.py    which captions a study compares with: sampled ones, and those nearest to a prompt
pictures.py    their pictures, in an audit of their own inside the audit
prompts.py     captions, and their paraphrases, that serve as prompts
preparation.py all of it, as far as it is not there yet
"""

from __future__ import annotations

from portrayal.training_examples.captions import select_captions
from portrayal.training_examples.pictures import FetchSummary, fetch_pictures
from portrayal.training_examples.preparation import (
    carried_over,
    check_corpus,
    open_corpus,
    prepare,
)
from portrayal.training_examples.prompts import with_captions, with_paraphrases

__all__ = [
    "FetchSummary",
    "carried_over",
    "check_corpus",
    "fetch_pictures",
    "open_corpus",
    "prepare",
    "select_captions",
    "with_captions",
    "with_paraphrases",
]
