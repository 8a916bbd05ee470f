"""Raters who stop at random: how many of their votes lie on images that have all of theirs?

    python -m benchmarks.rating_campaigns [--seeds 40]

30 raters come within a minute, rate at their own speed (4 to 20 seconds an image), and stop for
good, with images in hand and without a word, after 20 votes and 4 or 15 more on average. Whatever
is dealt to them is dealt by the rating page's own rule.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from portrayal.raters.site.dealing import IN_HAND, RATING, Dealt, OpenSet, Queued

RATERS, IMAGES, LEAST = 30, 2000, 20


@dataclass(frozen=True, slots=True)
class Campaign:
    """What raters left behind.

    Attributes:
        votes: Votes by image.
        wanted: Votes that an image wants.
    """

    votes: Mapping[str, int]
    wanted: int

    @property
    def cast(self) -> int:
        """All votes."""
        return sum(self.votes.values())

    @property
    def wasted(self) -> int:
        """Votes beyond the wanted number."""
        return sum(max(0, n - self.wanted) for n in self.votes.values())

    @property
    def share_complete(self) -> float:
        """The share of votes on images with the wanted number."""
        return sum(n for n in self.votes.values() if n >= self.wanted) / self.cast


def simulate(
    *,
    wanted: int,
    rng: np.random.Generator,
    raters: int = RATERS,
    images: int = IMAGES,
    longer: int = 15,
) -> Campaign:
    """Let raters come, rate and stop.

    Args:
        wanted: Votes that an image wants.
        rng: Source of their speeds and of when they stop.
        raters: How many there are.
        images: How many wait.
        longer: Votes of a rater beyond the first 20, on average.
    """
    waiting = [Queued(f"image-{i:04d}", wanted) for i in range(images)]
    stops = LEAST + rng.geometric(1 / longer, raters)
    clock = {rater: float(rng.uniform(0, 60)) for rater in range(raters)}
    speed = rng.uniform(4, 20, raters)
    tasks: list[Dealt] = []
    hands: dict[int, list[int]] = defaultdict(list)
    done = Counter[int]()
    while clock:
        rater = min(clock, key=lambda one: clock[one])
        now = clock[rater]
        while len(hands[rater]) < IN_HAND:
            image = OpenSet(waiting, tasks, range(raters), now).take(rater)
            if image is None:
                break
            hands[rater].append(len(tasks))
            tasks.append(Dealt(rater, image, RATING, 0.0, now, None))
        if not hands[rater] or done[rater] >= stops[rater]:
            del clock[rater]
            continue
        number = hands[rater].pop(0)
        clock[rater] = now + float(rng.exponential(speed[rater]))
        tasks[number] = tasks[number]._replace(done_at=clock[rater])
        done[rater] += 1
    return Campaign(Counter(one.image for one in tasks if one.done_at is not None), wanted)


def main(arguments: Sequence[str] = ()) -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=40)
    seeds = options.parse_args(arguments).seeds
    print(f"{RATERS} raters, {seeds} campaigns each: votes on images with the wanted number")
    print("wanted  more votes  mean   least  campaigns below 90%  votes beyond the wanted")
    for wanted in (2, 3, 5):
        for longer in (4, 15):
            found = [
                simulate(
                    wanted=wanted, longer=longer, rng=np.random.default_rng([wanted, longer, i])
                )
                for i in range(seeds)
            ]
            shares = np.array([one.share_complete for one in found])
            wasted = np.mean([one.wasted / one.cast for one in found])
            print(
                f"{wanted:6}  {longer:10}  {shares.mean():5.1%}  {shares.min():5.1%}  "
                f"{int((shares < 0.9).sum()):12} of {seeds:3}  {wasted:23.1%}"
            )


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
