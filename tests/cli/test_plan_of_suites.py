from __future__ import annotations

import json

from command_line import CommandLine


def test_a_suite_has_a_line_in_which_shared_images_count_once(portrayal: CommandLine) -> None:
    each = json.loads(portrayal("plan", "demo-all", "--json").out)
    assert [one["images"] for one in each] == [192, 128, 144, 84, 64]
    said = portrayal("plan", "demo-all")
    last = said.out.splitlines()[-1]
    assert last.split()[:6] == ["all", "together", "110", "576", "0", "576"]
    assert "images that several studies want are made, and counted, once" in said.err


def test_large_numbers_are_readable_and_the_rate_is_said(portrayal: CommandLine) -> None:
    said = portrayal("plan", "paradox")
    assert "62,248" in said.out
    assert "744,000" in said.out
    assert "all together" not in said.out
    assert said.err == "time at 4 images per second; --rate for yours\n"
    assert "at 0.5 images per second" in portrayal("plan", "paradox", "--rate", "0.5").err
