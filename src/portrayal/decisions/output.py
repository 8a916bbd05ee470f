"""What rules come to, as text for people and as JUnit XML for build servers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from portrayal.decisions.verdicts import OUTCOMES, CheckResult, RuleVerdict
from portrayal.findings import counted

SHOWN = 8
"""Numbers of a rule that text lists; JSON and JUnit have all."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text_lines(result: CheckResult) -> Iterator[str]:
    """Yield the verdicts as lines: the worst first within a rule, and the sum last."""
    for rule in result.rules:
        yield f"{rule.outcome.upper()}  {rule.rule.name}{_sizes(rule)}"
        told = [one for outcome in OUTCOMES[:2] for one in rule.with_outcome(outcome)]
        for one in told[:SHOWN]:
            mark = "fails" if one.outcome == "fail" else "undecided"
            yield f"  {mark}: {one.why}"
        if len(told) > SHOWN:
            yield f"  and {len(told) - SHOWN} more"
    counts = [sum(one.outcome == outcome for one in result.rules) for outcome in OUTCOMES]
    against = f" against {result.baseline}" if result.baseline else ""
    yield (
        f"{result.outcome.upper()}: {result.audit}{against}; {counts[0]} failed, "
        f"{counts[1]} with not enough data, {counts[2]} passed"
    )


def junit_xml(result: CheckResult) -> str:
    """Return the verdicts as JUnit XML: one test case per number that a rule is about.

    What fails is a failure, what cannot be decided an error, since both end with an exit code.
    """
    cases = [(rule, one) for rule in result.rules for one in rule.items]
    counts = {
        "tests": len(cases),
        "failures": sum(one.outcome == "fail" for _, one in cases),
        "errors": sum(one.outcome == "not enough data" for _, one in cases),
    }
    sizes = {name: str(n) for name, n in counts.items()}
    root = ElementTree.Element("testsuites", {"name": "portrayal check", **sizes, "time": "0"})
    for rule in result.rules:
        _suite(root, rule)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, rule: RuleVerdict) -> None:
    sizes = {
        "tests": len(rule.items),
        "failures": len(rule.with_outcome("fail")),
        "errors": len(rule.with_outcome("not enough data")),
        "skipped": 0,
        "time": 0,
    }
    name = _xml(rule.rule.name)
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": name, **{key: str(n) for key, n in sizes.items()}}
    )
    for one in rule.items:
        about = {"classname": name, "name": _xml(one.item.subject), "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", about)
        if one.outcome != "pass":
            kind = "failure" if one.outcome == "fail" else "error"
            told = ElementTree.SubElement(
                case, kind, {"message": _xml(one.why), "type": one.outcome}
            )
            told.text = _xml(one.why)


def _sizes(rule: RuleVerdict) -> str:
    if len(rule.items) == 1:
        return ""
    failed = len(rule.with_outcome("fail"))
    undecided = len(rule.with_outcome("not enough data"))
    parts = [f"{failed} fail" if failed else "", f"{undecided} undecided" if undecided else ""]
    told = ", ".join(part for part in parts if part) or "all pass"
    return f" ({counted(len(rule.items), 'number')}: {told})"


def _xml(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return _NOT_XML.sub("?", text)
