"""A WordNet of a few words, in the files that NLTK reads."""

from __future__ import annotations

from pathlib import Path

HEADER = "  1 This small database imitates WordNet 3.0 Copyright nobody\n"
FILES = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}

SENSES = {
    "noun": [
        (["doctor", "physician", "medical_practitioner"], None),
        (["nurse"], None),
        (["hospital", "infirmary"], None),
    ],
    "adj": [(["respected", "esteemed"], "despised"), (["despised"], "respected")],
    "verb": [(["doctor", "repair"], None)],
    "adv": [],
}
"""Synonyms of each sense by part of speech, and the antonym of the first of them."""


def build(folder: Path) -> Path:
    """Write corpora/wordnet below a folder, which then belongs into nltk.data.path."""
    target = folder / "corpora" / "wordnet"
    target.mkdir(parents=True)
    for part, mark in FILES.items():
        _write_part(target, part, mark)
        (target / f"{part}.exc").write_text("")
    names = [f"{number:02d}\tnames.{number}\t1\n" for number in range(45)]
    (target / "lexnames").write_text("".join(names))
    (target / "cntlist.rev").write_text("")
    (target / "index.sense").write_text("")
    return folder


def _write_part(target: Path, part: str, mark: str) -> None:
    senses = SENSES[part]
    offsets: list[int] = []
    text = HEADER
    for words, antonym in senses:
        offsets.append(len(text))
        text += _line(0, words, mark, antonym, 0)
    by_word = {words[0]: offset for (words, _), offset in zip(senses, offsets, strict=True)}
    text = HEADER
    for (words, antonym), offset in zip(senses, offsets, strict=True):
        text += _line(offset, words, mark, antonym, by_word.get(antonym or "", 0))
    (target / f"data.{part}").write_text(text)
    index: dict[str, list[int]] = {}
    for (words, _), offset in zip(senses, offsets, strict=True):
        for word in words:
            index.setdefault(word, []).append(offset)
    lines = [
        f"{word} {mark} {len(found)} 0 {len(found)} 0 {' '.join(f'{o:08d}' for o in found)}  \n"
        for word, found in sorted(index.items())
    ]
    (target / f"index.{part}").write_text(HEADER + "".join(lines))


def _line(offset: int, words: list[str], mark: str, antonym: str | None, other: int) -> str:
    file = {"n": "03", "v": "29", "a": "00", "r": "02"}[mark]
    listed = " ".join(f"{word} 0" for word in words)
    pointers = f"001 ! {other:08d} {mark} 0101" if antonym else "000"
    frames = " 00" if mark == "v" else ""
    return f"{offset:08d} {file} {mark} {len(words):02x} {listed} {pointers}{frames} | a gloss  \n"
