"""A lost audit.json, written again once a generator proves that it made the images.

A key is a hash of generator identity, prompt and seed: only the right identity gives the keys that
are stored.
"""

from __future__ import annotations

import os
from pathlib import Path

from portrayal.audit import parts
from portrayal.audit.header import FILE, Header
from portrayal.audit.keys import image_keys
from portrayal.audit.locations import location
from portrayal.errors import AuditError, NotAnAudit
from portrayal.records import Identity


def rebuild_header(audit: str | os.PathLike[str], generator: Identity) -> int:
    """Write audit.json for the generator that made an audit's images; return how many prove it.

    Args:
        audit: A folder with image parts, whose audit.json is absent or cannot be read.
        generator: Who is said to have made them.

    Raises:
        AuditError: There is a header, there are no images, or another generator made them.
    """
    path = location(audit)
    if _is_readable(path):
        raise AuditError(f"{path}: has its {FILE}; nothing to rebuild")
    proved = other = 0
    for table in parts.each_part(path / "images", ["key", "prompt", "seed"]):
        requests = zip(table["prompt"].to_pylist(), table["seed"].to_pylist(), strict=True)
        keys = image_keys(generator, list(requests))
        same = sum(one == own for one, own in zip(keys, table["key"].to_pylist(), strict=True))
        proved, other = proved + same, other + len(keys) - same
    if not proved and not other:
        raise AuditError(f"{path}: no images whose keys could prove a model")
    if other:
        raise AuditError(
            f"{path}: {other} of {proved + other} keys are not those of {generator.name}: another "
            "model, or other settings, made these images; name the model as it was named then"
        )
    if (path / FILE).exists():
        (path / FILE).rename(path / f"{FILE}.damaged")
    Header.write(path, generator)
    return proved


def _is_readable(path: Path) -> bool:
    try:
        Header.read(path)
    except NotAnAudit:
        return False
    return True
