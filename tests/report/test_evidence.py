"""Images as evidence: the same seeds of several prompts stand together."""

from __future__ import annotations

from pathlib import Path

from label_measurers import png
from portrayal.audit import AuditFolder
from portrayal.records import Identity, ImageRecord
from portrayal.report.evidence import ROWS_OF_SEEDS, SEEDS, Evidence, ShownLabel, caption


def test_prompts_with_the_same_seeds_stand_together(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("test", "colours"))
    changed = [f"a nurse, changed {i}" for i in range(ROWS_OF_SEEDS)]
    seeds = {"a nurse": range(10, 20), "a chef": range(50, 60)}
    seeds |= {prompt: range(10, 20) for prompt in changed}
    audit.append_images(
        [
            ImageRecord(prompt, seed, "ok", None, png("man"))
            for prompt, own in seeds.items()
            for seed in own
            if (prompt, seed) != (changed[0], 11)  # refused there
        ]
    )
    evidence = Evidence(audit, (), seeds, at_most=1000)
    [group] = evidence.same_seeds(seeds, at_most=5)
    assert list(group.prompts) == ["a nurse", *changed[: ROWS_OF_SEEDS - 1]]
    assert group.hidden == 1
    assert list(group.seeds) == [10, *range(12, 10 + SEEDS)], "only seeds that all of them have"
    for prompt in group.prompts:
        assert [image.seed for image in group.images[prompt]] == list(group.seeds)
        assert {image.prompt for image in group.images[prompt]} == {prompt}


def test_numbers_of_imported_images_are_no_random_starts(tmp_path: Path) -> None:
    """Two photographs with the number 0 have nothing in common."""
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "photographs"))
    audit.append_images(
        [ImageRecord(prompt, 0, "ok", None, png("man")) for prompt in ("staff", "guests")]
    )
    prompts = ("staff", "guests")
    evidence = Evidence(audit, (), prompts, at_most=1000)
    assert evidence.same_seeds(prompts, at_most=5) == []
    assert not evidence.seeds_decide


def test_an_unknown_label_names_its_axis_and_no_probability() -> None:
    labels = [
        ShownLabel("perceived gender", "faces", "man", 0.99),
        ShownLabel("skin tone", "faces", "unknown", 1.0),
    ]
    assert caption(labels) == "man 99% · skin tone unknown"


def test_a_caption_names_the_axis_of_unknown_only_where_there_are_several() -> None:
    def label(axis: str, said: str) -> ShownLabel:
        return ShownLabel(axis, "m", said, None)

    two = [label("perceived gender (work)", "unknown"), label("perceived gender (all)", "man")]
    assert caption(two) == "unknown · man"
    other = [label("perceived gender", "woman"), label("skin tone", "unknown")]
    assert caption(other) == "woman · skin tone unknown"


def test_captions_name_several_measurers_and_say_how_many_raters_agree() -> None:
    machine = ShownLabel("perceived gender", "MyTool", "man", 1.0)
    people = ShownLabel("perceived gender", "raters", "woman", None, raters=3, agreeing=2)
    assert caption([machine]) == "man 100%"
    assert caption([machine, people]) == "MyTool: man 100%; raters: woman 2 of 3"
    assert people.support_text == "2 of 3 raters"
    one = ShownLabel("perceived gender", "raters", "woman", None, raters=1, agreeing=1)
    assert caption([one]) == "raters: woman"
    assert one.support_text == "1 rater"
    divided = ShownLabel("perceived gender", "raters", "unknown", None, raters=2, agreeing=0)
    assert caption([divided]) == "raters: unknown"
    assert divided.support_text == "0 of 2 raters"
