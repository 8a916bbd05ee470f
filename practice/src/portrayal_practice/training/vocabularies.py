"""The two tokenizers, in the formats of CLIP and BERT.

Both accept any text. CLIP's is a byte-level BPE: all 256 bytes are in its vocabulary twice, inside
and at the end of a word, so that nothing is ever unknown. BERT's is made of whole words, because
the masked language model proposes words, not pieces; characters stand in for words it never saw.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from portrayal_practice.training.recipe import CONTEXT

if TYPE_CHECKING:
    from transformers import BertTokenizer, CLIPTokenizer

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
START, END = "<|startoftext|>", "<|endoftext|>"
_WORDS = re.compile(r"\w+|[^\w\s]")


def clip_tokenizer(texts: Iterable[str], *, size: int) -> CLIPTokenizer:
    """A CLIP tokenizer with at most `size` entries, learned from the texts."""
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import BPE
    from tokenizers.trainers import BpeTrainer
    from transformers import CLIPTokenizer

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    blank = CLIPTokenizer(vocab={START: 0, END: 1}, merges=[])
    learner = Tokenizer(BPE(end_of_word_suffix="</w>"))
    # Learn under CLIP's own way of cutting text, taken from the class that will use it.
    learner.normalizer = blank.backend_tokenizer.normalizer
    learner.pre_tokenizer = blank.backend_tokenizer.pre_tokenizer
    trainer = BpeTrainer(
        vocab_size=size - 2,
        min_frequency=2,
        end_of_word_suffix="</w>",
        initial_alphabet=letters,
        show_progress=False,
    )
    learner.train_from_iterator(texts, trainer)
    learned = Tokenizer.to_str(learner)
    merges = [tuple(pair) for pair in _merges(learned)]
    names = letters + [letter + "</w>" for letter in letters]
    names += ["".join(pair) for pair in merges]
    names = list(dict.fromkeys(names))[: size - 2]
    kept = set(names)
    merges = [pair for pair in merges if "".join(pair) in kept]
    vocab = {name: index for index, name in enumerate([*names, START, END])}
    return CLIPTokenizer(vocab=vocab, merges=merges, model_max_length=CONTEXT)


def _merges(learned: str) -> list[list[str]]:
    import json

    merges = json.loads(learned)["model"]["merges"]
    return [pair.split(" ") if isinstance(pair, str) else pair for pair in merges]


def masked_tokenizer(texts: Iterable[str], *, size: int) -> BertTokenizer:
    """A BERT tokenizer whose entries are characters and the most frequent whole words."""
    from transformers import BertTokenizer

    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORDS.findall(text.lower()))
    letters = sorted({chr(code) for code in range(33, 127)} | {c for word in counts for c in word})
    names = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    frequent = sorted(counts, key=lambda word: (-counts[word], word))
    names = list(dict.fromkeys([*names, *frequent]))[:size]
    vocab = {name: index for index, name in enumerate(names)}
    return BertTokenizer(vocab=vocab, do_lower_case=True, model_max_length=CONTEXT)
