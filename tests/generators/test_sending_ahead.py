"""Batches that are sent while the one before is still being made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from portrayal.audit import AuditFolder
from portrayal.generators import compilation, generate, open_generator
from portrayal.loading.attempts import Patience
from portrayal.records import GeneratedImage, Request
from toy_generators import ColourGenerator

CALM = Patience(sleep=lambda _: None)


class Far(ColourGenerator):
    """Makes images when they are waited for, as a GPU that works through its queue.

    Args:
        on_begin: Called with every batch that is sent; may raise.
        on_wait: Called with every batch that is waited for; may raise.
    """

    works_ahead = True

    def __init__(
        self,
        *,
        on_begin: Callable[[Sequence[Request]], None] = lambda requests: None,
        on_wait: Callable[[Sequence[Request]], None] = lambda requests: None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.events: list[tuple[str, int]] = []
        self._on_begin, self._on_wait = on_begin, on_wait

    def begin(self, requests: Sequence[Request]) -> Callable[[], list[GeneratedImage]]:
        self.events.append(("begin", requests[0].seed))
        self._on_begin(requests)

        def wait() -> list[GeneratedImage]:
            self.events.append(("wait", requests[0].seed))
            self._on_wait(requests)
            return [self._image(request) for request in requests]

        return wait


def stored(audit: AuditFolder) -> dict[int, bytes]:
    rows = audit.images(with_bytes=True).select("seed, image.bytes").fetchall()
    return dict(rows)


def plain(tmp_path: Path, wanted: Any) -> dict[int, bytes]:
    audit = AuditFolder.at(tmp_path / "plain", ColourGenerator().identity)
    generate(audit, ColourGenerator(), wanted)
    return stored(audit)


def new_audit(tmp_path: Path) -> AuditFolder:
    return AuditFolder.at(tmp_path / "audit", ColourGenerator().identity)


def test_a_batch_is_sent_before_the_last_one_is_waited_for(tmp_path: Path) -> None:
    audit, generator = new_audit(tmp_path), Far()
    progress: list[int] = []
    summary = generate(
        audit, generator, [("a", 14)], on_progress=lambda done, _: progress.append(done)
    )
    assert summary.made == 14
    assert generator.events == [
        ("begin", 0), ("begin", 4), ("wait", 0), ("begin", 8), ("wait", 4), ("begin", 12),
        ("wait", 8), ("wait", 12),
    ]  # fmt: skip
    assert not generator.batches
    assert progress == [0, 4, 8, 12, 14, 14]
    assert stored(audit) == plain(tmp_path, [("a", 14)])


@pytest.mark.parametrize("where", ["on_begin", "on_wait"])
def test_what_goes_wrong_ahead_is_made_the_plain_way(tmp_path: Path, where: str) -> None:
    def fail(requests: Sequence[Request]) -> None:
        if requests[0].seed == 4:
            raise RuntimeError("the device hiccuped")

    audit, generator = new_audit(tmp_path), Far(**{where: fail})
    assert generate(audit, generator, [("a", 14)], patience=CALM).made == 14
    assert [batch[0].seed for batch in generator.batches] == [4]
    assert stored(audit) == plain(tmp_path, [("a", 14)])


def test_memory_that_runs_out_ahead_makes_batches_smaller(tmp_path: Path) -> None:
    def fail(requests: Sequence[Request]) -> None:
        if len(requests) > 2:
            raise MemoryError

    audit = new_audit(tmp_path)
    generator = Far(on_begin=fail, before=fail)
    assert generate(audit, generator, [("a", 14)], patience=CALM).made == 14
    assert stored(audit) == plain(tmp_path, [("a", 14)])
    assert ("wait", 12) in generator.events  # once batches fit, they are sent ahead again


def test_ctrl_c_while_sending_stores_the_batch_before(tmp_path: Path) -> None:
    def interrupt(requests: Sequence[Request]) -> None:
        if requests[0].seed == 8:
            raise KeyboardInterrupt

    audit, generator = new_audit(tmp_path), Far(on_begin=interrupt)
    with pytest.raises(KeyboardInterrupt):
        generate(audit, generator, [("a", 20)])
    assert sorted(stored(audit)) == list(range(8))
    rest = Far()
    assert generate(audit, rest, [("a", 20)]).made == 12
    assert stored(audit) == plain(tmp_path, [("a", 20)])


def test_a_generator_may_begin_to_work_ahead_in_the_middle(tmp_path: Path) -> None:
    generator = Far()
    generator.works_ahead = False

    def decide(requests: Sequence[Request]) -> None:
        generator.works_ahead = requests[0].seed >= 4

    generator._before = decide
    audit = new_audit(tmp_path)
    assert generate(audit, generator, [("a", 20)]).made == 20
    assert [batch[0].seed for batch in generator.batches] == [0, 4]
    assert [event for event in generator.events if event[0] == "wait"] == [
        ("wait", 8), ("wait", 12), ("wait", 16),
    ]  # fmt: skip
    assert stored(audit) == plain(tmp_path, [("a", 20)])


def test_a_pipeline_gives_the_same_images_either_way(
    sd1: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "BACKEND", "eager")
    generator: Any = open_generator(str(sd1), steps=2, compile="on", batch_size=3)
    assert not generator.works_ahead  # on a CPU nothing is gained
    requests = [Request("a doctor", seed) for seed in range(5)]
    at_once = generator.generate(requests[:3]) + generator.generate(requests[3:])
    waits = [generator.begin(requests[:3]), generator.begin(requests[3:])]
    ahead = [image for wait in waits for image in wait()]
    assert len(ahead) == 5
    for one, other in zip(at_once, ahead, strict=True):
        assert np.array_equal(np.asarray(one.image), np.asarray(other.image))
