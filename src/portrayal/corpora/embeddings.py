"""Sentence embeddings of captions, computed once and kept beside the corpus.

A caption is known by a hash of its text, so equal captions are embedded once, in whichever set or
source they stand. Every batch is stored as soon as it is done; who is interrupted loses the batch
in flight and does no other twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from portrayal.audit import (
    IDENTITY,
    flush_folder,
    folder_name,
    part_paths,
    prepared,
    read_part,
    write_text,
)
from portrayal.corpora.captions import CaptionSet
from portrayal.errors import CorpusError, DamagedPart
from portrayal.language import SentenceEncoder
from portrayal.progress import OnProgress

BATCH = 2_048
"""Captions that are embedded and stored at a time."""

Keys = npt.NDArray[np.uint64]


def caption_keys(captions: Iterable[str]) -> Keys:
    """Return the hash of each caption: 64 bits, so of ten million the chance of a twin is 3e-6."""
    return np.array(
        [
            int.from_bytes(
                hashlib.blake2b(one.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
            )
            for one in captions
        ],
        dtype=np.uint64,
    )


class EmbeddingCache:
    """The vectors of one encoder.

    Args:
        corpus: The corpus folder.
        encoder: Who embeds.
    """

    def __init__(self, corpus: Path, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self.folder = corpus / "embeddings" / folder_name(encoder.identity)

    def fill(self, captions: CaptionSet, *, on_progress: OnProgress | None = None) -> int:
        """Embed the captions of a set that have no vector yet; return how many had none."""
        known = self._known()
        missing = 0
        for keys, _ in _fresh(captions, known):
            missing += len(keys)
        if not missing:
            return 0
        write_text(
            self.folder / IDENTITY,
            json.dumps(self._encoder.identity.as_dict(), indent=1, ensure_ascii=False) + "\n",
            keep=True,
        )
        done = 0
        for keys, texts in _batched(_fresh(captions, known)):
            self._store(keys, texts)
            done += len(keys)
            if on_progress is not None:
                on_progress("embeddings", done, missing)
        return missing

    def parts(self) -> Iterator[tuple[Keys, npt.NDArray[np.float32]]]:
        """Yield keys and vectors, one part in memory at a time; a key may come twice."""
        for path in part_paths(self.folder):
            with contextlib.suppress(DamagedPart):
                table = read_part(path, ["key", "embedding"])
                vectors = table["embedding"].combine_chunks()
                width = vectors.type.list_size
                flat = vectors.flatten().to_numpy(zero_copy_only=False)
                yield table["key"].to_numpy(), flat.reshape(-1, width)

    def _known(self) -> Keys:
        found = [np.zeros(0, np.uint64)]
        for path in part_paths(self.folder):
            try:
                found.append(read_part(path, ["key", "embedding"])["key"].to_numpy())
            except DamagedPart:
                path.unlink()  # a cache: what was in it is embedded again
        return np.unique(np.concatenate(found))

    def _store(self, keys: Keys, texts: Sequence[str]) -> None:
        vectors = np.asarray(self._encoder.embed(texts), np.float32)
        if vectors.shape[:1] != (len(texts),) or vectors.ndim != 2:
            raise CorpusError(
                f"{self._encoder.identity.name}: answered {vectors.shape} to {len(texts)} texts; "
                "it is broken"
            )
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            text = texts[int(np.argmin(finite))]
            raise CorpusError(f"{self._encoder.identity.name}: has no number for {text[:80]!r}")
        flat = pa.array(vectors.ravel(), pa.float32())
        lists = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
        table = pa.table({"key": pa.array(keys), "embedding": lists})
        with prepared(self.folder, [table]) as appear:
            appear()
        flush_folder(self.folder)


def _fresh(captions: CaptionSet, known: Keys) -> Iterator[tuple[Keys, list[str]]]:
    """Yield captions without a vector, each text once."""
    seen = known
    for batch in captions.batches(["caption"]):
        texts = batch.column(0).to_pylist()
        keys, first = np.unique(caption_keys(texts), return_index=True)
        new = ~np.isin(keys, seen)
        order = np.sort(first[new])
        if len(order):
            fresh = caption_keys(texts[at] for at in order)
            seen = np.union1d(seen, fresh)
            yield fresh, [texts[at] for at in order]


def _batched(pieces: Iterable[tuple[Keys, list[str]]]) -> Iterator[tuple[Keys, list[str]]]:
    for keys, texts in pieces:
        for start in range(0, len(texts), BATCH):
            yield keys[start : start + BATCH], texts[start : start + BATCH]
