"""Numbers as the paper computes them, beside those that it printed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from portrayal.findings import Finding, Ours, PublishedNumbers, published_numbers
from portrayal.kinds.amplification.counts import image_similarity
from portrayal.kinds.amplification.indicator_tables import (
    ALL,
    fewer,
    indicator_counts,
    matching_counts,
    percent_of,
    reductions,
)
from portrayal.kinds.amplification.measured import AMPLIFICATION, CORRELATION
from portrayal.kinds.amplification.measures import Amplified
from portrayal.kinds.amplification.schema import SUBSETS, SubsetName
from portrayal.kinds.amplification.tables import text_similarity
from portrayal.kinds.amplification.view import AmplificationView

Found = Mapping[SubsetName, Amplified]
Numbers = Iterator[tuple[tuple[str, str], Ours]]

CORRECTED = "bias-corrected amplification"
T_TEST = "p of the t-test"
REDUCTION = "reduction in %"
INDICATED = "% with an indicator"
TEXTS = "cosine of captions and prompts"
IMAGES = "rise of image similarity in %"
MATCHING = "% of images that match"


def paper_numbers(
    view: AmplificationView, found: Found, more: Sequence[Finding]
) -> Iterator[PublishedNumbers]:
    """Yield the paper's numbers beside ours."""
    ours = {
        **dict(_amplification(found)),
        **dict(_reductions(found)),
        **dict(_captions(view, found)),
    }
    for finding in more:
        if finding.statistic == CORRELATION and finding.details["of"] == "all captions":
            ours["indicators", CORRELATION] = Ours(finding.estimate, finding.low, finding.high)
    printed = {
        (number.of, number.statistic) for one in view.study.published for number in one.numbers
    }
    ours |= {key: mine for key, mine in _of_occupations(view, found) if key in printed}
    table = published_numbers(view.study, view.data, ours, suffix=view.suffix)
    if table is not None:
        yield table


def _amplification(found: Found) -> Numbers:
    """Yield table 3: the paper's means with its intervals, its t-tests, and our own means."""
    for name, one in found.items():
        yield (name, AMPLIFICATION), Ours(one.sampled.plug_in, *one.paper.interval)
        yield (name, CORRECTED), Ours(one.sampled.mean, *one.sampled.interval)
        yield (name, T_TEST), Ours(one.paper.p_value)
        if SUBSETS[name].prompts:
            continue
        for prompt, each in zip(one.comparison.prompts, one.prompts, strict=True):
            yield (f"{name} {prompt}", AMPLIFICATION), Ours(each.mean, *each.interval)
            yield (f"{name} {prompt}", T_TEST), Ours(each.p_value)


def _reductions(found: Found) -> Numbers:
    """Yield by how much each approach lowers the naive mean, in all and by prompt."""
    if "naive" not in found:
        return
    naive = found["naive"]
    for name, one in found.items():
        if name != "naive":
            yield (name, REDUCTION), Ours(fewer(naive.sampled.plug_in, one.sampled.plug_in))
    for name, less in reductions(found).items():
        for prompt, value in zip(naive.comparison.prompts, less, strict=True):
            yield (f"{name} {prompt}", REDUCTION), Ours(value)


def _captions(view: AmplificationView, found: Found) -> Numbers:
    """Yield sections 5.1, 5.2 and 6: indicators, similarities, captions that images match."""
    yield ("captions", INDICATED), Ours(percent_of(*indicator_counts(view)[ALL][""]))
    if "captions" in found:
        yield ("captions", MATCHING), Ours(percent_of(*matching_counts(view)["any"]))
    alike = {name: image_similarity(one.comparison, view.counting) for name, one in found.items()}
    for name in found:
        if SUBSETS[name].prompts:
            continue
        yield (name, TEXTS), Ours(text_similarity(view, name))
        before, after = alike.get("naive", math.nan), alike[name]
        if name != "naive" and before > 0 and math.isfinite(after):
            yield (name, IMAGES), Ours(100 * (after / before - 1))


def _of_occupations(view: AmplificationView, found: Found) -> Numbers:
    """Yield numbers of single occupations; there are many, and the paper prints a few."""
    for occupation, cells in indicator_counts(view).items():
        for group, counts in cells.items():
            yield (f"{occupation}: image shows {group}", INDICATED), Ours(percent_of(*counts))
    if "naive" in found:
        comparison = found["naive"].comparison
        shares = comparison.percent(comparison.generated)
        for i, occupation in enumerate(comparison.occupations):
            for j, prompt in enumerate(comparison.prompts):
                of = f"{occupation} {prompt}"
                yield (of, f"% of {view.study.first_group}"), Ours(float(shares[i, j]))
