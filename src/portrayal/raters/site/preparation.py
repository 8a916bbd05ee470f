"""From an audit to a rating: which images, which questions, which raters."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, ImportFileError, SettingError, one_of
from portrayal.raters.questions import QuestionSet, questions_from
from portrayal.raters.site.database import FORMAT, Database, has_database, open_database
from portrayal.raters.site.overview import rater_names
from portrayal.raters.site.roster import Roster, Terms
from portrayal.raters.subjects import chosen_questions, chosen_study, find_subjects
from portrayal.studies import Study

MOST_ANSWERS = 9


@dataclass(frozen=True, slots=True)
class Preparation:
    """What `prepare` did.

    Attributes:
        tokens: The token of every new rater by name; shown now and never again.
        raters: All raters of the rating.
        images: Images to be rated.
        new_images: Those that were not in the rating before.
        per_image: How many raters see each image.
    """

    tokens: Mapping[str, str]
    raters: int
    images: int
    new_images: int
    per_image: int


def prepare(
    audit: str | Path,
    *,
    study: str | None = None,
    raters: int | Sequence[str] = 3,
    questions: Path | None = None,
    attribute: str | None = None,
    known: Path | None = None,
    database: str | None = None,
    **sharing: Any,
) -> Preparation:
    """Make an audit ready to be rated, or add to a rating what it lacks.

    Asking again for the same changes nothing: images that were made since then are shared out,
    and raters are added until there are as many as asked for.

    Args:
        audit: The audit folder.
        study: Whose images; None where the audit has one study, or none at all.
        raters: The number of raters, or their names.
        questions: A TOML or JSON file; None: the questions of the paper for the study's axes.
        attribute: The factor that says what an image is meant to show.
        known: A CSV file of images with known answers (`prompt`, `seed`, one column for each
            question), mixed in as attention checks.
        database: A PostgreSQL URL; None: SQLite in the audit folder.
        sharing: The fields of `Terms`: per_image, checks and seed.

    Raises:
        AuditError: The audit has nothing to rate, or a number makes no sense.
        ImportFileError: A file of questions or known answers is wrong.
    """
    opened = AuditFolder(audit)
    chosen = chosen_study(opened, study)
    asked = chosen_questions(chosen, questions)
    _check_keys(asked)
    terms = Terms(**sharing)
    _check(terms)
    expected = _known(known, asked) if known is not None else {}
    subjects = find_subjects(opened, chosen, attribute=attribute, expected=expected)
    if not has_database(opened.path, database):  # all that can be wrong is, before it is made
        _check_raters(terms, _Names.among([], raters))
    stored = open_database(opened.path, database)
    try:
        _remember(stored, opened, chosen, asked)
        names = _Names.among(rater_names(stored), raters)
        _check_raters(terms, names)
        roster = Roster(stored)
        new = roster.add_subjects(subjects)
        with stored.writing() as connection:
            stored.remember(connection, asdict(terms))
        tokens = roster.add_raters(names.new, terms) if names.new else {}
        roster.deal(terms)
    finally:
        stored.close()
    total = sum(subject.expected is None for subject in subjects)
    return Preparation(tokens, len(names.old) + len(names.new), total, new, terms.per_image)


def stored_terms(settings: Mapping[str, Any]) -> Terms:
    """Return how the work of a prepared rating is shared out."""
    return Terms(settings["per_image"], settings["checks"], settings["seed"])


def stored_questions(settings: Mapping[str, Any], where: str) -> QuestionSet:
    """Return what is asked in a prepared rating."""
    return questions_from(settings["questions"], source=where)


def _check(terms: Terms) -> None:
    if terms.per_image < 1:
        raise SettingError("per_image", f"is {terms.per_image}; allowed: 1 or more")
    if not 0 <= terms.checks <= 0.5:
        raise SettingError("checks", f"is {terms.checks}; allowed: a share from 0 to 0.5")


def _check_raters(terms: Terms, names: _Names) -> None:
    raters = len(names.old) + len(names.new)
    if raters < terms.per_image:
        raise SettingError(
            "raters",
            f"is {raters}, fewer than the {terms.per_image} that see each image; allowed: "
            f"{terms.per_image} or more",
        )


def _check_keys(questions: QuestionSet) -> None:
    for question in questions.choices:
        if len(question.answers) > MOST_ANSWERS:
            raise ImportFileError(
                f"question {question.id!r} has {len(question.answers)} answers; "
                f"allowed on the rating page: {MOST_ANSWERS}, one for each number key"
            )


def _remember(
    database: Database, audit: AuditFolder, study: Study | None, questions: QuestionSet
) -> None:
    """Store what a rating is about, once; refuse what differs from it later on."""
    about = {
        "format": FORMAT,
        "generator": audit.generator.digest,
        "study": None if study is None else study.name,
        "questions": questions.model_dump(mode="json"),
    }
    before = database.settings()
    if not before:
        with database.writing() as connection:
            database.remember(connection, about)
        return
    for key, what in (("generator", "model"), ("study", "study"), ("questions", "questions")):
        if before.get(key) != about[key]:
            raise AuditError(
                f"{database.name}: holds a rating with another {what}; "
                "a rating keeps what it began with: use another `database`"
            )


@dataclass(frozen=True, slots=True)
class _Names:
    old: list[str]
    new: list[str]

    @classmethod
    def among(cls, old: list[str], raters: int | Sequence[str]) -> _Names:
        """Return who is to join those that there are.

        Args:
            old: The raters that there are.
            raters: How many there shall be, or their names.
        """
        if not isinstance(raters, int):
            return cls(old, [name for name in dict.fromkeys(raters) if name not in old])
        numbers = (number for number in range(1, raters + len(old) + 1))
        free = [name for name in (f"rater {number}" for number in numbers) if name not in old]
        return cls(old, free[: max(0, raters - len(old))])


def _known(path: Path, questions: QuestionSet) -> dict[tuple[str, int], dict[str, str]]:
    """Read images with known answers."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise ImportFileError(f"{path}: cannot be read: {error.strerror}") from error
    allowed = {question.id: question.keys for question in questions.choices}
    found = {}
    for number, row in enumerate(rows, start=2):
        where = f"{path.name}, row {number}"
        try:
            place = (row["prompt"], int(row["seed"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ImportFileError(
                f"{where}: needs the columns prompt and seed, and a whole number as seed"
            ) from error
        answers = {name: row[name] for name in allowed if row.get(name)}
        for name, answer in answers.items():
            if answer not in allowed[name]:
                raise ImportFileError(
                    f"{where}, column {name}: {answer!r} is no answer; "
                    f"allowed: {one_of(allowed[name])}"
                )
        if not answers:
            raise ImportFileError(
                f"{where}: no known answer; give one in a column of: {one_of(list(allowed))}"
            )
        found[place] = answers
    return found
