"""Image records: stored once, the best kept, listed as missing, read back byte for byte."""

from __future__ import annotations

import itertools
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import audit_samples as samples
import numpy as np
import pyarrow as pa
import pytest
from audit_samples import failed, made, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portrayal.audit import AuditFolder
from portrayal.audit.keys import image_keys
from portrayal.errors import AuditError
from portrayal.records import ImageRecord, image_key


def statuses(audit: AuditFolder) -> dict[tuple[str, int], str]:
    rows = audit.images().select("prompt, seed, status").fetchall()
    assert len(rows) == len({row[:2] for row in rows})
    return {(prompt, seed): status for prompt, seed, status in rows}


# --- validation ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (ImageRecord("a", 0, "ok"), "status ok without image bytes"),
        (ImageRecord("a", 0, "failed", data=b"x"), "status failed with image bytes"),
        (ImageRecord("a", 0, "done"), "status 'done' is unknown; allowed: ok, refused, failed"),  # type: ignore[arg-type]
        (ImageRecord("a", -1, "failed"), "a seed is a whole number"),
        (ImageRecord("a", 2**63, "failed"), "a seed is a whole number"),
    ],
)
def test_records_that_make_no_sense_are_refused(
    audit: AuditFolder, record: ImageRecord, says: str
) -> None:
    with pytest.raises(AuditError) as caught:
        audit.append_images([made("b", 0), record])
    assert says in str(caught.value)
    assert samples.image_parts(audit) == []


@pytest.mark.parametrize("prompt", ["a \ud83d photo", "\udc80", "photo of \udfff\ud800"])
def test_half_a_character_pair_is_one_clear_line(audit: AuditFolder, prompt: str) -> None:
    for attempt in (
        lambda: audit.append_images([made(prompt, 0)]),
        lambda: audit.missing([(prompt, 1)]),
        lambda: audit.append_images([ImageRecord("a", 0, "failed", factors={"x": prompt})]),
    ):
        with pytest.raises(AuditError, match="lone surrogate") as caught:
            attempt()
        assert "\n" not in str(caught.value)
        str(caught.value).encode("utf-8")  # can be printed
    assert samples.image_parts(audit) == []


def test_a_reason_that_cannot_be_encoded_never_stops_a_run(audit: AuditFolder) -> None:
    audit.append_images([failed("a", 0, "bad name: \udc80.png")])
    assert audit.images().select("reason").fetchall() == [("bad name: \\udc80.png",)]


# --- known answers ---------------------------------------------------------------------------


def test_a_record_comes_back_as_it_was(audit: AuditFolder) -> None:
    data = samples.image(7, "WEBP")
    record = ImageRecord(
        "a nurse",
        3,
        "ok",
        data=data,
        width=8,
        height=6,
        path="x.webp",
        factors={"b": "2", "a": "1"},
    )
    assert audit.append_images([record]) == 1
    row = audit.images(with_bytes=True).to_arrow_table().to_pylist()[0]
    assert row.pop("made_at").tzinfo is None
    assert json.loads(row.pop("factors")) == {"a": "1", "b": "2"}
    assert row == {
        "key": image_key(samples.GENERATOR, "a nurse", 3),
        "prompt": "a nurse",
        "seed": 3,
        "status": "ok",
        "reason": None,
        "image": {"bytes": data, "path": "x.webp"},
        "width": 8,
        "height": 6,
        "revised_prompt": None,
        "response": None,
        "pixel_hash": None,
        "coarse_pixels": None,
    }


def test_keys_are_those_of_image_key() -> None:
    requests = [("a", 0), ("a", 1), ("ü\n", 2**62), ("", 5)]
    expected = [image_key(samples.GENERATOR, prompt, seed) for prompt, seed in requests]
    assert image_keys(samples.GENERATOR, requests) == expected


def test_what_is_present_is_not_stored_again(audit: AuditFolder) -> None:
    assert audit.append_images([made("a", 0), refused("a", 1), failed("a", 2)]) == 3
    assert audit.append_images([made("a", 0), made("a", 1), made("a", 2), made("a", 3)]) == 1
    assert audit.append_images([]) == 0
    assert sorted(samples.raw_rows(audit)) == [
        ("a", 0, "ok"), ("a", 1, "refused"), ("a", 2, "failed"), ("a", 3, "ok"),
    ]  # fmt: skip


def test_doubles_within_one_call_are_stored_once_and_the_best_of_them(audit: AuditFolder) -> None:
    assert audit.append_images([failed("a", 0), made("a", 0), refused("a", 0)]) == 1
    assert samples.raw_rows(audit) == [("a", 0, "ok")]


@pytest.mark.parametrize("second", [made("a", 0), refused("a", 0)])
def test_a_failed_image_made_again_is_ok(audit: AuditFolder, second: ImageRecord) -> None:
    audit.append_images([failed("a", 0)])
    assert audit.append_images([second], again=True) == 1
    assert audit.append_images([failed("a", 0)], again=True) == 0
    assert audit.append_images([made("a", 0)], again=True) == 0
    assert statuses(audit) == {("a", 0): second.status}
    assert len(samples.raw_rows(audit)) == 2


@pytest.mark.parametrize("order", list(itertools.permutations(["ok", "refused", "failed"])))
def test_the_best_row_counts_in_whatever_order_it_came(
    audit: AuditFolder, order: tuple[str]
) -> None:
    for status in order:
        data = samples.image() if status == "ok" else None
        samples.write_regardless(audit, [ImageRecord("a", 0, status, data=data)])  # type: ignore[arg-type]
    assert len(samples.raw_rows(audit)) == 3
    assert statuses(audit) == {("a", 0): "ok"}
    rows = audit.images(with_bytes=True).select("status, image.bytes").fetchall()
    assert rows == [("ok", samples.image())]
    key = image_key(samples.GENERATOR, "a", 0)
    assert audit.read_images([key]) == {key: samples.image()}
    assert list(audit.unmeasured_images(samples.ENCODER)) == [[(key, samples.image())]]


def test_read_images_gives_bytes_of_those_that_are_ok(audit: AuditFolder) -> None:
    many = [made(f"p{i}", 0, samples.image(i)) for i in range(250)]
    for start in range(0, 250, 120):
        audit.append_images([*many[start : start + 120], failed(f"f{start}", 0)])
    keys = dict(audit.images().select("prompt, key").fetchall())
    asked = [keys["p3"], keys["p130"], keys["p249"], keys["f0"], "unknown"]
    assert audit.read_images(asked) == {
        keys["p3"]: samples.image(3),
        keys["p130"]: samples.image(130),
        keys["p249"]: samples.image(249),
    }
    assert audit.read_images([]) == {}


def test_unmeasured_images_come_in_batches_once_and_only_of_the_prompts(audit: AuditFolder) -> None:
    audit.append_images([made("a", i) for i in range(5)])
    audit.append_images([made("b", i) for i in range(3)] + [refused("b", 9)])
    batches = list(audit.unmeasured_images(samples.ENCODER, batch=3))
    assert [len(batch) for batch in batches] == [3, 3, 2]
    pairs = dict(itertools.chain.from_iterable(batches))
    assert len(pairs) == 8
    assert pairs == audit.read_images(list(pairs))
    only = list(audit.unmeasured_images(samples.ENCODER, prompts=["b", "c"]))
    assert len(only) == 1
    assert len(only[0]) == 3


# --- missing ---------------------------------------------------------------------------------


def test_missing_is_wanted_minus_present_in_the_order_wanted(audit: AuditFolder) -> None:
    audit.append_images([made("b", 0), failed("b", 2), refused("a", 1), made("c", 0)])
    wanted = [("b", 4), ("none", 0), ("a", 2), ("b", 3), ("d", 1)]
    expected = [("b", 1), ("b", 3), ("a", 0), ("d", 0)]
    assert pairs(audit.missing(wanted)) == expected
    expected.insert(1, ("b", 2))
    assert pairs(audit.missing(wanted, retry_failed=True)) == expected
    assert pairs(audit.missing([])) == []
    assert audit.missing([]).schema.names == ["prompt", "seed"]


def pairs(table: pa.Table) -> list[tuple[str, int]]:
    return list(zip(table["prompt"].to_pylist(), table["seed"].to_pylist(), strict=True))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_missing_agrees_with_sets(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    prompt = st.sampled_from(["", "a", "b", "ü", "a\nb", "\x00"])
    present = data.draw(
        st.lists(
            st.tuples(prompt, st.integers(0, 6), st.sampled_from(["ok", "failed"])), max_size=12
        )
    )
    wanted = data.draw(st.lists(st.tuples(prompt, st.integers(0, 6)), max_size=6))
    retry = data.draw(st.booleans())
    audit = AuditFolder.at(tmp_path_factory.mktemp("audit"), samples.GENERATOR)
    for name, seed, status in present:
        audit.append_images([made(name, seed) if status == "ok" else failed(name, seed)])
    held = {pair for pair, status in statuses(audit).items() if not (retry and status == "failed")}
    expected = {(p, seed) for p, n in wanted for seed in range(n)} - held
    got = pairs(audit.missing(wanted, retry_failed=retry))
    assert set(got) == expected
    assert len(got) == len(expected)


def test_generation_by_missing_ends(audit: AuditFolder) -> None:
    wanted = [("a", 3), ("b", 2)]
    audit.append_images([made(prompt, seed) for prompt, seed in pairs(audit.missing(wanted))])
    assert pairs(audit.missing(wanted)) == []


# --- invariants ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        " ",
        "عامل في المستشفى",
        "日本の看護師 👩🏽‍⚕️",
        "null\x00byte",
        "line\nbreak\r\ttab",
        "'; DROP TABLE images; --",
        '"quoted"',
        "é" + "é",
        "\u202eright to left",
        "x" * 100_000,
        "🙂" * 25_000,
    ],
    ids=range(12),
)
def test_any_prompt_survives(audit: AuditFolder, prompt: str) -> None:
    audit.append_images([made(prompt, 0)])
    fresh = AuditFolder(audit.path)
    assert fresh.images().select("prompt").fetchall() == [(prompt,)]
    assert pairs(fresh.missing([(prompt, 2)])) == [(prompt, 1)]
    assert fresh.append_images([made(prompt, 0)]) == 0


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "it's",
        'say "hi"',
        "[ab]",
        "x*",
        "why?",
        "a=b",
        "{a,b}",
        "ünï-漢字",
        "%20",
        "#1",
        "a;b",
        "$HOME",
    ],
)
def test_any_folder_name_works(tmp_path: Path, name: str) -> None:
    (tmp_path / "b").mkdir()  # what `[ab]` would match as a pattern
    audit = AuditFolder.at(tmp_path / name, samples.GENERATOR)
    audit.append_images([made("a", 0)])
    audit.append_images([failed("a", 1)])
    audit.append_images([made("a", 1)], again=True)
    table = audit.images(with_bytes=True).to_arrow_table()
    assert table.num_rows == 2
    assert table.column_names == audit.images(with_bytes=True).columns
    assert len(audit.read_images(table["key"].to_pylist())) == 2
    assert len(audit.images().df()) == 2


def test_two_open_audits_see_each_others_rows(audit: AuditFolder) -> None:
    other = AuditFolder(audit.path)
    audit.append_images([made("a", 0)])
    assert other.append_images([made("a", 0), made("a", 1)]) == 1
    assert audit.append_images([made("a", 1)]) == 0
    assert len(statuses(audit)) == 2


def test_a_relation_shows_the_folder_as_it_was(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    before = audit.images()
    audit.append_images([made("a", 1)])
    assert len(before.fetchall()) == 1
    assert len(before.fetchall()) == 1  # may be used again
    assert len(audit.images().fetchall()) == 2


def test_relations_join(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0), made("b", 0)])
    one = audit.images().set_alias("one")
    two = audit.images(with_bytes=True).set_alias("two")
    assert len(one.join(two, "one.key = two.key").fetchall()) == 2


def test_an_append_does_not_read_the_folder_again(
    audit: AuditFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from portrayal.audit import parts

    reads = []
    original = parts.read_part
    monkeypatch.setattr(parts, "read_part", lambda *a: reads.append(a[0].name) or original(*a))
    for seed in range(10):
        audit.append_images([made("a", seed)])
    assert reads == []
    AuditFolder(audit.path).append_images([made("b", 0)])
    reads.clear()
    audit.append_images([made("c", 0)])
    assert len(reads) == 1  # what the other one wrote


def test_threads_share_an_audit(audit: AuditFolder) -> None:
    audit.append_images([made("a", seed) for seed in range(20)])
    start = threading.Barrier(8)

    def work(number: int) -> tuple[int, int]:
        start.wait()
        stored = 0
        for round_ in range(5):
            stored += audit.append_images([made("a", round_), made(f"t{number}", round_)])
            ours = audit.images().filter(f"prompt = 't{number}'")
            joined = ours.set_alias("x").join(audit.images().set_alias("y"), "x.key = y.key")
            assert len(joined.fetchall()) == round_ + 1
            assert len(audit.images(with_bytes=True).select("image.bytes").fetchall()) >= 20
        return stored, len(audit.read_images([image_key(audit.generator, f"t{number}", 4)]))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [(5, 1)] * 8
    assert len(samples.raw_rows(audit)) == len(set(samples.raw_rows(audit))) == 60


def test_an_audit_can_be_pickled(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    assert pickle.loads(pickle.dumps(audit)).images().df()["prompt"].tolist() == ["a"]  # noqa: S301


# --- degenerate ------------------------------------------------------------------------------


def test_an_empty_audit_has_empty_relations(audit: AuditFolder) -> None:
    assert audit.images().fetchall() == []
    assert audit.images(with_bytes=True).fetchall() == []
    assert audit.images().columns == [
        c for c in audit.images(with_bytes=True).columns if c not in ("image", "coarse_pixels")
    ]
    assert list(audit.unmeasured_images(samples.ENCODER)) == []
    assert audit.read_images(["x"]) == {}
    keys, matrix = audit.embeddings(samples.ENCODER)
    assert keys == []
    assert matrix.shape == (0, 0)
    assert matrix.dtype == np.float32
