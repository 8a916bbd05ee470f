"""What studies need before anything is generated, and what of it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from portrayal.audit import AuditFolder, object_path
from portrayal.kinds import Requirement, kind_of
from portrayal.studies import Study

IMAGE_BYTES = 450_000
"""A PNG of 512 x 512 pixels."""


def requirements(
    studies: Sequence[Study],
    place: Path | None,
    audit: AuditFolder | None,
    *,
    corpus: Path | None,
    missing: int,
) -> list[Requirement]:
    """Return what studies need, each with whether it is there.

    Args:
        studies: The studies.
        place: Where the audit will be; None: not known.
        audit: The audit, where it exists.
        corpus: The training data that was named.
        missing: Images still to be generated.
    """
    found = [
        need for study in studies for need in kind_of(study).requirements(study, corpus, audit)
    ]
    return [*dict.fromkeys(found), *_disk(place, audit, missing)]


def _disk(place: Path | None, audit: AuditFolder | None, missing: int) -> list[Requirement]:
    if place is not None and object_path(place) is not None:
        return []
    here = (place or Path()).absolute()
    while not here.exists():
        here = here.parent
    each = _bytes_per_image(audit)
    free = shutil.disk_usage(here).free
    needed = missing * each
    return [
        Requirement(
            "disk",
            f"about {_size(needed)} for {missing:,} images, {_size(free)} free",
            needed < free,
            "free some space, or put the audit elsewhere with `out`",
        )
    ]


def _bytes_per_image(audit: AuditFolder | None) -> int:
    """Return what an image of the audit takes, else that of a common size."""
    if audit is None:
        return IMAGE_BYTES
    rows = int(audit.images().aggregate("count(*)").fetchall()[0][0])
    return audit.image_bytes() // rows if rows else IMAGE_BYTES


def _size(number: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"
