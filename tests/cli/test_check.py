"""portrayal check: a verdict, an exit code, and the same in three formats."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import portrayal as pt
from command_line import CommandLine, fingerprint
from compared_audits import STUDY, Rule, audit_of, share
from portrayal.audit import AuditFolder
from portrayal.findings import Results
from portrayal.numbers import between, percent
from portrayal.records import Prompt
from portrayal.runner.analysis import analyze

OVERALL = """
[[rules]]
name = "no share moved"
change_of = "group share"
where = { factor = "" }
at_most = 0.05
"""
SHARES = """
[[rules]]
name = "women and men in every job"
statistic = "group share"
where = { factor = "job", group = "woman" }
between = [0.2, 0.8]

[[rules]]
name = "few are refused"
requests = "refused"
at_most = 0.05
"""
JUNIT = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"name", "time", "classname"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
}
"""Elements and attributes that the schema of Jenkins (junit-10.xsd) knows, of those we write."""


def analyzed(folder: Path, rule: Rule, *, images: int = 48, later: int = 0) -> Path:
    audit = audit_of(folder, rule, {**STUDY, "images": images}, later=later)
    analyze(audit)
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return analyzed(tmp_path_factory.mktemp("audits") / "base", share(0.5))


def test_against_a_baseline(portrayal: CommandLine, base: Path, tmp_path: Path) -> None:
    """A planted regression fails, an identical pair passes, other seeds are too few."""
    rules = tmp_path / "rules.toml"
    rules.write_text(OVERALL)
    worse = analyzed(tmp_path / "worse", share(0.2))
    same = analyzed(tmp_path / "same", share(0.5))
    others = analyzed(tmp_path / "others", share(0.5), images=12, later=5000)
    for audit, code, word in ((worse, 3, "FAIL"), (same, 0, "PASS"), (others, 4, "NOT ENOUGH")):
        before = fingerprint(audit)
        answer = portrayal("check", audit, "--rules", rules, "--baseline", base)
        assert answer.code == code, answer
        assert answer.out.startswith(word)
        assert fingerprint(audit) == before
    assert "would decide" in answer.out
    assert "needs a --baseline" in portrayal("check", same, "--rules", rules).error


def test_looks_count(portrayal: CommandLine, tmp_path: Path) -> None:
    """The same images pass at once, and do not where they were looked at twice."""
    rules, audit = tmp_path / "rules.toml", tmp_path / "twice"
    rules.write_text(SHARES.replace("[0.2, 0.8]", "[0.34, 0.66]").partition("\n\n")[0])
    at_once = portrayal(
        "check", analyzed(tmp_path / "once", share(0.5), images=48), "--rules", rules
    )
    assert at_once.code == 0, at_once
    for images in (36, 48):
        analyzed(audit, share(0.5), images=images)
    before = fingerprint(audit)
    answer = portrayal("check", audit, "--rules", rules)
    assert fingerprint(audit) == before
    assert answer.code == 4
    assert "counting 2 looks" in answer.out
    # What is checked is what the analysis shows.
    told = " ".join(answer.out.split())
    for one in Results.read(AuditFolder(audit)).findings.filter(statistic="group share"):
        assert f"{between(one.low_looks, one.high_looks, 0.95, form=percent)} counting" in told
    assert "counting" not in at_once.out


def test_shares_and_refusals(portrayal: CommandLine, base: Path, tmp_path: Path) -> None:
    rules, junit = tmp_path / "rules.toml", tmp_path / "junit.xml"
    rules.write_text(SHARES)
    assert portrayal("check", base, "--rules", rules).code == 0

    def few_women(prompt: Prompt, n: int) -> str:
        if n % 8 == 0:
            return "refused"
        return "man" if "nurse" in prompt.text else share(0.5)(prompt, n)

    audit = analyzed(tmp_path / "few", few_women)
    answer = portrayal("check", audit, "--rules", rules, "--junit", junit)
    assert answer.code == 3
    assert "fails: jobs: nurse" in answer.out
    assert "FAIL  few are refused" in answer.out
    told = json.loads(portrayal("check", audit, "--rules", rules, "--json").out)
    assert [one["outcome"] for one in told["rules"]] == ["fail", "fail"]
    assert len(told["rules"][0]["items"]) == len(STUDY["factors"]["job"])
    check_junit(junit)


def check_junit(file: Path) -> None:
    parser = pytest.importorskip("junitparser")
    suites = list(parser.JUnitXml.fromfile(str(file)))
    assert [one.name for one in suites] == ["women and men in every job", "few are refused"]
    assert [(one.tests, one.failures, one.errors) for one in suites] == [(6, 1, 0), (1, 1, 0)]
    for element in ElementTree.parse(file).iter():
        assert set(element.attrib) <= JUNIT[element.tag]


def test_a_starter_is_written_once_and_can_be_used(
    portrayal: CommandLine, base: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.toml"
    assert portrayal("check", base, "--rules", rules, "--init").code == 0
    assert portrayal("check", base, "--rules", rules).code in (0, 4)
    commented = rules.read_text().partition("# against a baseline:\n")[2].splitlines()
    rules.write_text("\n".join(line.removeprefix("# ") for line in commented))
    same = analyzed(tmp_path / "same", share(0.5))
    assert portrayal("check", same, "--rules", rules, "--baseline", base).code == 0
    assert "there already" in portrayal("check", base, "--rules", rules, "--init").error


def test_wrong_rules_are_one_line(portrayal: CommandLine, base: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    assert "no such file" in portrayal("check", base, "--rules", rules).error
    rules.write_text(SHARES.replace('"woman"', '"women"'))
    assert "no finding has group = 'women'" in portrayal("check", base, "--rules", rules).error
    rules.write_text(OVERALL.replace("group share", "group shares"))
    other = analyzed(tmp_path / "other", share(0.5), images=4)
    said = portrayal("check", base, "--rules", rules, "--baseline", other).error
    assert "did you mean group share?" in said
    usage = portrayal("check", base, "--rules", rules, "--baseline", base).usage
    assert "--baseline is the audit itself" in usage


def test_from_python(base: Path) -> None:
    rule = {"name": "V", "statistic": "Cramér's V", "at_most": 0.9}
    found = pt.check(base, {"rules": [rule]})
    assert isinstance(found, pt.CheckResult)
    assert found.outcome in ("pass", "not enough data")
