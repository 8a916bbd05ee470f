from __future__ import annotations

import io
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.audit.parts import each_part, part_names
from portrayal.errors import AuditError, GenerationError, PromptTooLong
from portrayal.generators import GenerationSummary, generate
from portrayal.generators.writer import store_records
from portrayal.loading.attempts import Patience
from portrayal.records import GeneratedImage, Identity, ImageRecord, Request, Status, image_key
from toy_generators import ColourGenerator

PATIENT = Patience(sleep=lambda seconds: None)


def new_audit(folder: Path) -> AuditFolder:
    return AuditFolder.at(folder / "audit", ColourGenerator().identity)


def rows(audit: AuditFolder) -> dict[tuple[str, int], tuple[str, str | None]]:
    found = audit.images().select("prompt, seed, status, reason").fetchall()
    return {(prompt, seed): (status, reason) for prompt, seed, status, reason in found}


def test_wanted_images_are_made_under_their_keys(tmp_path: Path) -> None:
    audit, generator = new_audit(tmp_path), ColourGenerator(batch_size=4)
    summary = generate(audit, generator, [("a", 5), ("b", 2)])
    assert summary == GenerationSummary(made=7)
    keys = {row[0] for row in audit.images().select("key").fetchall()}
    assert keys == {
        image_key(generator.identity, prompt, seed)
        for prompt, n in (("a", 5), ("b", 2))
        for seed in range(n)
    }
    assert [len(batch) for batch in generator.batches] == [4, 3]
    assert len(part_names(audit.path / "images")) == 2, "each batch is one part"


def test_stored_images_are_the_ones_that_were_made(tmp_path: Path) -> None:
    audit, generator = new_audit(tmp_path), ColourGenerator()
    generate(audit, generator, [("a", 6)])
    for seed in range(6):
        key = image_key(generator.identity, "a", seed)
        stored = Image.open(io.BytesIO(audit.read_images([key])[key]))
        made = generator.generate([Request("a", seed)])[0].image
        assert np.array_equal(np.asarray(stored), np.asarray(made))
        assert stored.format == "PNG"


def test_a_second_run_makes_only_what_is_new(tmp_path: Path) -> None:
    audit = new_audit(tmp_path)
    generate(audit, ColourGenerator(), [("a", 4), ("b", 4)])
    generator = ColourGenerator()
    summary = generate(audit, generator, [("a", 6), ("b", 4), ("a", 2), ("c", 1)])
    assert summary == GenerationSummary(made=3, present=8)
    assert [request for batch in generator.batches for request in batch] == [
        Request("a", 4),
        Request("a", 5),
        Request("c", 0),
    ]
    assert generate(audit, generator, [("a", 6)]) == GenerationSummary(present=6)


def test_no_batch_holds_a_request_twice(tmp_path: Path) -> None:
    generator = ColourGenerator(batch_size=16)
    generate(new_audit(tmp_path), generator, [("a", 3), ("a", 5), ("a", 5)])
    assert Counter(r for batch in generator.batches for r in batch) == Counter(
        Request("a", seed) for seed in range(5)
    )


def test_refusals_are_data(tmp_path: Path) -> None:
    audit = new_audit(tmp_path)
    summary = generate(audit, ColourGenerator(), [("a", 2), ("refuse this", 2)])
    assert summary == GenerationSummary(made=2, refused=2)
    assert rows(audit)["refuse this", 1] == ("refused", "policy")
    assert generate(audit, ColourGenerator(), [("refuse this", 2)]).present == 2


def test_only_the_guilty_request_is_recorded_as_failed(tmp_path: Path) -> None:
    def fail(requests: Sequence[Request]) -> None:
        if Request("a", 2) in requests:
            raise RuntimeError("bad seed\ndetails")

    audit = new_audit(tmp_path)
    summary = generate(audit, ColourGenerator(before=fail), [("a", 6)], patience=PATIENT)
    assert summary == GenerationSummary(made=5, failed=1)
    assert rows(audit)["a", 2] == ("failed", "RuntimeError: bad seed")


def test_failed_requests_are_made_again_when_asked(tmp_path: Path) -> None:
    def fail(requests: Sequence[Request]) -> None:
        if Request("a", 2) in requests:
            raise RuntimeError("bad seed")

    audit = new_audit(tmp_path)
    generate(audit, ColourGenerator(before=fail), [("a", 4)], patience=PATIENT)
    assert generate(audit, ColourGenerator(), [("a", 4)]) == GenerationSummary(present=4)
    again = generate(audit, ColourGenerator(), [("a", 4)], retry_failed=True)
    assert again == GenerationSummary(made=1, present=3)
    assert rows(audit)["a", 2] == ("ok", None)
    assert len(rows(audit)) == 4


def test_what_another_process_stored_first_is_told_from_what_was_stored(tmp_path: Path) -> None:
    def answer(seed: int, status: Status) -> ImageRecord:
        data = b"image" if status == "ok" else None
        return ImageRecord("a", seed, status, None if data else "why", data)

    audit = new_audit(tmp_path)
    store_records(audit, [answer(0, "ok"), answer(1, "refused"), answer(2, "failed")], again=False)
    ours = [answer(seed, "refused") for seed in range(4)] + [answer(4, "ok"), answer(5, "failed")]
    assert store_records(audit, ours, again=False) == {
        "refused": 1, "ok": 1, "failed": 1, "elsewhere": 3
    }  # fmt: skip
    tried = [answer(2, "failed"), answer(5, "ok"), answer(1, "ok")]
    assert store_records(audit, tried, again=True) == {"ok": 1, "failed": 1, "elsewhere": 1}


def test_what_passes_is_waited_for(tmp_path: Path) -> None:
    waits: list[float] = []
    calls = iter(range(100))

    def fail_twice(requests: Sequence[Request]) -> None:
        if next(calls) < 2:
            raise ConnectionError("later")

    summary = generate(
        new_audit(tmp_path),
        ColourGenerator(before=fail_twice),
        [("a", 4)],
        patience=Patience(sleep=waits.append),
    )
    assert summary == GenerationSummary(made=4)
    assert waits == [1.0, 2.0]


def test_a_full_memory_makes_batches_smaller(tmp_path: Path) -> None:
    def fits_three(requests: Sequence[Request]) -> None:
        if len(requests) > 3:
            raise RuntimeError("CUDA out of memory")

    generator = ColourGenerator(batch_size=8, before=fits_three)
    assert generate(new_audit(tmp_path), generator, [("a", 14)]) == GenerationSummary(made=14)
    assert [len(batch) for batch in generator.batches] == [8, 4, 2, 2, 2, 2, 2, 2, 2]


def test_a_broken_model_stops_the_run_and_blames_no_request(tmp_path: Path) -> None:
    broken = threading.Event()

    def fail(requests: Sequence[Request]) -> None:
        if broken.is_set():
            raise RuntimeError("device-side assert")
        if Request("a", 7) in requests:
            broken.set()

    audit = new_audit(tmp_path)
    with pytest.raises(GenerationError, match=r"3 batches .* device-side assert"):
        generate(audit, ColourGenerator(before=fail), [("a", 100)], patience=PATIENT)
    assert len(rows(audit)) == 8, "what was made before is there"
    assert {status for status, _ in rows(audit).values()} == {"ok"}
    assert generate(audit, ColourGenerator(), [("a", 100)]).made == 92


def test_two_batches_that_fail_wholly_are_recorded_once_a_later_one_succeeds(
    tmp_path: Path,
) -> None:
    def fail(requests: Sequence[Request]) -> None:
        if any(request.seed < 8 for request in requests):
            raise RuntimeError("not these")

    audit = new_audit(tmp_path)
    summary = generate(audit, ColourGenerator(before=fail), [("a", 12)], patience=PATIENT)
    assert summary == GenerationSummary(made=4, failed=8)


def test_a_run_in_which_all_fails_records_it(tmp_path: Path) -> None:
    def fail(requests: Sequence[Request]) -> None:
        raise RuntimeError("never")

    audit = new_audit(tmp_path)
    summary = generate(audit, ColourGenerator(before=fail), [("a", 2)], patience=PATIENT)
    assert summary == GenerationSummary(failed=2)


def test_images_that_a_generator_calls_failed_count_as_failures(tmp_path: Path) -> None:
    class Nan(ColourGenerator):
        def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
            return [GeneratedImage.failed("NaN")] * len(requests)

    with pytest.raises(GenerationError, match="NaN"):
        generate(new_audit(tmp_path), Nan(), [("a", 40)])


def test_prompts_are_checked_before_anything_is_made(tmp_path: Path) -> None:
    class Short(ColourGenerator):
        def check(self, prompts: object) -> int:
            raise PromptTooLong("too long")

    audit, generator = new_audit(tmp_path), Short()
    with pytest.raises(PromptTooLong):
        generate(audit, generator, [("a", 4)])
    assert generator.batches == []
    assert rows(audit) == {}


def test_the_generator_must_be_the_audits(tmp_path: Path) -> None:
    generator = ColourGenerator()
    audit = new_audit(tmp_path)
    generator.identity = Identity("colour", "colours", {"size": 16})
    with pytest.raises(AuditError, match="size is 8 here, got 16"):
        generate(audit, generator, [("a", 1)])


def test_an_error_of_the_writer_stops_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit, generator = new_audit(tmp_path), ColourGenerator(pause=0.01)

    def full(records: object, *, again: bool) -> Counter[str]:
        raise AuditError("the disk is full")

    monkeypatch.setattr(audit, "append_counted", full)
    with pytest.raises(AuditError, match="the disk is full"):
        generate(audit, generator, [("a", 4000)])
    assert len(generator.batches) < 50


def test_a_slow_disk_holds_the_loop_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit, generator = new_audit(tmp_path), ColourGenerator()
    append = audit.append_counted
    ahead = []

    def slow(records: Sequence[object], *, again: bool) -> Counter[str]:
        time.sleep(0.05)
        ahead.append(len(generator.batches))
        return append(records, again=again)  # type: ignore[arg-type]

    monkeypatch.setattr(audit, "append_counted", slow)
    generate(audit, generator, [("a", 40)])
    assert max(batch - stored for stored, batch in enumerate(ahead)) <= 5


def test_ctrl_c_stores_what_is_done(tmp_path: Path) -> None:
    def interrupt(requests: Sequence[Request]) -> None:
        if Request("a", 20) in requests:
            raise KeyboardInterrupt

    audit = new_audit(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        generate(audit, ColourGenerator(before=interrupt), [("a", 100)])
    assert set(rows(audit)) == {("a", seed) for seed in range(20)}
    ours = ("portrayal-write", "portrayal-encode")
    assert not [t for t in threading.enumerate() if t.name.startswith(ours)]


def test_what_another_process_makes_meanwhile_is_not_made_again(tmp_path: Path) -> None:
    audit = new_audit(tmp_path)

    def other(requests: Sequence[Request]) -> None:
        if Request("a", 0) in requests:
            generate(AuditFolder(audit.path), ColourGenerator(), [("a", 8)])

    generator = ColourGenerator(batch_size=2, before=other)
    summary = generate(audit, generator, [("a", 10)])
    assert generator.batches == [
        [Request("a", 0), Request("a", 1)],
        [Request("a", 8), Request("a", 9)],
    ]
    assert summary == GenerationSummary(made=2, present=8)
    keys = [key for part in each_part(audit.path / "images", ["key"]) for key in part["key"]]
    assert len(keys) == len(set(keys)) == 10


def test_progress_rises_to_the_total(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    audit = new_audit(tmp_path)
    generate(audit, ColourGenerator(), [("a", 2)])
    generate(audit, ColourGenerator(), [("a", 12)], on_progress=lambda *now: seen.append(now))
    assert seen == [(2, 12), (6, 12), (10, 12), (12, 12), (12, 12)]


def test_images_are_shown_in_memory_once_they_are_stored(tmp_path: Path) -> None:
    audit = new_audit(tmp_path)
    generate(audit, ColourGenerator(), [("a", 1)])
    shown: list[tuple[Request, GeneratedImage]] = []

    def show(batch: Sequence[tuple[Request, GeneratedImage]]) -> None:
        assert {("a", request.seed) for request, _ in batch} <= set(rows(AuditFolder(audit.path)))
        shown.extend(batch)

    generate(audit, ColourGenerator(), [("a", 6)], on_stored=show)
    assert [request for request, _ in shown] == [Request("a", seed) for seed in range(1, 6)]
    assert all(image.image is not None for _, image in shown)


def test_images_that_another_process_stored_first_are_not_shown(tmp_path: Path) -> None:
    audit = new_audit(tmp_path)

    def other(requests: Sequence[Request]) -> None:
        generate(AuditFolder(audit.path), ColourGenerator(), [("a", 4)])

    shown: list[object] = []
    generate(audit, ColourGenerator(before=other), [("a", 4)], on_stored=shown.extend)
    assert shown == []


def test_nothing_wanted(tmp_path: Path) -> None:
    assert generate(new_audit(tmp_path), ColourGenerator(), []) == GenerationSummary()
    assert generate(new_audit(tmp_path), ColourGenerator(), [("a", 0)]) == GenerationSummary()


def test_summaries_say_what_happened() -> None:
    full = GenerationSummary(made=1200, refused=3, failed=2, present=7, truncated=1)
    assert full.sentence() == (
        "1,200 images generated, 7 reused, 3 refused by the model, 2 failed (`retry_failed` tries "
        "again), 1 prompts cut to the text window"
    )
    before = GenerationSummary(failed_before=4)
    assert before.sentence() == (
        "0 images generated, 0 reused, 4 failed before (`retry_failed` tries again)"
    )
    assert GenerationSummary(made=1).sentence() == "1 images generated, 0 reused"
    assert full.as_dict()["refused"] == 3
