"""Shares of terms from a table, to be set against what captions indicate (section 5.1)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from portrayal.corpus.indicators import TermShares
from portrayal.errors import CorpusError
from portrayal.statistics.correlation import CorrelationResult, pearson_correlation


def read_shares(file: Path) -> dict[str, float]:
    """Return the shares of a CSV file with a header: the term first, the share second.

    Raises:
        CorpusError: It cannot be read, or a share is no number.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{file}: cannot be read as a table of shares: {error}") from error
    found: dict[str, float] = {}
    for number, cells in enumerate(csv.reader(io.StringIO(text, newline="")), start=1):
        if number == 1 or not any(cell.strip() for cell in cells):
            continue
        try:
            term, share = cells[0].strip(), float(cells[1])
        except (IndexError, ValueError) as error:
            raise CorpusError(
                f"{file}: row {number}: {','.join(cells)!r}; wanted: a term and a number"
            ) from error
        if term in found:
            raise CorpusError(f"{file}: row {number}: {term!r} is there twice")
        found[term] = share
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
        images: Share (or percentage) of women in the pictures, by term.
        confidence: Of the interval.
    """
    shown = [images.get(one.term, math.nan) for one in shares]
    said = [math.nan if one.share_female is None else one.share_female for one in shares]
    return pearson_correlation(shown, said, confidence=confidence)
