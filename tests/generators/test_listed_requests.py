"""Images asked for one by one, with any seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from portrayal.audit import AuditFolder
from portrayal.audit.wants import Wanted
from portrayal.errors import AuditError
from portrayal.generators import generate, open_generator
from portrayal.records import Identity, ImageRecord, Request

NURSE = "a photo of a nurse"
CHEF = "a photo of a chef"


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    return AuditFolder.at(tmp_path / "audit", open_generator("practice:painter").identity)


def listed(requests: list[Request]) -> Wanted:
    return Wanted((one.prompt, (one.seed,)) for one in requests)


def stored(audit: AuditFolder) -> set[tuple[str, int]]:
    return set(audit.images().select("prompt, seed").fetchall())


def test_exactly_the_listed_seeds_are_made(audit: AuditFolder) -> None:
    painter = open_generator("practice:painter")
    wanted = [Request(NURSE, 7), Request(CHEF, 0), Request(NURSE, 1003), Request(NURSE, 7)]
    done: list[tuple[int, int]] = []
    made = generate(
        audit, painter, listed(wanted), on_progress=lambda n, total: done.append((n, total))
    )
    assert (made.made, made.present) == (3, 0)
    assert stored(audit) == {(NURSE, 7), (CHEF, 0), (NURSE, 1003)}
    assert done[-1] == (3, 3)
    again = generate(audit, painter, listed([*wanted, Request(CHEF, 5)]))
    assert (again.made, again.present) == (1, 3)


def test_images_are_shared_with_requests_by_number(audit: AuditFolder) -> None:
    painter = open_generator("practice:painter")
    generate(audit, painter, [(NURSE, 4)])
    made = generate(audit, painter, listed([Request(NURSE, seed) for seed in (2, 3, 4, 5)]))
    assert (made.made, made.present) == (2, 2)


def test_missing_requests_in_order(audit: AuditFolder) -> None:
    wanted = [Request(NURSE, 9), Request(CHEF, 1), Request(NURSE, 2), Request(CHEF, 0)]
    audit.append_images(
        [
            ImageRecord(NURSE, 9, "ok", None, b"x"),
            ImageRecord(CHEF, 0, "refused", "no"),
            ImageRecord(CHEF, 1, "failed", "broken"),
        ]
    )
    assert audit.missing(listed(wanted)).to_pylist() == [{"prompt": NURSE, "seed": 2}]
    assert audit.missing(listed(wanted), retry_failed=True).to_pylist() == [
        {"prompt": NURSE, "seed": 2},
        {"prompt": CHEF, "seed": 1},
    ]
    assert audit.missing([]).num_rows == 0


def test_another_generators_audit_is_refused(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "other", Identity("folder", "x"))
    with pytest.raises(AuditError):
        generate(audit, open_generator("practice:painter"), listed([Request(NURSE, 0)]))
