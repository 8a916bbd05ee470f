"""What became of the images that were asked for: images, refusals, failures, other sizes."""

from __future__ import annotations

from collections import Counter

from portrayal.audit import parts
from portrayal.audit.documents import IDENTITY
from portrayal.audit.files import quoted
from portrayal.audit.folder import AuditFolder
from portrayal.audit.wants import Wanted
from portrayal.records import Request, Status


def reasons(audit: AuditFolder, status: Status) -> list[tuple[str, int]]:
    """Return why images were refused, or failed, each reason with its number, commonest first."""
    some = audit.images().filter(f"status = '{status}'")
    counts = some.aggregate("reason, count(*) as n").order("n desc, reason")
    return [(str(reason), int(n)) for reason, n in counts.fetchall()]


def without_image(audit: AuditFolder, wanted: Wanted) -> Counter[str]:
    """Count wanted images that were asked for in vain, by status."""
    rows = audit.images().filter("status <> 'ok'").select("prompt, seed, status").fetchall()
    return Counter(str(status) for p, seed, status in rows if Request(p, seed) in wanted)


def of_other_size(audit: AuditFolder) -> int:
    """Count images that are not of the size that a service was asked for."""
    model = audit.generator
    asked = model.settings.get("size") if model.kind == "api" else None
    if asked is None:
        return 0
    width, _, height = str(asked).partition("x")
    other = f"status = 'ok' and (width <> {int(width)} or height <> {int(height)})"
    return int(audit.images().filter(other).count("*").fetchall()[0][0])


def gaps(audit: AuditFolder) -> list[str]:
    """Say what is gone from an audit, as far as what is left of it tells."""
    where = quoted(audit.path)
    folders = sorted({file.parent for file in audit.path.glob(f"measurements/*/*{parts.SUFFIX}")})
    found = [
        f"measurements/{folder.name}: its {IDENTITY} is missing, so nothing in it is counted; "
        f"measure again with the same measurer, or: portrayal repair {where}"
        for folder in folders
        if not (folder / IDENTITY).exists()
    ]
    images = audit.images().select("key")
    for one in audit.measurers():
        lost = audit.measurements(one, columns=["key"]).join(images, "key", how="anti")
        if n := int(lost.count("*").fetchall()[0][0]):
            found.append(
                f"the audit lacks {n:,} of the images that {one.name} measured: parts of images/ "
                f"are gone; restore them, or generate them again; details: portrayal verify {where}"
            )
    return found
