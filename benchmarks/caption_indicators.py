"""Gender indicators in captions: precision and recall of every rule, by kind of caption.

    python -m benchmarks caption_indicators

data/caption_indicators.csv has 260 captions as the web writes them, each with what a reader would
say its words indicate: male, female, both or none. They were written from the amplification paper's
description before any rule was read; our own rule was written after them by the same hand, so its
figures on them flatter it. data/caption_indicators_held_out.csv has 250 more, written by another
hand that had read neither the rules nor the first list: the figures to go by. `spacy` and `paper`
take the pipeline that PORTRAYAL_SPACY names (the paper: en_core_web_lg; else the first one
installed).

Precision: of the indicators that a rule finds, how many the reader found. Recall: of the reader's,
how many the rule found. A caption with both counts for each gender.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path

from portrayal.corpora import indicators
from portrayal.language import open_recogniser

LISTS = {
    "held out": Path(__file__).parent / "data" / "caption_indicators_held_out.csv",
    "first list": Path(__file__).parent / "data" / "caption_indicators.csv",
}
SAID = {"male": {"male"}, "female": {"female"}, "both": {"male", "female"}}


def rules() -> list[str]:
    """Return the rules that can be opened here."""
    import spacy

    installed = sorted(spacy.util.get_installed_models())
    pipeline = os.environ.get("PORTRAYAL_SPACY") or next(iter(installed), "")
    with_spacy = [f"paper:{pipeline}", f"spacy:{pipeline}"] if pipeline else []
    return [*with_spacy, "capitals", "portrayal"]


def main() -> None:
    names = rules()
    for title, path in LISTS.items():
        _table(title, path, names)
    for name in names:
        print(f"{name}: {open_recogniser(name).identity.name}")


def _table(title: str, path: Path, names: list[str]) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    captions = [row["caption"] for row in rows]
    print(f"{title}, {len(rows)} captions: precision / recall in %, or false indicators")
    found = {name: indicators(captions, open_recogniser(name)) for name in names}
    categories = [*dict.fromkeys(row["category"] for row in rows), "all"]
    print(f"{'':16}{'n':>5}" + "".join(f"{name.partition(':')[0]:>14}" for name in names))
    for category in categories:
        own = [i for i, row in enumerate(rows) if category in ("all", row["category"])]
        cells = [_cell([(rows[i]["indicator"], found[name][i]) for i in own]) for name in names]
        print(f"{category:16}{len(own):>5}" + "".join(f"{cell:>14}" for cell in cells))
    if os.environ.get("PORTRAYAL_SHOW"):
        _show(rows, found[os.environ["PORTRAYAL_SHOW"]])


def _cell(pairs: list[tuple[str, str]]) -> str:
    count: dict[str, int] = defaultdict(int)
    for true, said in pairs:
        wanted, got = SAID.get(true, set()), SAID.get(said, set())
        count["hits"] += len(wanted & got)
        count["wanted"] += len(wanted)
        count["found"] += len(got)
    if not count["wanted"]:
        return f"{count['found']} false"
    precision = count["hits"] / count["found"] if count["found"] else float("nan")
    return f"{100 * precision:.0f} / {100 * count['hits'] / count['wanted']:.0f}"


def _show(rows: list[dict[str, str]], labels: list[str]) -> None:
    for row, label in zip(rows, labels, strict=True):
        if SAID.get(row["indicator"], set()) != SAID.get(label, set()):
            print(f"{row['category']}: {row['indicator']}, said {label}: {row['caption']}")
