"""Tables of an amplification study: the paper's table 3, tables 6 and 7, its figures, and more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from portrayal.audit import SAMPLED
from portrayal.findings import DataTable, Side, SideImage, Sides
from portrayal.kinds.amplification.counts import PLAIN, Cell, image_similarity
from portrayal.kinds.amplification.measures import Amplified
from portrayal.kinds.amplification.parts import AmplificationScatter, OccupationShares
from portrayal.kinds.amplification.schema import SUBSETS, SubsetName
from portrayal.kinds.amplification.view import AmplificationView
from portrayal.statistics import DecompositionResult, share_interval

Found = Mapping[SubsetName, Amplified]

ALL = "all prompts"
NUMBERS = (
    "subset", "prompt", "amplification", "low", "high", "p", "n", "missing",
    "occupations that switch", "paper's mean", "paper's low", "paper's high", "paper's t",
    "paper's p", "paper's n", "switched",
)  # fmt: skip
DROPPED = ("subset", "occupation", "side", "images", "dropped", "share", "reasons")
SIMILARITY = ("subset", "caption and prompt", "training and generated images")
CAPTIONS = ("subset", "occupation", "caption", "indicator", "similarity")
MOST_PARAPHRASES = 200
SHOWN = 4
"""Images and captions of each side that are shown."""


def paper_table(view: AmplificationView, found: Found) -> DataTable:
    """Return amplification by subset and prompt, in the layout of the paper's table 3."""
    prompts = [f"#{i + 1}" for i in range(len(view.study.templates))]
    rows = []
    for name, one in found.items():
        values = [float(x) for x in one.sampled.per_prompt]
        cells = values if len(values) == len(prompts) else [None] * len(prompts)
        rows.append([SUBSETS[name].title, *cells, one.sampled.plug_in, one.sampled.mean])
    templates = "; ".join(f"#{i + 1} {text}" for i, text in enumerate(view.study.templates))
    return DataTable(
        f"table-3{view.suffix}",
        f"Amplification by prompt{view.suffix}",
        ("approach", *prompts, "average", "bias-corrected"),
        rows,
        note="The layout of table 3; occupations that switch are excluded prompt by prompt, but "
        f"not from the bias-corrected mean. {templates}. Captions as prompts have no prompts to "
        "tell apart.",
    )


def numbers_table(view: AmplificationView, found: Found, included: Found) -> DataTable:
    """Return amplification of every subset and prompt, switching occupations out and in."""
    rows: list[list[Any]] = []
    for name in found:
        for words, one in (("excluded", found[name]), ("included", included[name])):
            whole = one.sampled
            rows.append([
                name, ALL, whole.mean, *whole.interval, whole.p_value, whole.n, whole.n_missing,
                words, whole.plug_in, *one.paper.interval, one.paper.t, one.paper.p_value,
                one.paper.n, whole.n_switched,
            ])  # fmt: skip
            for prompt, each in zip(one.comparison.prompts, one.prompts, strict=True):
                rows.append([
                    name, prompt, None, None, None, None, None, each.n_missing, words, each.mean,
                    *each.interval, each.t, each.p_value, each.n, each.n_switched,
                ])  # fmt: skip
    return DataTable(
        f"amplification-numbers{view.suffix}",
        f"Amplification, all numbers{view.suffix}",
        NUMBERS,
        rows,
        note="amplification: bias-corrected, over all occupations; interval and p account for the "
        "images of both sides. The paper's columns take percentages as known: Student's t over "
        "occupations. n counts occupations.",
    )


def decomposition_tables(
    view: AmplificationView, found: DecompositionResult | None
) -> Iterator[DataTable]:
    """Yield how much of the naive amplification each correction explains."""
    if found is None or not found.n:
        return
    rows = [
        [name, part.value, *part.interval, part.share, *part.share_interval]
        for name, part in {**found.parts, "remains": found.remaining}.items()
    ]
    yield DataTable(
        f"decomposition{view.suffix}",
        f"What explains the naive amplification{view.suffix}",
        ("correction", "points", "low", "high", "of naive", "of naive low", "of naive high"),
        rows,
        note=f"Of {found.naive:.2f} points over {found.n} occupations that count in all four "
        "comparisons; each correction averaged over the orders of making them (Shapley value), so "
        "that the parts add up.",
    )


def scatter_part(view: AmplificationView, found: Amplified) -> AmplificationScatter:
    """Return percentages on both sides by occupation and prompt, with intervals."""
    comparison = found.comparison
    rows = []
    for i, occupation in enumerate(comparison.occupations):
        sides = list(zip(comparison.training[i], comparison.generated[i], strict=True))
        if len(sides) > 1:
            whole = [_pooled([side[k] for side in sides]) for k in (0, 1)]
            rows.append(_scatter_row(view, comparison.subset, occupation, ALL, whole[0], whole[1]))
        for prompt, (real, made) in zip(comparison.prompts, sides, strict=True):
            rows.append(_scatter_row(view, comparison.subset, occupation, prompt, real, made))
    title = SUBSETS[comparison.subset].title
    return AmplificationScatter(
        f"scatter-{comparison.subset}{view.suffix}",
        f"% {view.study.first_group} in training and generated images: {title}{view.suffix}",
        rows,
        note="One point an occupation. Red ground: amplification; blue: de-amplification; white: "
        "the leaning changes sides. Hover for intervals, click for images of both sides.",
    )


def _pooled(cells: Sequence[Cell]) -> Cell:
    """Return the cells of all prompts as one; an image near several prompts counts once."""
    if all(cell is cells[0] for cell in cells):
        return cells[0]
    return Cell(sum(cell.first for cell in cells), sum(cell.second for cell in cells))


def _scatter_row(
    view: AmplificationView, subset: str, occupation: str, prompt: str, real: Cell, made: Cell
) -> OccupationShares:
    sides, percents = [], []
    for cell in (real, made):
        bounds = share_interval(cell.first, cell.n, confidence=view.settings.confidence)
        value = 100 * cell.first / cell.n if cell.n else math.nan
        percents.append(value)
        sides.append((value, 100 * bounds.low, 100 * bounds.high, cell.n))
    training, generated = percents
    gap = abs(generated - 50) - abs(training - 50)
    switches = (generated - 50) * (training - 50) < 0
    return OccupationShares(occupation, prompt, *sides[0], *sides[1], gap, switches, subset)


def occupations_table(view: AmplificationView, found: Found) -> DataTable:
    """Return percentages of every occupation and prompt, in the layout of tables 6 and 7."""
    name: SubsetName = "naive" if "naive" in found else next(iter(found))
    comparison = found[name].comparison
    training, generated = (
        comparison.percent(side) for side in (comparison.training, comparison.generated)
    )
    world = view.study.real_world
    rows = []
    for i, occupation in enumerate(comparison.occupations):
        row: list[Any] = [occupation, float(training[i, 0])]
        row += [float(x) for x in generated[i]]
        rows.append([*row, world.get(occupation)] if world else row)
    columns = ["occupation", "training", *comparison.prompts, *(["real world"] if world else [])]
    return DataTable(
        f"tables-6-7{view.suffix}",
        f"% {view.study.first_group} by occupation and prompt{view.suffix}",
        columns,
        rows,
        note=f"The layout of tables 6 and 7: training images ({SUBSETS[name].title}) and "
        "generated ones, prompt by prompt. Intervals and numbers of images are in the tables "
        "above.",
    )


def text_similarity(view: AmplificationView, name: SubsetName) -> float | None:
    """Return the mean cosine of a subset's captions with the prompts; None where it has none."""
    subset = SUBSETS[name]
    if subset.prompts:
        return 1.0 if subset.prompts == "caption" else None
    places = range(len(view.study.templates)) if subset.nearest else (SAMPLED,)
    columns = ("prompt", "indicator", "similarity")
    values = [
        value
        for prompt, indicator, value in zip(
            *(view.selection.table[name].to_pylist() for name in columns), strict=True
        )
        if value is not None and prompt in places and (indicator == PLAIN or not subset.plain)
    ]
    return sum(values) / len(values) if values else None


def similarity_table(view: AmplificationView, found: Found) -> DataTable:
    """Return how alike the two sides are, in captions and in images (section 5.2)."""
    rows = [
        [
            SUBSETS[name].title,
            text_similarity(view, name),
            image_similarity(one.comparison, view.counting),
        ]
        for name, one in found.items()
    ]
    return DataTable(
        f"similarity{view.suffix}",
        f"How alike the two sides are{view.suffix}",
        SIMILARITY,
        rows,
        note="Mean cosines. Captions and prompts by the sentence encoder, images by the image "
        "encoder. A caption that is its own prompt has 1; paraphrases are not compared.",
    )


def dropped_table(view: AmplificationView, found: Found) -> DataTable:
    """Return what was dropped, by subset, occupation, side and reason."""
    rows: list[list[Any]] = []
    for name, one in found.items():
        comparison = one.comparison
        for side, cells in (("training", comparison.training), ("generated", comparison.generated)):
            for i, occupation in enumerate(comparison.occupations):
                # A sampled caption serves all prompts; its image is dropped once.
                own = list({id(cell): cell for cell in cells[i]}.values())
                asked = sum(cell.asked for cell in own)
                reasons: dict[str, int] = {}
                for cell in own:
                    for reason, n in cell.dropped.items():
                        reasons[reason] = reasons.get(reason, 0) + n
                lost = sum(reasons.values())
                words = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
                rows.append([name, occupation, side, asked, lost, lost / asked if asked else None,
                             words])  # fmt: skip
    return DataTable(
        f"dropped{view.suffix}",
        f"What was dropped on both sides{view.suffix}",
        DROPPED,
        rows,
        note="The same filters on training and generated images.",
    )


def caption_tables(view: AmplificationView, found: Found) -> Iterator[DataTable]:
    """Yield examples of captions per subset (figures 2 and 4): the first ones, not picked."""
    columns = ("occupation", "prompt", "caption", "indicator", "similarity")
    rows: list[list[Any]] = []
    by_place: dict[tuple[str, int], list[tuple[str, str, float | None]]] = {}
    for occupation, prompt, *rest in zip(
        *(view.selection.table[name].to_pylist() for name in columns), strict=True
    ):
        by_place.setdefault((occupation, prompt), []).append(tuple(rest))
    for name in found:
        subset = SUBSETS[name]
        if subset.prompts == "caption":
            continue
        for occupation in view.study.occupations:
            if subset.prompts:
                drawn = view.study.drawn.captions.get(occupation, ()) if view.study.drawn else ()
                chosen: list[tuple[str, str, float | None]] = [
                    (one.paraphrase, one.indicator, None) for one in drawn if one.paraphrase
                ]
            else:
                chosen = by_place.get((occupation, 0 if subset.nearest else SAMPLED), [])
            shown = [one for one in chosen if one[1] == "unknown" or not subset.plain][:SHOWN]
            rows += [[name, occupation, text[:300], *rest] for text, *rest in shown]
    if rows:
        yield DataTable(
            f"captions{view.suffix}",
            f"Captions of every subset: examples{view.suffix}",
            CAPTIONS,
            rows,
            note=f"The first {SHOWN} of each; for nearest neighbours, those of prompt #1. The "
            "similarity is that with the prompt.",
        )


def paraphrase_tables(view: AmplificationView) -> Iterator[DataTable]:
    """Yield the captions beside their paraphrases, as they were used."""
    drawn = view.study.drawn
    if drawn is None or drawn.paraphraser is None:
        return
    rows = [
        [occupation, one.caption[:300], one.paraphrase or "none", one.indicator]
        for occupation, captions in drawn.captions.items()
        for one in captions
    ]
    yield DataTable(
        f"paraphrases{view.suffix}",
        f"Captions and their paraphrases{view.suffix}",
        ("occupation", "caption", "paraphrase", "indicator"),
        rows[:MOST_PARAPHRASES],
        note=f"By {drawn.paraphraser.get('name')}; the first {MOST_PARAPHRASES} of {len(rows)}. "
        "All of them are in the study, in the audit's folder.",
    )


def sides_part(view: AmplificationView, found: Found) -> Sides:
    """Return images of both sides for every subset and occupation, the first ones that count."""
    counting = view.counting
    text = {key: prompt for prompt, keys in counting.generated.listing.items() for key in keys}
    caption = {key: prompt for prompt, keys in counting.training.listing.items() for key in keys}
    rows: list[SideImage] = []
    for name, one in found.items():
        sides: tuple[tuple[Side, Any, dict[str, str], Any], ...] = (
            ("training", one.comparison.training, caption, counting.training),
            ("generated", one.comparison.generated, text, counting.generated),
        )
        for side, cells, words, seen in sides:
            rows += [
                SideImage(name, occupation, side, key, words[key][:300], seen.labels[key])
                for i, occupation in enumerate(one.comparison.occupations)
                for key in _first_keys(cells[i])
            ]
    return Sides(f"sides{view.suffix}", f"Images of both sides{view.suffix}", rows)


def _first_keys(cells: Sequence[Cell]) -> list[str]:
    """Return the first images, prompts in turn, each once."""
    turns = (cell.keys[turn] for turn in range(SHOWN) for cell in cells if turn < len(cell.keys))
    return list(dict.fromkeys(turns))[:SHOWN]
