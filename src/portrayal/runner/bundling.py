"""bundle: one archive with an audit's results and what they follow from; and its verification."""

from __future__ import annotations

import hashlib
import io
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image

from portrayal.audit import (
    AuditFolder,
    VerificationResult,
    copy_to_share,
    quoted,
    verify_folder,
    write_manifest,
)
from portrayal.errors import AuditError, BundleError
from portrayal.findings import Results
from portrayal.pixels import as_rgb, fingerprint
from portrayal.report import write_report
from portrayal.runner.analysis import analyze
from portrayal.runner.recomputation import result_differences
from portrayal.runner.verification import verify_audit
from portrayal.sharing import About, pack, unpack, write_crate


@dataclass(frozen=True, slots=True)
class BundleSummary:
    """A bundle that was written."""

    file: Path
    files: int
    bytes: int
    sha256: str
    """Of the whole file: publish it, so that others can compare."""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "file": str(self.file),
            "files": self.files,
            "bytes": self.bytes,
            "sha256": self.sha256,
        }

    def sentence(self) -> str:
        """Return the summary in words."""
        size = f"{self.bytes / 1e6:.1f} MB"
        return f"{self.file}: {self.files} files, {size}; SHA-256 {self.sha256}"


def bundle(audit: AuditFolder, out: Path, *, about: About | None = None) -> BundleSummary:
    """Write an archive to hand on: results, report, studies, measurements, identities, hashes.

    Findings are recomputed from what the archive contains, and have to be those of the audit.

    Args:
        audit: The audit; nothing in it is changed.
        out: The archive; must not be there yet.
        about: What is stated of it; None: a title alone.

    Raises:
        AuditError: The audit is not whole, or its results are out of date.
        BundleError: The archive cannot be written.
    """
    said = Results.read(audit)
    checked = verify_folder(audit.path, own_manifest=False)
    where = quoted(audit.path)
    if not checked.holds:
        raise AuditError(
            f"{audit.path}: not whole: {checked.problems[0]}; see: portrayal verify {where}"
        )
    stated = about or About(f"How {said.generator.name} portrays people")
    with tempfile.TemporaryDirectory(prefix="portrayal-bundle-") as folder:
        copy = Path(folder) / "bundle"
        copy_to_share(audit.path, copy, images=stated.images, pixel_hash=_pixel_hash)
        shared = AuditFolder(copy)
        results = analyze(shared, settings=said.settings)
        if changed := result_differences(_numbers(said), _numbers(results)):
            raise AuditError(
                f"{audit.path}: results.json is out of date: {changed[0]}; run: portrayal analyze "
                f"{where}"
            )
        write_report(shared, called="AUDIT")
        write_crate(copy, results, stated)
        files = write_manifest(copy).files
        pack(copy, out)
    with out.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return BundleSummary(out, files + 1, out.stat().st_size, digest)


def verify_bundle(file: Path) -> VerificationResult:
    """Check a bundle: every byte, every key, and the findings recomputed from its measurements."""
    with tempfile.TemporaryDirectory(prefix="portrayal-bundle-") as folder:
        try:
            unpack(file, Path(folder))
        except BundleError as error:
            return VerificationResult(file, [str(error)], [])
        found = verify_audit(Path(folder))
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        told = [*found.checked, f"SHA-256 of the bundle: {digest}"]
        return VerificationResult(file, found.problems, told, found.notes)


def _numbers(results: Results) -> Results:
    """Return results without what paths and names of raters may appear in."""
    return replace(results, studies=(), sources=())


def _pixel_hash(data: bytes) -> str | None:
    try:
        with Image.open(io.BytesIO(data)) as image:
            return fingerprint(as_rgb(image)).pixel_hash
    except Exception:  # decoders of damaged bytes raise almost anything; the bytes are left out
        return None
