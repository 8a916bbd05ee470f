"""Replacements by a masked language model: whole words, other words, exact probabilities."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import masked_models
import numpy as np
import pytest

from portrayal.errors import LanguageError
from portrayal.language.fillers import open_filler
from portrayal.language.masked_words import MaskedWords, open_masked_words
from portrayal.language.transmuter import Draw
from portrayal.language.vocabulary import read_vocabulary
from portrayal.studies.words import split_words

PROMPT = "A respected doctor, at the hospital."


def texts(draws: list[Draw]) -> list[str]:
    return [draw.text for draw in draws]


# --- what is proposed --------------------------------------------------------------------------


def test_probabilities_are_those_of_the_allowed_words(stating_model: Path) -> None:
    """nurse .4, teacher .1, the .1 are words; doctor(s), a piece, punctuation, "b", 500 are not."""
    found = open_masked_words(str(stating_model), choice="top").draw(PROMPT, [2], range(3), seed=0)
    assert found[0].text == "A respected nurse, at the hospital."
    assert [draw.probability for draw in found] == pytest.approx([4 / 6, 1 / 6, 1 / 6], rel=1e-5)
    with pytest.raises(LanguageError, match=r"only [0-9]+ texts replace 'doctor', 5000 are asked"):
        open_masked_words(str(stating_model), choice="top").draw(PROMPT, [2], range(5000), seed=0)


def test_sampling_follows_the_probabilities(stating_model: Path) -> None:
    n = 2000
    found = open_masked_words(str(stating_model)).draw(PROMPT, [2], range(n), seed=0)
    counts = Counter(text.split()[2].rstrip(",") for text in texts(found))
    for word, share in {"nurse": 4 / 6, "teacher": 1 / 6, "the": 1 / 6}.items():
        assert abs(counts[word] / n - share) < 4 * math.sqrt(share * (1 - share) / n)
    assert set(counts) == {"nurse", "teacher", "the"}


def test_temperature_and_keep(stating_model: Path) -> None:
    """With temperature 2 chances go with their square roots; keep = 1 leaves one word."""
    warm = open_masked_words(str(stating_model), choice="top", temperature=2.0)
    found = warm.draw(PROMPT, [2], range(2), seed=0)
    assert found[0].probability / found[1].probability == pytest.approx(2.0, rel=1e-5)
    only = open_masked_words(str(stating_model), keep=1)
    assert (
        only.draw(PROMPT, [2], range(5), seed=0)
        == [Draw("A respected nurse, at the hospital.", 1.0)] * 5
    )


def test_words_to_avoid_are_never_put_in(stating_model: Path) -> None:
    model = open_masked_words(str(stating_model), choice="top", avoid=["nurses"])
    found = model.draw(PROMPT, [2], range(2), seed=0)
    assert [draw.probability for draw in found] == pytest.approx([1 / 2, 1 / 2], rel=1e-5)
    assert model.identity.settings["avoid"] == ["nurses"]


def test_digits_replace_digits(stating_model: Path) -> None:
    words = open_masked_words(str(stating_model), choice="top", keep=20)
    prompt = "the doctor of a fortune 100 company"
    assert "the doctor of a fortune 500 company" in texts(words.draw(prompt, [5], range(6), seed=0))
    assert not any("500" in text for text in texts(words.draw(prompt, [6], range(6), seed=0)))


def test_a_first_word_keeps_its_capital(stating_model: Path) -> None:
    found = open_masked_words(str(stating_model), keep=3).draw(PROMPT, [0], range(20), seed=0)
    assert {text.split()[0] for text in texts(found)} <= {"Nurse", "Teacher", "The", "Doctor"}


def test_joint_places_fit_each_other(taught_model: Path) -> None:
    """A dog says woof and a duck says quack, whichever word is filled first."""
    model = open_masked_words(str(taught_model))
    found = model.draw("the cat says meow", [1, 3], range(200), seed=0)
    counts = Counter(texts(found))
    right = counts["the dog says woof"] + counts["the duck says quack"]
    assert right >= 190
    assert min(counts["the dog says woof"], counts["the duck says quack"]) >= 40


def test_top_texts_come_in_order_of_their_joint_probability(taught_model: Path) -> None:
    model = open_masked_words(str(taught_model), choice="top")
    found = model.draw("the cat says meow", [1, 3], range(12), seed=0)
    chances = [draw.probability for draw in found]
    assert set(texts(found)[:2]) == {"the dog says woof", "the duck says quack"}
    assert chances == sorted(chances, reverse=True)
    assert len(set(texts(found))) == 12


# --- invariants ----------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["sample", "top"])
def test_more_draws_extend_fewer(taught_model: Path, choice: Any) -> None:
    model = open_masked_words(str(taught_model), choice=choice)
    whole = model.draw("the cat says meow", [1, 3], range(12), seed=3)
    assert model.draw("the cat says meow", [3, 1], range(5), seed=3) == whole[:5]
    assert model.draw("the cat says meow", [1, 3], range(5, 12), seed=3) == whole[5:]
    assert model.draw("the cat says meow", [1, 3], range(0), seed=3) == []


def test_other_seeds_draw_other_texts(stating_model: Path) -> None:
    model = open_masked_words(str(stating_model))
    first, second = (model.draw(PROMPT, [2], range(40), seed=seed) for seed in (0, 1))
    assert first != second


def test_exactly_the_asked_words_change(taught_model: Path) -> None:
    prompt = "the cat says meow"
    model = open_masked_words(str(taught_model), temperature=3.0)
    before = [word.text for word in split_words(prompt)]
    for positions in ([0], [1, 2], [0, 1, 2, 3]):
        for text in texts(model.draw(prompt, positions, range(30), seed=0)):
            after = [word.text for word in split_words(text)]
            assert [i for i in range(4) if after[i] != before[i]] == positions


def test_identity_names_files_and_choices(stating_model: Path, tmp_path: Path) -> None:
    one = open_masked_words(str(stating_model)).identity
    copy = tmp_path / stating_model.name
    shutil.copytree(stating_model, copy)
    assert open_masked_words(str(copy)).identity == one
    assert open_masked_words(str(stating_model), keep=5).identity != one
    assert open_masked_words(str(stating_model), batch_size=1).identity == one
    other = masked_models.stating(tmp_path / "other" / stating_model.name, {"nurse": 1.0})
    assert open_masked_words(str(other)).identity.settings["weights"] != one.settings["weights"]


def test_the_batch_does_not_change_what_is_drawn(taught_model: Path) -> None:
    small, large = (open_masked_words(str(taught_model), batch_size=n) for n in (1, 64))
    question = ("the cat says meow", [0, 1, 3], range(25))
    assert texts(small.draw(*question, seed=0)) == texts(large.draw(*question, seed=0))


# --- agreement with transformers -----------------------------------------------------------------


def test_agrees_with_the_fill_mask_pipeline(taught_model: Path) -> None:
    from transformers import pipeline

    scores = pipeline("fill-mask", model=str(taught_model), top_k=30)("the [MASK] says woof")
    theirs = {one["token_str"]: one["score"] for one in scores}
    allowed = {w: p for w, p in theirs.items() if len(w) > 1 and w.isalpha() and w != "cat"}
    ours = open_masked_words(str(taught_model), choice="top").draw(
        "the cat says woof", [1], range(4), seed=0
    )
    for draw in ours:
        word = draw.text.split()[1]
        others = sum(allowed.values())
        assert draw.probability == pytest.approx(allowed[word] / others, rel=1e-3)


def test_marks_of_word_starts_are_read(tmp_path: Path) -> None:
    """A byte-level BPE marks starts of words; unmarked entries are words only at the very start."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaForMaskedLM, RobertaTokenizerFast

    learner = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    learner.train_from_iterator(
        ["nurse and nurse", "doctor and doctor", "and nurse", "and doctor", "andromeda"] * 20,
        vocab_size=400, min_frequency=2, special_tokens=special,
    )  # fmt: skip
    learner.save_model(str(tmp_path))
    tokenizer = RobertaTokenizerFast.from_pretrained(str(tmp_path), model_max_length=32)
    vocabulary = read_vocabulary(tokenizer)
    assert {"nurse", "doctor", "and"} <= set(vocabulary.words)
    number = tokenizer.convert_tokens_to_ids
    assert vocabulary.word_of_inner[number("Ġnurse")] >= 0
    assert vocabulary.word_of_inner[number("nurse")] == -1
    assert vocabulary.word_of_first[number("nurse")] == vocabulary.word_of_inner[number("Ġnurse")]
    assert vocabulary.word_of_inner[number("<mask>")] == -1
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=34,
    )  # fmt: skip
    masked_models.save(RobertaForMaskedLM(config), tokenizer, tmp_path / "model")
    model = open_masked_words(str(tmp_path / "model"))
    for text in texts(model.draw("nurse and nurse", [0, 2], range(10), seed=0)):
        first, middle, last = text.split(" ")
        assert middle == "and"
        assert "nurse" not in (first, last)


# --- bad input -----------------------------------------------------------------------------------


def test_a_model_without_a_mask_is_refused(tmp_path: Path) -> None:
    tokenizer = masked_models.bert_tokenizer(["nurse"])
    model = masked_models.tiny_bert(tokenizer)
    masked_models.save(model, tokenizer, tmp_path / "gpt")
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        file = tmp_path / "gpt" / name
        if file.exists():
            text = file.read_text()
            file.write_text(text.replace('"mask_token": "[MASK]"', '"mask_token": null'))
    with pytest.raises(LanguageError, match="gpt: its tokenizer has no mask token; allowed:"):
        open_masked_words(str(tmp_path / "gpt"))


def test_a_prompt_beyond_the_window_is_refused(stating_model: Path) -> None:
    model = open_masked_words(str(stating_model))
    with pytest.raises(LanguageError, match=r"3[0-9] tokens, .* reads 24; shorten the prompt"):
        model.draw("the doctor " * 15, [1], range(1), seed=0)


def test_a_prompt_with_a_mask_of_its_own_is_refused(stating_model: Path) -> None:
    with pytest.raises(LanguageError, match=r"contains the mask \[MASK\]"):
        open_masked_words(str(stating_model)).draw("a [MASK] doctor", [2], range(1), seed=0)


def test_missing_and_pickled_models_are_refused(stating_model: Path, tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match="no such folder, and not a Hub id"):
        open_masked_words(str(tmp_path / "nothing"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(LanguageError, match=r"it has no config\.json"):
        open_masked_words(str(tmp_path / "empty"))
    pickled = tmp_path / "pickled"
    shutil.copytree(stating_model, pickled)
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(LanguageError, match="weights in a pickle are not loaded"):
        open_masked_words(str(pickled))


def test_no_other_word_is_an_error(tmp_path: Path) -> None:
    class NounsOnly:
        name = "nouns only"

        def tag(self, words: Any) -> list[str]:
            return ["noun" if word == "doctor" else "other" for word in words]

    folder = masked_models.stating(tmp_path / "m", {"nurse": 0.5, "the": 0.5}, words=["doctor"])
    model = MaskedWords(open_filler(str(folder)), tagger=NounsOnly())
    with pytest.raises(LanguageError, match="knows no other word for 'doctor'"):
        model.draw("the doctor", [1], range(1), seed=0)


def test_a_tagger_keeps_the_part_of_speech(tmp_path: Path) -> None:
    class Nouns:
        name = "four nouns"

        def tag(self, words: Any) -> list[str]:
            nouns = ("doctor", "nurse", "teacher", "hospital")
            return ["noun" if word in nouns else "other" for word in words]

    chances = {"nurse": 0.3, "red": 0.5, "teacher": 0.2}
    folder = masked_models.stating(tmp_path / "m", chances, words=["doctor", "the"])
    model = MaskedWords(open_filler(str(folder)), choice="top", tagger=Nouns())
    found = model.draw("the doctor", [1], range(2), seed=0)
    assert found == [Draw("the nurse", pytest.approx(0.6)), Draw("the teacher", pytest.approx(0.4))]
    assert model.identity.settings["tagger"] == "four nouns"


def test_probabilities_are_plain_floats(taught_model: Path) -> None:
    for choice in ("sample", "top"):
        model = open_masked_words(str(taught_model), choice=choice)  # type: ignore[arg-type]
        for draw in model.draw("the cat says meow", [1, 3], range(3), seed=0):
            assert type(draw.probability) is float
            assert np.isfinite(draw.probability)
