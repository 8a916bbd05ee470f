"""What an amplification study needs beside a generator and a measurer."""

from __future__ import annotations

import tempfile
from pathlib import Path

from portrayal.corpora import Corpus, Term, create_corpus
from portrayal.kinds import Requirement, extra, weights
from portrayal.kinds.amplification.captions import wants_nearest
from portrayal.kinds.amplification.checks import how_to_get_images, try_images
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.language import language_kinds


def requirements(study: AmplificationStudy, corpus: Path | None) -> list[Requirement]:
    """Return what a study needs, each with whether it is there."""
    found = []
    detector, _, file = study.faces.detector.partition(":")
    if detector == "centerface":
        found.append(extra("faces", "onnx", "onnxruntime"))
    if detector == "mediapipe":
        found.append(extra("mediapipe", "mediapipe"))
    if file:
        fix = f"the study names {file} as its face detector"
        found.append(Requirement("detector", file, Path(file).is_file(), fix))
    if wants_nearest(study):
        installed = [name for kind in language_kinds("sentences") for name in kind.names]
        found.append(extra("corpus", "sentence_transformers"))
        found.append(weights("sentence encoder", study.sentences, installed=installed))
    return [*found, _captions(study, corpus)]


def _captions(study: AmplificationStudy, corpus: Path | None) -> Requirement:
    """Say what share of the captions that name an occupation has an image."""
    fix = "name the training data as `corpus`"
    if corpus is None:
        return Requirement("training captions", "no corpus is named", study.drawn is not None, fix)
    if (corpus / "corpus.json").exists():
        return _with_images(study, Corpus(corpus))
    with tempfile.TemporaryDirectory() as folder:
        return _with_images(study, create_corpus(Path(folder) / "corpus", [corpus]))


def _with_images(study: AmplificationStudy, opened: Corpus) -> Requirement:
    terms = [Term.of(occupation) for occupation in study.occupations]
    found = opened.search(terms, per_term=study.captions, seed=study.seed)
    table = found.table(["term", "source", "row"])
    named = len(set(table["term"].to_pylist()))
    rows = list(zip(table["source"].to_pylist(), table["row"].to_pylist(), strict=True))
    tried = try_images(opened, rows, seed=study.seed)
    words = f"{len(table):,} captions name {named} of {len(terms)} occupations; {tried.sentence()}"
    why = f" (mostly: {tried.reason})" if tried.reason else ""
    fix = f"their images are missing{why}; {how_to_get_images(study, opened)}"
    return Requirement("training captions", words, bool(tried.found), fix)
