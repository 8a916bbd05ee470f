"""A service that refuses or rewrites unevenly is found out and blamed for the right thing.

A real HTTP service with planted behaviour, asked through the whole pipeline. What is planted is
invented for the test.
"""

from __future__ import annotations

import base64
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import portrayal as pt
from image_server import ImageServer, image_server
from label_measurers import GENDER, ColourJudge, png
from portrayal.findings import Finding, Findings
from portrayal.studies import Study, named_groups, study_from_dict

JOBS = ["nurse", "engineer", "chef", "librarian", "mechanic", "teacher", "pilot", "baker"]
GROUPS = ("woman", "man")


def study(*, named: bool) -> Study:
    """Return prompts that name a woman, a man, or nobody in particular."""
    words = {"neutral": "", "female": "female ", "male": "male "} if named else {"neutral": ""}
    return study_from_dict(
        {
            "name": "jobs",
            "kind": "composition",
            "images": 12,
            "axes": [GENDER],
            "prompts": [
                {"text": f"a photo of a {word}{job}", "factors": {"job": job, "wording": name}}
                for job in JOBS
                for name, word in words.items()
            ],
        }
    )


class Service:
    """A service whose images show whom the prompt names, and else either group by chance.

    Args:
        refused: The share of calls that it refuses, by the group that a prompt names.
        rewrites: Put a group's word into this share of the prompts that name none.
    """

    def __init__(self, *, refused: dict[str, float] | None = None, rewrites: float = 0.0) -> None:
        self.rng = np.random.default_rng(11)
        self.refused = refused or {}
        self.rewrites = rewrites

    def behave(self, number: int, body: dict[str, Any]) -> str:
        named = "".join(named_groups(body["prompt"], GROUPS))
        return "policy" if self.rng.random() < self.refused.get(named, 0) else "ok"

    def reply(self, number: int, body: dict[str, Any]) -> dict[str, Any]:
        prompt = str(body["prompt"])
        named = "".join(named_groups(prompt, GROUPS))
        if not named and self.rng.random() < self.rewrites:
            named, prompt = "woman", prompt.replace("photo of a", "portrait of a female")
        shown = named or str(self.rng.choice(GROUPS))
        # Each one another image: identical ones count once.
        image = base64.b64encode(png(shown, number)).decode()
        return {"b64_json": image, "revised_prompt": f"{prompt}, sharp and bright"}


def asked(service: Service, out: Path, *, named: bool) -> Findings:
    with image_server(service.behave) as server:
        server.reply = service.reply
        audit = pt.run(
            study(named=named), out=out, model="api:planted", base_url=server.address,
            measurers=ColourJudge(),
        )  # fmt: skip
    return audit.findings


def only(findings: Findings, words: str) -> Finding:
    (found,) = [one for one in findings if words in one.question]
    return found


def about(findings: Findings) -> list[str]:
    """Return the questions about refusals and rewriting that are significant."""
    words = ("is a request", "rewritten prompt?")
    return [
        f.question for f in findings if f.is_clear(0.05) and any(w in f.question for w in words)
    ]


def test_a_refusal_gap_is_found_and_blamed_on_the_group(tmp_path: Path) -> None:
    findings = asked(
        Service(refused={"woman": 0.45, "man": 0.05, "": 0.05}), tmp_path / "a", named=True
    )
    gap = only(findings, "is a request refused equally often, whatever the perceived gender")
    assert gap.is_clear(0.05)
    assert gap.unit == "prompt"
    assert list(gap.details["rates"]) == ["woman", "man"]
    assert gap.details["rates"]["woman"]["requests"] == len(JOBS) * 12
    assert gap.conclusion(0.05) == ("Requests are refused more often for prompts that name women")
    # It is a gap of refusals, not of rewriting.
    assert about(findings) == [gap.question]
    assert only(findings, "how often does the rewritten prompt add a group?").estimate == 0


def test_a_rewriter_is_found_and_what_is_left_without_it(tmp_path: Path) -> None:
    findings = asked(Service(rewrites=0.5), tmp_path / "a", named=False)
    added = only(findings, "how often does the rewritten prompt add a group?")
    assert added.low is not None
    assert added.low > 0.3
    assert list(added.details["counts"]) == ["woman"]
    follows = only(findings, "do images follow the rewritten prompt?")
    assert follows.is_clear(0.05)
    shares = {suffix: Counter[str]() for suffix in ("", " · rewritten prompt adds no group")}
    for suffix, total in shares.items():
        for one in findings:
            if one.question.endswith(f"share of woman ({GENDER}){suffix}"):
                total.update(one.details["counts"])
    all_of_them, left = (one["woman"] / one.total() for one in shares.values())
    # Half are rewritten to show a woman, of the others half do.
    assert all_of_them == pytest.approx(0.75, abs=0.12)
    assert left == pytest.approx(0.5, abs=0.15)
    # Nothing was refused, so nothing is said about refusals.
    assert not [one for one in findings if "is a request" in one.question]


def test_a_fair_service_shows_neither(tmp_path: Path) -> None:
    even = dict.fromkeys(("woman", "man", ""), 0.15)
    findings = asked(Service(refused=even), tmp_path / "a", named=True)
    assert about(findings) == []
    assert only(findings, "how often does the rewritten prompt add a group?").estimate == 0
    assert not [one for one in findings if "adds no group" in one.question]
    gap = only(findings, "is a request refused equally often, whatever the perceived gender")
    assert gap.conclusion(0.05) == "No significant difference in how often requests are refused"


def test_a_service_that_says_nothing_about_rewriting_has_no_such_finding(tmp_path: Path) -> None:
    server: ImageServer
    with image_server(lambda number, body: "ok") as server:
        audit = pt.run(
            study(named=False), out=tmp_path / "a", model="api:plain", images=2,
            base_url=server.address, measurers=ColourJudge(),
        )  # fmt: skip
    assert not [one for one in audit.findings if "rewritten" in one.question]
