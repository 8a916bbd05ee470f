"""Where an audit is: a folder of this machine, or a place in an object store."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import cast

from portrayal.audit.object_paths import ObjectPath
from portrayal.audit.object_stores import PACKAGES, check_url, scheme_of


def location(where: str | os.PathLike[str]) -> Path:
    """Return a folder's path, or for a URL such as `s3://bucket/audit` a place in that store.

    The latter is an `ObjectPath`, which has what audits use of a `Path`; where that does not do,
    `object_path` tells them apart.

    Raises:
        AuditError: No audit can be kept under such a URL.
        MissingExtra: The package for it is not installed.
    """
    url = _url(where)
    if url is None:
        return where if isinstance(where, Path) else Path(where)
    check_url(url)
    return cast("Path", ObjectPath(url))


def object_path(path: object) -> ObjectPath | None:
    """Return the path where it is in an object store, None where it is on this machine."""
    return path if isinstance(path, ObjectPath) else None


def _url(where: str | os.PathLike[str]) -> str | None:
    if isinstance(where, PurePath):
        # `Path("s3://bucket/audit")` has lost a slash, and would be a strange folder here.
        scheme, *rest = where.parts or ("",)
        known = len(rest) > 0 and scheme.endswith(":") and scheme[:-1] in PACKAGES
        return f"{scheme}//{'/'.join(rest)}" if known else None
    text = os.fspath(where)
    return text if scheme_of(text) is not None else None
