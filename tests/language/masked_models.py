"""Small masked language models in the layouts that real ones have, built in a second."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WINDOW = 24


def bert_tokenizer(words: Sequence[str]) -> Any:
    """Return a BERT tokenizer that knows these words, letters, and some pieces."""
    from transformers import BertTokenizer

    letters = [chr(code) for code in range(33, 127)]
    pieces = ["##s", "##ing", *(f"##{letter}" for letter in letters)]
    names = list(dict.fromkeys([*SPECIAL, *letters, *pieces, *words]))
    vocabulary = {name: i for i, name in enumerate(names)}
    return BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=WINDOW)


def tiny_bert(tokenizer: Any, *, seed: int = 0) -> Any:
    """Return a BERT of two layers with random weights."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=WINDOW,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return BertForMaskedLM(config).eval()


def save(model: Any, tokenizer: Any, folder: Path) -> Path:
    """Write both, quietly."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def stating(folder: Path, chances: Mapping[str, float], *, words: Sequence[str] = ()) -> Path:
    """Write a BERT that gives every mask these chances, whatever stands around it.

    Its last layer has no weights, only biases, so the probabilities are known exactly.

    Args:
        folder: Where to.
        chances: Chances by token; others get none.
        words: Further words that the tokenizer knows.
    """
    import torch

    tokenizer = bert_tokenizer([*chances, *words])
    model = tiny_bert(tokenizer)
    with torch.no_grad():
        bias = torch.full((len(tokenizer),), -50.0)
        for token, chance in chances.items():
            bias[tokenizer.convert_tokens_to_ids(token)] = torch.log(torch.tensor(chance))
        model.cls.predictions.decoder.weight.zero_()
        model.cls.predictions.decoder.bias.copy_(bias)
    return save(model, tokenizer, folder)


def taught(folder: Path, sentences: Sequence[str], *, steps: int = 300, seed: int = 0) -> Path:
    """Write a BERT that has learned these sentences, with any of their words masked."""
    import torch

    tokenizer = bert_tokenizer(sorted({word for text in sentences for word in text.split()}))
    model = tiny_bert(tokenizer, seed=seed).train()
    tokens = tokenizer(list(sentences) * 8, return_tensors="pt", padding=True)["input_ids"]
    special = torch.isin(tokens, torch.tensor(tokenizer.all_special_ids))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    torch.manual_seed(seed)
    for _ in range(steps):
        masked = (torch.rand(tokens.shape) < 0.4) & ~special
        labels = tokens.masked_fill(~masked, -100)
        if not bool(masked.any()):
            continue
        shown = tokens.masked_fill(masked, tokenizer.mask_token_id)
        attended = (tokens != tokenizer.pad_token_id).long()
        loss = model(input_ids=shown, attention_mask=attended, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return save(model.eval(), tokenizer, folder)
