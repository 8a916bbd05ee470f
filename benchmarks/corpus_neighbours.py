"""Nearest neighbours among 200,000 captions: memory, a kill in the middle, the same as brute force.

    python -m benchmarks.corpus_neighbours [CAPTIONS]

200,000 captions, all different, of four occupations; the 500 nearest of each to two prompts, by the
practice text tower. A first process is killed (SIGKILL) once a third is stored; a second one
finishes. Counted: how many captions each embedded, and whether any stands in the cache twice. Peak
memory is that of the second process over what it held with the model loaded and one batch embedded.
The peer is brute force: all vectors in memory, one matrix of all cosines, sorted whole.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.corpora import (
    BATCH,
    Corpus,
    EmbeddingCache,
    caption_keys,
    create_corpus,
    filled,
    nearest,
    terms_of,
)
from portrayal.language import open_sentence_encoder

CAPTIONS = 200_000
K = 500
JOBS = ["nurse", "engineer", "chef", "pilot"]
TEMPLATES = ["A photo of the face of {a term}", "A photo of {a term} at work"]
_FRAMES = ("a photo of", "portrait of", "stock photo,", "meet")
_PLACES = ("at work", "in Lyon", "smiling", "on the ship")


def main(captions: int = CAPTIONS) -> None:
    print(f"corpus neighbours ({os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start)")
    with tempfile.TemporaryDirectory(dir=os.environ.get("PORTRAYAL_BENCH_DIR")) as folder:
        scratch = Path(folder)
        texts = [
            f"{_FRAMES[i % 4]} a {JOBS[i // 4 % 4]} {_PLACES[i // 16 % 4]} {i:x}"
            for i in range(captions)
        ]
        pq.write_table(pa.table({"TEXT": texts}), scratch / "captions.parquet")
        corpus = create_corpus(scratch / "corpus", [scratch / "captions.parquet"])
        found = corpus.search(terms_of(JOBS), per_term=None, name="all")
        assert len(found) == captions, len(found)
        stored = killed(scratch / "corpus", captions // 3)
        start = time.perf_counter()
        rest = json.loads(_process("finish", scratch / "corpus").communicate()[0])
        seconds = time.perf_counter() - start
        keys = _keys(corpus)
        same = brute_force(corpus)
    print(f"  {'captions':38}{captions:>10,}")
    print(f"  {'stored when killed':38}{stored:>10,}")
    print(f"  {'embedded by the second process':38}{rest['embedded']:>10,}")
    twice = len(keys) - len(np.unique(keys))
    print(f"  {'captions embedded twice in the cache':38}{twice:>10,}  (wanted: 0)")
    print(f"  {'missing from the cache':38}{captions - len(np.unique(keys)):>10,}  (wanted: 0)")
    print(f"  {'redone by the second process':38}{rest['embedded'] + stored - captions:>10,}"
          "  (wanted: 0)")  # fmt: skip
    print(f"  {'peak over model and one batch':38}{rest['peak']:>7.0f} MB  (wanted: under 1,000)")
    print(f"  {'the same as brute force':38}{'yes' if same else 'NO':>10}")
    print(f"  {'second process':38}{seconds:>8.0f} s")


def killed(corpus: Path, enough: int) -> int:
    """Start a run, kill it when enough is stored, and return how many captions then are."""
    run = _process("finish", corpus)
    folder = corpus / "embeddings"
    while len(list(folder.rglob("part-*.parquet"))) * BATCH < enough:
        if run.poll() is not None:
            raise SystemExit("the first process ended before it could be killed")
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    return len(_keys(Corpus(corpus)))


def finish(where: str) -> None:
    """Run in a fresh process: print what was embedded and the peak over the model, in MB."""
    encoder = open_sentence_encoder("practice")
    encoder.embed([f"a photo of a nurse in Lyon {i:x}" for i in range(BATCH)])
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak so far
    corpus = Corpus(where)
    near = nearest(corpus, corpus.set("all"), filled(TEMPLATES, JOBS), encoder, k=K, name="near")
    print(json.dumps({"embedded": near.embedded, "peak": _status("VmHWM") - before}))


def brute_force(corpus: Corpus) -> bool:
    """Compare the selection with one that has everything in memory."""
    encoder = open_sentence_encoder("practice")
    parts = list(EmbeddingCache(corpus.folder, encoder).parts())
    keys = np.concatenate([own for own, _ in parts])
    vectors = np.concatenate([own for _, own in parts]).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    table = corpus.set("all").table()
    place = {int(key): at for at, key in enumerate(keys)}
    at = np.array([place[int(key)] for key in caption_keys(table["caption"].to_pylist())])
    terms = np.array(table["term"].to_pylist())
    rows = np.array(table["row"].to_pylist())
    near = corpus.set("near").table().to_pylist()
    same = True
    for term, prompts in filled(TEMPLATES, JOBS).items():
        own = np.flatnonzero(terms == term)
        towards = np.concatenate([encoder.embed([one]) for one in prompts]).astype(np.float64)
        towards /= np.linalg.norm(towards, axis=1, keepdims=True)
        for prompt, direction in zip(prompts, towards, strict=True):
            cosines = vectors[at[own]] @ direction
            best = own[np.lexsort((rows[own], -cosines))][:K]
            ours = [r["row"] for r in near if (r["term"], r["prompt"]) == (term, prompt)]
            if ours != rows[best].tolist():
                wrong = sum(a != b for a, b in zip(ours, rows[best].tolist(), strict=True))
                others = len(set(ours) ^ set(rows[best].tolist()))
                print(f"  {prompt}: {wrong} of {K} places differ, {others} captions differ")
                same = False
    return same


def _keys(corpus: Corpus) -> np.ndarray:  # type: ignore[type-arg]
    parts = (corpus.folder / "embeddings").rglob("part-*.parquet")
    found = [pq.read_table(part, columns=["key"])["key"].to_numpy() for part in parts]
    return np.concatenate([np.zeros(0, np.uint64), *found])


def _process(what: str, where: Path) -> subprocess.Popen[str]:
    code = f"from benchmarks.corpus_neighbours import {what}; {what}({str(where)!r})"
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def _status(name: str) -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split(f"{name}:")[1].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
