"""The masked language model, in BERT's layout: which word could stand here?

Trained on captions only. The influence study asks it for words to put in place of one word, so
whole words are masked, often only one, and the rest of the sentence is left as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from portrayal_practice.training.device import Learner, Machine
from portrayal_practice.training.recipe import CONTEXT, Recipe
from portrayal_practice.training.schedule import Budget
from portrayal_practice.training.storage import declare_single, halved

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import BertForMaskedLM, BertTokenizer

MASKED_SHARE = 0.15


def new_masked(recipe: Recipe, tokenizer: BertTokenizer) -> BertForMaskedLM:
    """An untrained model that fits the tokenizer."""
    from transformers import BertConfig, BertForMaskedLM

    shape = recipe.masked
    return BertForMaskedLM(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=shape.width,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=4 * shape.width,
            max_position_embeddings=CONTEXT,
            pad_token_id=tokenizer.pad_token_id,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def tokenise_words(tokenizer: BertTokenizer, texts: list[str]) -> np.ndarray:
    """Token numbers (n, longest), padded."""
    encoded = tokenizer.backend_tokenizer.encode_batch_fast(texts)
    rows = [one.ids[:CONTEXT] for one in encoded]
    table = np.full((len(rows), max(map(len, rows))), tokenizer.pad_token_id, dtype=np.int32)
    for row, ids in zip(table, rows, strict=True):
        row[: len(ids)] = ids
    return table


def mask(
    tokens: torch.Tensor, *, special: torch.Tensor, mask_id: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Masked tokens, and which were chosen: `MASKED_SHARE` of the words, at least one per text.

    Nine of ten chosen ones become the mask, one stays as it is.
    """
    luck = torch.rand(tokens.shape, device=tokens.device).masked_fill(special[tokens], 2.0)
    chosen = (luck < MASKED_SHARE) | (luck == luck.min(1, keepdim=True).values)
    chosen &= luck < 1.5
    hidden = chosen & (torch.rand(tokens.shape, device=tokens.device) < 0.9)
    return tokens.masked_fill(hidden, mask_id), chosen


def train_masked(
    texts: list[str],
    tokenizer: BertTokenizer,
    *,
    recipe: Recipe,
    budget: Budget,
    machine: Machine,
) -> BertForMaskedLM:
    """Train on the texts; returns the averaged model on the device."""
    model = new_masked(recipe, tokenizer).to(machine.device, machine.dtype)
    data = machine.put(tokenise_words(tokenizer, texts))
    special = torch.zeros(len(tokenizer), dtype=torch.bool, device=machine.device)
    special[list(tokenizer.all_special_ids)] = True
    fit = recipe.fit_masked
    learner = Learner(
        [{"params": model.parameters(), "lr": fit.rate, "weight_decay": fit.decay}], machine
    )
    while not budget.over():
        picked = torch.randint(len(data), (fit.batch,), device=machine.device)
        tokens = data[picked].long()
        shown, chosen = mask(tokens, special=special, mask_id=tokenizer.mask_token_id)
        attended = (tokens != tokenizer.pad_token_id).long()
        states = model.bert(input_ids=shown, attention_mask=attended).last_hidden_state
        loss = F.cross_entropy(model.cls(states[chosen]).float(), tokens[chosen])
        learner.descend(loss, factor=budget.rate())
        machine.log("masked words", budget, loss)
    found: BertForMaskedLM = learner.averaged(model)
    return found


def save_masked(model: BertForMaskedLM, tokenizer: BertTokenizer, folder: Path) -> None:
    """Write model and tokenizer in fp16 into `folder`."""
    halved(model).save_pretrained(folder, safe_serialization=True)
    declare_single(folder)
    tokenizer.save_pretrained(folder)
