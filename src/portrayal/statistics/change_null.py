"""How far paired images differ by chance if an intervention leaves attributes as uneven as before.

Without a change the two images of a seed can change places, and those whose partner is unknown can
be dealt out again (`portrayal.statistics.relabelling`). How much imbalances differ over all these
ways is right on average for any share, and however much images of one seed resemble each other.
Where an intervention turns majorities around, images change places with the groups of one side
swapped.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from portrayal.statistics.amplification_null import SideCounts, chance_of_same_lean, mixed_noise
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.rarefaction import Noise, thinned_imbalance
from portrayal.statistics.relabelling import PairedCounts, RelabelledPlaces


def exchanged_noise(kept: PairedCounts, turned: PairedCounts) -> Noise:
    """Return moments of changes of imbalance, after less before, one per attribute.

    Args:
        kept: Counts of paired images.
        turned: The same with the groups of the images after swapped.
    """
    after, before = (
        SideCounts(first.astype(np.float64), n.astype(np.float64))
        for first, n in ((kept.first_after, kept.n_after), (kept.first_before, kept.n_before))
    )
    same = chance_of_same_lean(after, before)
    return mixed_noise(same, *(_relabelled_noise(one) for one in (kept, turned)))


def _relabelled_noise(pairs: PairedCounts) -> Noise:
    both = pairs.first_before + pairs.first_after
    sizes = np.stack([pairs.n_before, pairs.n_after, both], axis=1).tolist()
    each = [_moments(one, *size) for one, size in zip(pairs.places(), sizes, strict=True)]
    return Noise(*np.reshape(each, (-1, 2)).T)


@lru_cache(maxsize=4096)
def _moments(places: RelabelledPlaces, n_before: int, n_after: int, first: int) -> FloatArray:
    """Return second and third moment of one attribute's change over all ways to relabel it."""
    before, chance = places.counts_before().T
    size = float(min(n_before, n_after))
    one, two = (
        thinned_imbalance(x, np.full_like(x, n), np.full_like(x, size))
        for x, n in ((first - before, n_after), (before, n_before))
    )
    return np.array([chance @ (one - two) ** power for power in (2, 3)])
