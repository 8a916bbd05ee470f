"""Group shares as a composition study would find them with unlimited images, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from portrayal.findings import ALL
from portrayal.generators import StatedShares, StatesTruth
from portrayal.kinds import Truth, exact
from portrayal.kinds.composition.analysis import SHARE
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.records import Prompt


def share_truths(study: CompositionStudy, world: StatesTruth) -> Iterator[Truth]:
    """Yield the share of each group for each level of each factor, as the analysis counts them."""
    prompts = study.prompts()
    for axis, asked in study.axes.items():
        groups = list(asked.groups)
        stated = world.shares([prompt.text for prompt in prompts], axis=axis, groups=groups)
        for factor in _factors(prompts):
            for level, known in _levels(prompts, stated, factor).items():
                of = f"{factor} {level}" if factor else level
                for group, share in _mixed(known, groups).items():
                    yield exact(study, f"{of}: share of {group} ({axis})", SHARE, share)


def _factors(prompts: Sequence[Prompt]) -> list[str]:
    """Return the factors with more than one level; "" where there are none."""
    names = dict.fromkeys(name for prompt in prompts for name in prompt.factors)
    several = [name for name in names if len({prompt.factors[name] for prompt in prompts}) > 1]
    return several or [""]


def _levels(
    prompts: Sequence[Prompt], stated: Sequence[StatedShares], factor: str
) -> dict[str, list[tuple[Prompt, StatedShares]]]:
    found: dict[str, list[tuple[Prompt, StatedShares]]] = {}
    for prompt, one in zip(prompts, stated, strict=True):
        level = prompt.factors[factor] if factor else ALL
        found.setdefault(level, []).append((prompt, one))
    return found


def _mixed(
    known: Sequence[tuple[Prompt, StatedShares]], groups: Sequence[str]
) -> Mapping[str, float]:
    """Mix prompts by the images in which they show one of the groups; NaN where none does."""
    images = dict.fromkeys(groups, 0.0)
    for prompt, one in known:
        for group in groups:
            if one.person > 0:
                images[group] += prompt.images * one.person * one.shares[group]
    total = sum(images.values())
    return {group: n / total if total > 0 else math.nan for group, n in images.items()}
