"""Shares of terms from a table, to be set against what captions indicate (section 5.1)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from portrayal.corpora.group_indicators import TermShares
from portrayal.errors import CorpusError
from portrayal.numbers import fraction_among_percentages
from portrayal.statistics import CorrelationResult, pearson_correlation

_PERCENT_FROM = 2
"""A table with a number above it contains percentages."""
_WANTED = 3
"""Terms that a correlation needs."""


def read_shares(file: Path) -> dict[str, float]:
    """Return the shares of a CSV file with a header: the term first, the share second.

    Shares are 0 to 1, or all of them percentages; one below 1% has a percent sign.

    Raises:
        CorpusError: It cannot be read, or a share is none.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{file}: cannot be read as a table of shares: {error}") from error
    found: dict[str, float] = {}
    rows: dict[str, int] = {}
    written: dict[str, str] = {}
    for number, cells in enumerate(csv.reader(io.StringIO(text, newline="")), start=1):
        if number == 1 or not any(cell.strip() for cell in cells):
            continue
        try:
            term, share = cells[0].strip(), float(cells[1].strip().removesuffix("%"))
        except (IndexError, ValueError) as error:
            raise CorpusError(
                f"{file}: row {number}: {','.join(cells)!r}; wanted: a term and a number"
            ) from error
        if term in found:
            raise CorpusError(f"{file}: row {number}: {term!r} is there twice")
        found[term], rows[term] = share, number
        written[f"row {number}"] = cells[1]
    # Percentages that are all 2 or less do not come up; a share that is a little above 1 does.
    are_percentages = any(share > _PERCENT_FROM for share in found.values()) or any(
        cell.strip().endswith("%") for cell in written.values()
    )
    most = 100 if are_percentages else 1
    for term, share in found.items():
        if not 0 <= share <= most:
            raise CorpusError(
                f"{file}: row {rows[term]}: the share of {term!r} is {share:g}; "
                "allowed: 0 to 1, or 0 to 100 where all are percentages"
            )
    if are_percentages and (problem := fraction_among_percentages(written)):
        raise CorpusError(f"{file}: the share in {problem}")
    if not found:
        raise CorpusError(f"{file}: has no rows; wanted: a header, then a term and a share a row")
    return found


def indicator_correlation(
    shares: Sequence[TermShares], images: Mapping[str, float], *, confidence: float = 0.95
) -> CorrelationResult:
    """Return Pearson's r of "% shown" with "% of captions that have a female indicator".

    The paper finds -0.458: the more women are shown, the less often captions say so. Terms that
    one side lacks count as missing.

    Args:
        shares: What captions indicate, by term.
        images: Share (or percentage) of women in the images, by term.
        confidence: Of the interval.
    """
    shown = [images.get(one.term, math.nan) for one in shares]
    said = [math.nan if one.share_female is None else one.share_female for one in shares]
    return pearson_correlation(shown, said, confidence=confidence)


def correlation_sentence(result: CorrelationResult, file: Path) -> str:
    """Say a correlation with a table in one line, or why there is none."""
    of = result.n + result.n_missing
    matched = f"{result.n} of {of} terms have captions and a share"
    if math.isnan(result.estimate):
        why = (
            f"wanted: {_WANTED} or more" if result.n < _WANTED else "on one side they are all alike"
        )
        return f"no correlation with {file}: {matched}; {why}"
    interval = (
        f"[no interval below {_WANTED + 1} terms]"
        if math.isnan(result.low)
        else f"[{result.low:.3f}, {result.high:.3f}]"
    )
    return (
        f"correlation with {file}: {result.estimate:.3f} {interval}, "
        f"p = {result.p_value:.3g}; {matched}"
    )
