"""Wanted minus present: which requests an audit does not hold an answer to yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit.tables import text_array
from portrayal.records import Prompt, Request

Pairs = Iterable[tuple[str, int | Sequence[int]]]
"""Prompt texts, each with its seeds, or with the number of images wanted (seeds 0 ... n-1)."""

EachPart = Callable[[Sequence[str]], Iterator[pa.Table]]


class Wanted:
    """The images that are wanted: every prompt with its seeds, every request once.

    A range of consecutive seeds means "so many images of this prompt": where two studies want
    different ranges of one prompt, the first one is extended to the larger number, because any
    image of a prompt serves both. Other sequences of seeds are meant exactly and are added.

    Args:
        pairs: Prompt texts with their seeds, or with the number of images.
    """

    def __init__(self, pairs: Pairs = ()) -> None:
        ranges: dict[str, range] = {}
        listed: dict[str, set[int]] = {}
        self._order: dict[str, None] = {}
        for prompt, seeds in pairs:
            some = range(max(seeds, 0)) if isinstance(seeds, int) else seeds
            self._order[prompt] = None
            if isinstance(some, range) and some.step == 1:
                known = ranges.get(prompt, some)
                most = max(len(some), len(known))
                ranges[prompt] = range(known.start, known.start + most)
            else:
                listed.setdefault(prompt, set()).update(some)
        self._seeds: dict[str, Sequence[int]] = {
            prompt: sorted({*listed[prompt], *ranges.get(prompt, ())})
            if prompt in listed
            else ranges[prompt]
            for prompt in self._order
        }

    @classmethod
    def of(cls, wanted: Wanted | Pairs) -> Wanted:
        """Return what is wanted as this type."""
        return wanted if isinstance(wanted, Wanted) else cls(wanted)

    @classmethod
    def by(cls, prompts: Iterable[Prompt]) -> Wanted:
        """Return what the prompts of one or more studies want together."""
        return cls((prompt.text, prompt.seeds) for prompt in prompts)

    @property
    def seeds(self) -> Mapping[str, Sequence[int]]:
        """Seeds by prompt, ascending, in the order in which prompts were named."""
        return self._seeds

    @property
    def prompts(self) -> list[str]:
        """Prompt texts, each once."""
        return list(self._seeds)

    def __len__(self) -> int:
        return sum(map(len, self._seeds.values()))

    def __contains__(self, request: Request) -> bool:
        return request.seed in self._seeds.get(request.prompt, ())

    def absent(self, each_part: EachPart, *, retry_failed: bool) -> pa.Table:
        """Return the requests without an answer as a table of `prompt` and `seed`.

        Every wanted request has a place in one array, prompt after prompt and seed after seed; what
        is present is struck out. A million requests take a second and little memory.

        Args:
            each_part: Yields columns of one part of the images after the other.
            retry_failed: Count requests that failed before as without an answer.
        """
        places = _Places(self._seeds)
        columns = ["prompt", "seed", "status"] if retry_failed else ["prompt", "seed"]
        for table in each_part(columns):
            if retry_failed:
                table = table.filter(pc.not_equal(table["status"], "failed"))
            places.strike(table)
        return places.left()


class _Places:
    """One place for every wanted request, struck out once its answer is met."""

    def __init__(self, wanted: Mapping[str, Sequence[int]]) -> None:
        self._prompts = list(wanted)
        self._number = {prompt: i for i, prompt in enumerate(wanted)}
        counts = [len(seeds) for seeds in wanted.values()]
        self._numbers = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        self._seeds = np.fromiter(
            (seed for seeds in wanted.values() for seed in seeds), np.int64, count=sum(counts)
        )
        # A request as one ascending number, so that a binary search finds it.
        self._known = np.unique(self._seeds)
        self._keys = self._numbers * len(self._known) + np.searchsorted(self._known, self._seeds)
        self._open = np.ones(len(self._keys), dtype=np.bool_)

    def strike(self, table: pa.Table) -> None:
        """Strike out what a part contains."""
        if not len(self._keys):
            return
        # Prompts repeat within a part, so each of them is looked up once.
        encoded = table["prompt"].combine_chunks().dictionary_encode()
        found = [self._number.get(prompt, -1) for prompt in encoded.dictionary.to_pylist()]
        numbers = np.asarray(found, dtype=np.int64)[encoded.indices.to_numpy()]
        seeds = table["seed"].to_numpy()
        ranks = np.minimum(np.searchsorted(self._known, seeds), len(self._known) - 1)
        inside = (numbers >= 0) & (self._known[ranks] == seeds)
        keys = numbers[inside] * len(self._known) + ranks[inside]
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        self._open[at[self._keys[at] == keys]] = False

    def left(self) -> pa.Table:
        """Return what was not struck out."""
        return _requests(self._prompts, self._numbers[self._open], self._seeds[self._open])


def _requests(
    prompts: Sequence[str], numbers: npt.NDArray[np.int64], seeds: npt.NDArray[np.int64]
) -> pa.Table:
    needed, repeats = np.unique(numbers, return_inverse=True)
    texts = text_array([prompts[number] for number in needed], "prompt")
    return pa.table({"prompt": texts.take(pa.array(repeats)), "seed": pa.array(seeds, pa.int64())})
