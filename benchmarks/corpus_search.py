"""Search in a corpus against a pandas loop: speed, memory, growth.

    python -m benchmarks.corpus_search [MILLIONS]

20 million synthetic captions in LAION's metadata layout, 20 Parquet files, about 2 GB; every tenth
names one of 62 occupations. They are written to a temporary folder (PORTRAYAL_BENCH_DIR) and
removed afterwards. Ours finds all 62 in one pass with two threads, counts them, and keeps a sample
of 500 each. The peer does what a notebook does: for every file and every occupation
`frame.TEXT.str.contains(r"\\b...s?\\b", case=False)`, then `.sample(500)` from all that was found.
Reading the file counts for both. The peer is timed on one file (a twentieth) and multiplied; for
the eye also a cleverer pandas that first asks for any of the 62 at once. Counts of both are
compared on that file. Each runs in a fresh process, whose peak memory the operating system tells.

Then what an amplification study selects from the same corpus, in one process: all captions of the
62 kept, labelled by their words and names, those without indicators set aside, and the 500 nearest
to a prompt per occupation, with vectors of 384 numbers from a stand-in for a sentence encoder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np

from portrayal.corpora import (
    Corpus,
    Term,
    caption_keys,
    create_corpus,
    filled,
    label_set,
    nearest,
)
from portrayal.language import open_recogniser
from portrayal.records import Identity
from portrayal_practice.vocabulary import OCCUPATIONS

MILLIONS = 20
OCCUPATIONS_62 = [name for name in OCCUPATIONS if " " not in name][:62]
PER_TERM = 500
# Not DuckDB's hash(): two of them with different seeds are not independent of each other.
_NUMBER = "md5_number_lower(i::VARCHAR)"
_JOB = f"(({_NUMBER} // 10) % {len(OCCUPATIONS_62)})::INT"


def main(millions: int = MILLIONS) -> None:
    print(f"corpus search ({os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start)")
    with tempfile.TemporaryDirectory(dir=os.environ.get("PORTRAYAL_BENCH_DIR")) as folder:
        scratch = Path(folder)
        for number in range(millions):
            write_million(scratch / f"part-{number:03d}.parquet", number)
        size = sum(file.stat().st_size for file in scratch.glob("*.parquet"))
        print(f"  {millions} million captions, {size / 1e9:.2f} GB of Parquet")
        grown = {n: ours(scratch, n) for n in dict.fromkeys((1, max(1, millions // 4), millions))}
        plain = _run("pandas_loop", scratch)
        clever = _run("pandas_clever", scratch)
        alone = grown[1]
        assert plain["counts"] == clever["counts"] == alone["counts"], "they disagree"
        _print(millions, grown, plain, clever)
        create_corpus(scratch / "selected", sorted(scratch.glob("part-*.parquet")))
        chosen = _run("portrayal_selection", scratch / "selected")
        seconds, peak = chosen["seconds"], chosen["peak"]
        print(f"  {'all kept, labelled, nearest':34}{seconds:8.1f} s{peak:8.0f} MB")
        print(f"  of {chosen['counts']}  (wanted: under 2,000 MB)")


def _print(
    millions: int, grown: dict[int, dict[str, object]], plain: dict[str, float],
    clever: dict[str, float],
) -> None:  # fmt: skip
    whole = grown[millions]
    for n, run in grown.items():
        print(f"  {f'ours, {n} million':34}{run['seconds']:8.1f} s{run['peak']:8.0f} MB")
    print(f"  {'pandas loop, 1 million':34}{plain['seconds']:8.1f} s{plain['peak']:8.0f} MB")
    print(
        f"  {'pandas, one expression first':34}{clever['seconds']:8.1f} s{clever['peak']:8.0f} MB"
    )
    ours_ = float(whole["seconds"])  # type: ignore[arg-type]
    ratio = plain["seconds"] * millions / ours_
    print(f"  {'pandas loop x files / ours':34}{ratio:8.1f} x  (wanted: 5 or more)")
    print(f"  {'the cleverer pandas / ours':34}{clever['seconds'] * millions / ours_:8.1f} x")
    rates = {n: float(run["seconds"]) / n for n, run in grown.items()}  # type: ignore[arg-type]
    said = ", ".join(f"{n}: {rate:.2f} s" for n, rate in rates.items())
    print(f"  seconds a million, by millions: {said}  (linear: about the same)")
    print(f"  peak memory {whole['peak']:.0f} MB  (wanted: under 2,000)")


def write_million(file: Path, number: int, rows: int = 1_000_000) -> None:
    """Captions of 8 to 13 made-up words; every tenth ends with an occupation at work."""
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            "SET VARIABLE words = (SELECT list(left(md5(i::VARCHAR), 3 + (i % 7)::INT)) "
            "FROM range(5000) t(i))"
        )
        names = ", ".join(f"'{name}'" for name in OCCUPATIONS_62)
        connection.execute(f"SET VARIABLE jobs = [{names}]")
        connection.execute(
            f"""COPY (
            SELECT i AS SAMPLE_ID, 'https://example.org/' || md5(i::VARCHAR) || '.jpg' AS URL,
              array_to_string(list_transform(range(8 + (hash(i) % 6)::INT), lambda j:
                getvariable('words')[1 + (hash(i * 131 + j) % 5000)::INT]), ' ')
              || CASE WHEN {_NUMBER} % 10 = 0 THEN ' ' || getvariable('jobs')[
                1 + {_JOB}] || ' at work' ELSE '' END AS TEXT,
              512::INT AS HEIGHT, 512::INT AS WIDTH, '?' AS LICENSE, 'UNLIKELY' AS NSFW,
              (0.28 + (hash(i, 3) % 1000) / 10000)::FLOAT AS similarity
            FROM range({number * rows}, {(number + 1) * rows}) t(i)
            ) TO '{file}' (FORMAT parquet, COMPRESSION snappy)"""
        )


def ours(scratch: Path, files: int) -> dict[str, object]:
    where = scratch / f"corpus-{files}"
    parts = sorted(scratch.glob("part-*.parquet"))[:files]
    create_corpus(where, parts)
    result = _run("portrayal_search", where)
    shutil.rmtree(where)
    expected = written(files)
    assert result["counts"] == expected, "the counts are not those that were written"
    return result


def written(millions: int) -> dict[str, int]:
    """How many captions name each occupation, from the rule that wrote them."""
    with duckdb.connect() as connection:
        rows = connection.execute(
            f"SELECT {_JOB} AS job, count(*) FROM range({millions * 1_000_000}) t(i) "
            f"WHERE {_NUMBER} % 10 = 0 GROUP BY job"
        ).fetchall()
    counts = dict(rows)
    return {name: counts[job] for job, name in enumerate(OCCUPATIONS_62)}


def portrayal_search(where: str) -> dict[str, int]:
    corpus = Corpus(where, threads=2)
    terms = [Term.of(name) for name in OCCUPATIONS_62]
    found = corpus.search(terms, per_term=PER_TERM)
    # A source that could not be read is left out and told: fast, and no answer to this question.
    assert not found.problems, [one.line() for one in found.problems]
    assert len(found) == PER_TERM * len(terms), len(found)
    return found.counts


class StandIn:
    """Vectors that depend on the text alone, as a sentence encoder's do, without its cost."""

    identity = Identity("sentences", "stand-in", {"width": 384})

    def embed(self, texts: Sequence[str]) -> np.ndarray:  # type: ignore[type-arg]
        keys = (caption_keys(texts) % 1_000_003).astype(np.float32)
        vectors: np.ndarray = np.cos(np.outer(keys, np.arange(1, 385, dtype=np.float32)))  # type: ignore[type-arg]
        return vectors


def portrayal_selection(where: str) -> dict[str, int]:
    corpus = Corpus(where, threads=2)
    found = corpus.search([Term.of(name) for name in OCCUPATIONS_62], per_term=None)
    labels = label_set(found, open_recogniser("capitals"))
    plain = found.where(np.array([label == "unknown" for label in labels]), "plain")
    prompts = filled(["A photo of the face of {a term}"], plain.terms)
    near = nearest(corpus, plain, prompts, StandIn(), k=PER_TERM)
    assert len(near.captions) == PER_TERM * len(OCCUPATIONS_62), len(near.captions)
    return {"captions": len(found), "without indicators": len(plain), "embedded": near.embedded}


def pandas_loop(scratch: str) -> dict[str, int]:
    import pandas as pd

    found: dict[str, list[pd.DataFrame]] = {name: [] for name in OCCUPATIONS_62}
    for file in sorted(Path(scratch).glob("part-*.parquet"))[:1]:
        frame = pd.read_parquet(file, columns=["TEXT"])
        for name, kept in found.items():
            forms = "|".join(Term.of(name).forms)
            hit = frame["TEXT"].str.contains(rf"\b(?:{forms})\b", case=False, regex=True)
            kept.append(frame[hit])
    return _sampled(found)


def pandas_clever(scratch: str) -> dict[str, int]:
    import pandas as pd

    found: dict[str, list[pd.DataFrame]] = {name: [] for name in OCCUPATIONS_62}
    every = "|".join(form for name in OCCUPATIONS_62 for form in Term.of(name).forms)
    for file in sorted(Path(scratch).glob("part-*.parquet"))[:1]:
        frame = pd.read_parquet(file, columns=["TEXT"])
        frame = frame[frame["TEXT"].str.contains(rf"\b(?:{every})\b", case=False, regex=True)]
        for name, kept in found.items():
            forms = "|".join(Term.of(name).forms)
            hit = frame["TEXT"].str.contains(rf"\b(?:{forms})\b", case=False, regex=True)
            kept.append(frame[hit])
    return _sampled(found)


def _sampled(found: dict) -> dict[str, int]:  # type: ignore[type-arg]
    import pandas as pd

    counts = {}
    for name, kept in found.items():
        together = pd.concat(kept)
        counts[name] = len(together)
        together.sample(min(PER_TERM, len(together)), random_state=0)
    return counts


def _run(what: str, where: Path) -> dict[str, float]:
    """Call a function of this module in a fresh process; return counts, seconds and peak MB."""
    code = (
        "import json, sys, time; from benchmarks import corpus_search as b; "
        "start = time.perf_counter(); counts = getattr(b, sys.argv[1])(sys.argv[2]); "
        "print(json.dumps({'counts': counts, 'seconds': time.perf_counter() - start, "
        "'peak': b.peak_megabytes()}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, what, str(where)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def peak_megabytes() -> float:
    # Not ru_maxrss: that starts with the memory of the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
