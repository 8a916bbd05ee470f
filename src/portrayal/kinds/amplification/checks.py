"""What is checked before anything is generated: can the training side of a study be answered?

The same checks stop a study (`portrayal run`) and are shown by `portrayal plan --corpus`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from portrayal.audit import AuditFolder, quoted, training_audit
from portrayal.corpora import Corpus
from portrayal.errors import StudyError
from portrayal.kinds.amplification.schema import AmplificationStudy

MOST_TRIED = 200
"""Captions whose images are looked for; a share of so many is known to a few points."""


@dataclass(frozen=True, slots=True)
class ImagesFound:
    """Which of the captions that were tried have an image.

    Attributes:
        tried: Captions.
        found: Those with an image that can be read.
        reason: Why most of the others have none.
    """

    tried: int
    found: int
    reason: str = ""

    def sentence(self) -> str:
        """Say it in words."""
        share = f" ({100 * self.found / self.tried:.0f}%)" if self.tried else ""
        return f"{self.found} of {self.tried} captions that were tried have an image{share}"


def try_images(corpus: Corpus, rows: Sequence[tuple[int, int]], *, seed: int = 0) -> ImagesFound:
    """Look for the images of some captions, drawn at random.

    Args:
        corpus: Where to look.
        rows: Source and row of each caption.
        seed: Start of the random numbers.
    """
    distinct = sorted(set(rows))
    chosen = np.random.default_rng(seed).permutation(len(distinct))[:MOST_TRIED]
    reasons: Counter[str] = Counter()
    found = 0
    for _, answer in corpus.images([distinct[int(i)] for i in chosen]):
        if isinstance(answer, bytes):
            found += 1
        else:
            reasons[answer.text] += 1
    return ImagesFound(len(chosen), found, next(iter(reasons.most_common(1)), ("",))[0])


def require_image_sources(study: AmplificationStudy, corpus: Corpus) -> None:
    """Raise where no source of a corpus has images, without reading a caption.

    Raises:
        StudyError: None has.
    """
    if not any(one.images for one in corpus.sources) and not any(corpus.tried().values()):
        raise StudyError(
            f"{study.name}: {corpus.folder} has {corpus.rows:,} captions and no images, so there "
            f"is nothing to compare with; {how_to_get_images(study, corpus)}"
        )


def require_images(study: AmplificationStudy, corpus: Corpus, found: ImagesFound) -> None:
    """Raise where no image was found for the captions that were chosen.

    Raises:
        StudyError: None was.
    """
    if found.tried and not found.found:
        raise StudyError(
            f"{study.name}: none of {found.tried} selected captions that were tried in "
            f"{corpus.folder} has an image (mostly: {found.reason}); "
            f"{how_to_get_images(study, corpus)}"
        )


def how_to_get_images(study: AmplificationStudy, corpus: Corpus) -> str:
    """Say what to do about captions without images."""
    if any(one.link for one in corpus.sources):
        return (
            f"write their addresses with: portrayal corpus urls {quoted(corpus.folder)} "
            f"--study {study.name}"
        )
    return "name a `corpus` with images beside the captions"


def require_same_corpus(study: AmplificationStudy, audit: AuditFolder, corpus: Corpus) -> None:
    """Raise where an audit has training images of another corpus, before anything is chosen.

    Raises:
        StudyError: It has.
    """
    training = training_audit(audit)
    if training is not None and training.generator.digest != corpus.identity.digest:
        raise StudyError(
            f"{study.name}: {audit.path} compares with the corpus {training.generator.name}, and "
            f"`corpus` names {corpus.identity.name} with other captions; take another `out`, or "
            "the corpus as it was"
        )
