"""check: whether an audit keeps to rules, by itself and against a baseline."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.comparison import ModelDifference, compare_audits
from portrayal.decisions import (
    CheckResult,
    RequestCounts,
    Rule,
    RuleItem,
    Rules,
    judge,
    read_rules,
    request_items,
    starter_rules,
)
from portrayal.errors import AuditError, PortrayalError, RuleError, SettingError, one_of
from portrayal.findings import Finding, Results
from portrayal.runner.analysis import analyze
from portrayal.runner.audits import Audit
from portrayal.runner.session import Place, place
from portrayal.statistics import UNLIMITED, Interval
from portrayal.studies import did_you_mean, study_from_dict


def check(
    audit: Place | Audit,
    rules: str | Path | Mapping[str, Any] | Rules,
    *,
    baseline: Place | Audit | None = None,
) -> CheckResult:
    """Decide whether an audit keeps to rules; nothing in it is changed.

    Findings are recomputed from the measurements, so that rules act on what the audit has now.

    Args:
        audit: An audit or its folder.
        rules: A TOML file, the same as a mapping, or rules that were read.
        baseline: The audit that rules about changes compare with.

    Raises:
        RuleError: A rule is wrong, or is about nothing in the audit.
        AuditError: Nothing was analyzed yet, or the audits cannot be compared.

    Example:
        portrayal.check("audits/new", "rules.toml", baseline="audits/last").outcome
    """
    read = rules if isinstance(rules, Rules) else read_rules(rules)
    folder = _folder("audit", audit)
    before = None if baseline is None else _folder("baseline", baseline)
    if before is not None and before.path.resolve() == folder.path.resolve():
        raise SettingError("baseline", f"is the audit itself ({before.path}); name another one")
    numbers = _Numbers(folder, before)
    return CheckResult(
        folder.generator.name,
        None if before is None else before.generator.name,
        numbers.confidence,
        [judge(one, numbers.of(one), numbers.confidence) for one in read.rules],
    )


def write_starter(audit: Place | Audit, file: Path) -> Path:
    """Write a rules file to begin with.

    Raises:
        RuleError: The file is there already.
        AuditError: Nothing was analyzed yet.
    """
    folder = _folder("audit", audit)
    text = starter_rules(Results.read(folder), _requests(folder))
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError:
        raise RuleError(f"{file}: it is there already; name another file with `rules`") from None
    except OSError as error:
        raise RuleError(f"{file}: cannot be written: {error.strerror}") from error
    return file


class _Numbers:
    """The numbers that rules are about, at any confidence; each analysis is made once."""

    def __init__(self, audit: AuditFolder, baseline: AuditFolder | None) -> None:
        self._audit, self._baseline = audit, baseline
        self._settings = Results.read(audit).settings
        self.confidence = self._settings.confidence
        self._findings = functools.cache(self._analyzed)
        self._differences = functools.cache(self._compared)
        self._counts = functools.cache(lambda: _requests(audit))

    def of(self, rule: Rule) -> functools.partial[list[RuleItem]]:
        """Return what gives the numbers of a rule."""
        if rule.requests is not None:
            return functools.partial(request_items, rule, self._counts())
        if rule.change_of is not None:
            return functools.partial(self._changes, rule)
        return functools.partial(self._estimates, rule)

    def _estimates(self, rule: Rule, confidence: float) -> list[RuleItem]:
        findings = self._findings(confidence).findings
        try:
            found = findings.filter(statistic=rule.statistic, **rule.where)
        except PortrayalError as error:
            raise RuleError(f"rule {rule.name!r}: {error}") from error
        return [_of_finding(one) for one in found]

    def _changes(self, rule: Rule, confidence: float) -> list[RuleItem]:
        differences = self._differences(confidence)
        measures = list(dict.fromkeys(one.measure for one in differences))
        if rule.change_of not in measures:
            hint = did_you_mean(rule.change_of, measures)
            raise RuleError(
                f"rule {rule.name!r}: change_of is {rule.change_of!r}{hint}; allowed: "
                f"{one_of(measures)}"
            )
        wanted = {"measure": rule.change_of, **rule.where}
        return [_of_difference(one, rule) for one in differences if _fits(one, wanted, rule)]

    def _analyzed(self, confidence: float) -> Results:
        settings = replace(self._settings, confidence=confidence)
        return analyze(self._audit, settings=settings, bounds=True, keep=False)

    def _compared(self, confidence: float) -> Sequence[ModelDifference]:
        if self._baseline is None:
            raise RuleError("a rule about a change needs a `baseline`: name the audit to compare")
        settings = replace(self._settings, confidence=confidence)
        return compare_audits([self._baseline, self._audit], settings=settings).differences


def _of_finding(one: Finding) -> RuleItem:
    level = str(one.details.get("level") or one.question)
    subject = f"{one.study}: {level} ({one.measurer})" if one.measurer else f"{one.study}: {level}"
    subject = subject if one.details.get("level") else f"{one.study}: {one.question}"
    looks = 1 if one.low_looks is None else one.look
    return RuleItem(
        subject, one.estimate, *one.deciding_interval, one.n, one.n_of, one.unit, one.reason, looks,
        one.within,
    )  # fmt: skip


def _of_difference(one: ModelDifference, rule: Rule) -> RuleItem:
    n = min(one.n_before, one.n_after)
    subject = f"{one.study}: change of {one.question}"
    return RuleItem(
        subject, one.value, one.low, one.high, n, "image", one.unit, one.reason,
        within=Interval(-1.0, 1.0) if rule.is_share else UNLIMITED,
    )  # fmt: skip


def _fits(one: ModelDifference, wanted: Mapping[str, Any], rule: Rule) -> bool:
    for name, value in wanted.items():
        if not hasattr(one, name):
            raise RuleError(f"rule {rule.name!r}: a difference has no {name!r}")
        allowed = value if isinstance(value, list) else [value]
        if getattr(one, name) not in allowed:
            return False
    return True


def _requests(audit: AuditFolder) -> RequestCounts:
    return RequestCounts.of(audit, [study_from_dict(one) for one in audit.studies().values()])


def _folder(setting: str, audit: Place | Audit) -> AuditFolder:
    if isinstance(audit, Audit):
        audit = audit.path
    found = AuditFolder(place(setting, audit))
    if not found.results_file.exists():
        raise AuditError(f"{found.path}: nothing was analyzed yet; run: portrayal analyze AUDIT")
    return found
