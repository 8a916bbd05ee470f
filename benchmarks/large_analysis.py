"""Analysis and report of a large audit: memory, CPU time and size of the page.

    python -m benchmarks.large_analysis [IMAGES] [WIDTH] [KIND ...]

The audit is synthetic: 62 occupations in 4 wordings, as in the Bias Amplification Paradox, with as
many images of each as it takes, and one embedding of `WIDTH` numbers per image, in parts of 4,000
rows. `composition` asks who is shown on two axes; `association` compares the embeddings of 31
occupations with those of the other 31, a third of the images of each neutral. `analyze` and
`report` each run in a fresh process, whose peak memory and CPU time (of all threads) are read from
the operating system. The peer is that process without an audit (its imports), and the embeddings
alone as one float32 matrix, which is what any program that holds them needs.

Linear: half as many images are analyzed as well, and the ratio of the CPU times is printed.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.records import Identity, ImageRecord, Measurement, image_key
from portrayal.studies import Study, study_from_dict

IMAGES, WIDTH = 744_000, 768
OCCUPATIONS, PART = 62, 4_000
GENERATOR = Identity("benchmark", "noise", {"size": 512})
ENCODER = Identity("encoder", "synthetic", {"logit_scale": 100.0})
JOBS = [f"person of occupation {i:02}" for i in range(OCCUPATIONS)]
WORDINGS = ["a photo of {}", "a portrait of {}", "{} at work", "the face of {}"]

RUN = """
import sys, time
from pathlib import Path
if sys.argv[1] == "analyze":
    from portrayal.runner.analysis import analyze
    from portrayal.audit import AuditFolder
    if len(sys.argv) > 2:
        analyze(AuditFolder(sys.argv[2]))
else:
    from portrayal.report import write_report
    from portrayal.audit import AuditFolder
    write_report(AuditFolder(sys.argv[2]))
status = Path("/proc/self/status").read_text(encoding="ascii")
print(time.process_time(), int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6)
"""


def main() -> None:
    numbers = [int(word.replace(",", "")) for word in sys.argv[1:] if word[0].isdigit()]
    images, width = (*numbers, *(IMAGES, WIDTH)[len(numbers) :])
    kinds = [word for word in sys.argv[1:] if word in STUDIES] or list(STUDIES)
    print(f"a large audit: {images:,} images, {width} numbers each")
    print(f"{'':44}{'got':>12}  target at 744,000 x 768")
    start = run("analyze")
    for kind in kinds:
        with tempfile.TemporaryDirectory() as scratch:
            whole, half = Path(scratch) / "whole", Path(scratch) / "half"
            fill(whole, kind, images, width)
            fill(half, kind, images // 2, width)
            rows = measure(whole, half, start, images * width * 4 / 1e6)
        for row in rows:
            print(f"{kind + ': ' + row[0]:44}{row[1]:>12}  {row[2]}", flush=True)


def measure(
    whole: Path, half: Path, start: tuple[float, float], matrix: float
) -> list[tuple[str, str, str]]:
    seconds, peak = run("analyze", whole)
    other, _ = run("analyze", half)
    own, ours = seconds - start[0], peak - start[1]
    page, page_peak = run("report", whole)
    size = (whole / "report" / "index.html").stat().st_size / 1e6
    return [
        ("analyze, CPU", f"{seconds:.1f} s", "at most 90 s"),
        ("analyze, peak memory", f"{peak:.0f} MB", "at most 4,000 MB"),
        ("above imports / embeddings as float32", f"{ours / matrix:.2f}", ""),
        ("CPU of all / CPU of half the images", f"{own / (other - start[0]):.2f}", "2: linear"),
        ("report, CPU", f"{page:.1f} s", ""),
        ("report, peak memory", f"{page_peak:.0f} MB", ""),
        ("report, size", f"{size:.1f} MB", "at most 25 MB"),
    ]


def run(verb: str, audit: Path | None = None) -> tuple[float, float]:
    """Return CPU seconds and peak megabytes of a fresh process."""
    arguments = [sys.executable, "-c", RUN, verb, *([str(audit)] if audit else [])]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    seconds, megabytes = done.stdout.split()[-2:]
    return float(seconds), float(megabytes)


def composition(images: int) -> Study:
    return study_from_dict(
        {
            "name": "large",
            "kind": "composition",
            "images": images // (OCCUPATIONS * len(WORDINGS)),
            "prompts": [
                {"text": wording.format(job), "factors": {"occupation": job, "wording": wording}}
                for job in JOBS
                for wording in WORDINGS
            ],
            "axes": ["perceived gender", "skin tone"],
        }
    )


def association(images: int) -> Study:
    each = images // (OCCUPATIONS * 3)
    return study_from_dict(
        {
            "name": "large",
            "kind": "association",
            "images": each,
            "template": "a photo of {a stimulus}",
            "attach": "template",
            "attribute_template": "a photo of {a word} {stimulus}",
            "contrasts": [["first", "second"]],
            "concepts": {"first": JOBS[::2], "second": JOBS[1::2]},
            "attributes": {"male": ["male"], "female": ["female"]},
        }
    )


STUDIES = {"composition": composition, "association": association}


def fill(where: Path, kind: str, images: int, width: int) -> None:
    """Make the audit of a study: every image stored and embedded, every text read."""
    study = STUDIES[kind](images)
    audit = AuditFolder.at(where, GENERATOR)
    audit.remember_study(study.name, study.as_dict())
    rng = np.random.default_rng(0)
    texts = list(study.texts())
    directions = rng.normal(size=(len(texts), width)).astype(np.float32)
    none: list[None] = [None] * len(texts)
    audit.append_texts(ENCODER, texts, directions, tokens=none, truncated=none)
    data = _png()
    wanted = [(prompt.text, seed) for prompt in study.prompts() for seed in prompt.seeds]
    for start in range(0, len(wanted), PART):
        some = wanted[start : start + PART]
        audit.append_images([ImageRecord(p, s, "ok", None, data, 8, 8) for p, s in some])
        _embed(audit, some, directions, rng)


def _embed(
    audit: AuditFolder,
    some: list[tuple[str, int]],
    directions: np.ndarray,
    rng: np.random.Generator,
) -> None:
    vectors = rng.normal(size=(len(some), directions.shape[1])).astype(np.float32)
    vectors += 0.3 * directions[rng.integers(0, len(directions), len(some))]
    keys = [image_key(audit.generator, prompt, seed) for prompt, seed in some]
    audit.append_measurements(
        ENCODER,
        {"embedding": "vector"},
        [Measurement(k, {"embedding": v}) for k, v in zip(keys, vectors, strict=True)],
    )


def _png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (128, 128, 128)).save(buffer, "PNG")
    return buffer.getvalue()


if __name__ == "__main__":
    main()
