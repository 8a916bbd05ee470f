"""Object stores: which can hold an audit, how they are opened, and what their errors mean.

A store is let in where an object is there wholly or not at all, so that no rename is needed: S3 and
what speaks its protocol, Google Cloud Storage, Azure. Credentials are found the way the store's own
tools find them (environment, configuration files, roles) and pass through none of our code.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import importlib
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from portrayal.errors import AuditError, MissingExtra, one_of

PACKAGES: Mapping[str, str] = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "memory": "fsspec",
}
"""By scheme, the package that reaches the store. What is in memory:// ends with its process."""

_EXTRAS = {"s3fs": "s3", "gcsfs": "gs", "adlfs": "az", "fsspec": "s3"}
_SPEAKERS = {"botocore", "aiobotocore", "aiohttp", "gcsfs", "google", "azure", "requests"}
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://(?P<rest>.*)", re.DOTALL)


def scheme_of(where: str) -> str | None:
    """Return the scheme of a URL, None for anything else."""
    match = _URL.match(where)
    return match["scheme"] if match else None


def check_url(url: str) -> None:
    """Raise unless a URL names a place in a store that can hold an audit.

    Raises:
        AuditError: The scheme is unknown, or no place is named, or a password is.
        MissingExtra: The package for it is not installed.
    """
    match = _URL.match(url)
    assert match is not None
    scheme, rest = match["scheme"], match["rest"]
    host = rest.partition("/")[0]
    if ":" in host.rpartition("@")[0]:  # said without the address: it must not reach a log
        raise AuditError(
            f"{scheme}://: the address contains a password, which would end up in files and logs; "
            "leave it out and set it where the store's own tools look, as in the environment"
        )
    if scheme not in PACKAGES:
        raise AuditError(
            f"{url}: no audit can be kept under {scheme}://; allowed: a folder, or "
            f"{one_of([f'{name}://' for name in PACKAGES if name != 'memory'])}; mount other file "
            "systems as a folder"
        )
    if not host:
        raise AuditError(f"{url}: names no bucket; write {scheme}://BUCKET/AUDIT")
    package = PACKAGES[scheme]
    for module in ("fsspec", package):
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise MissingExtra(module, _EXTRAS[package]) from error


def open_store(scheme: str, bucket: str) -> Any:
    """Return the fsspec file system of a bucket; one and the same within a process."""
    return _opened(scheme, bucket, os.getpid())


@functools.lru_cache
def _opened(scheme: str, bucket: str, process: int) -> Any:
    from fsspec.core import url_to_fs

    del process  # a forked child needs connections of its own
    url = f"{scheme}://{bucket}"
    check_url(url)
    with answering(url):
        # Others write as well: what was listed a moment ago may no longer be so.
        return url_to_fs(url, use_listings_cache=False)[0]


@contextlib.contextmanager
def answering(where: str, doing: Literal["read", "write", "remove"] = "read") -> Iterator[None]:
    """Turn what a store says into one clear line; that a thing is absent or present stays as it is.

    Nothing of the store's own wording is repeated: it may hold an address with a password.

    Args:
        where: What is read or written.
        doing: What is tried. Where an object is written, nothing but its bucket can be absent.
    """
    try:
        yield
    except FileNotFoundError as error:
        if doing == "write" or "bucket does not exist" in str(error):
            raise AuditError(f"{where}: there is no such bucket; make it first") from error
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), where) from error
    except FileExistsError:
        raise
    except PermissionError as error:
        raise AuditError(
            f"{where}: no permission to {doing}; check the credentials that the store's own tools "
            "use"
        ) from error
    except Exception as error:
        if not _is_of_a_store(error):
            raise
        if "Credential" in type(error).__name__:
            raise AuditError(
                f"{where}: no credentials for the store; set them where its own tools look, as in "
                "the environment"
            ) from error
        raise AuditError(
            f"{where}: the store cannot be reached or refuses ({_kind(error)}); run the same "
            "command again, it continues where it stopped"
        ) from error


def _is_of_a_store(error: Exception) -> bool:
    package = type(error).__module__.partition(".")[0]
    return isinstance(error, (OSError, TimeoutError)) or package in _SPEAKERS


def _kind(error: Exception) -> str:
    """Return what kind of error it is, with the code of the store's answer where there is one."""
    response = getattr(error, "response", None)
    answer = response.get("Error", {}) if isinstance(response, dict) else {}
    code = answer.get("Code") or errno.errorcode.get(getattr(error, "errno", None) or 0)
    return f"{type(error).__name__} {code}" if isinstance(code, str) else type(error).__name__
