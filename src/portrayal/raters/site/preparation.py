"""From an audit to a rating: which images, which questions, which raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, ImportFileError, SettingError, one_of
from portrayal.raters.campaigns import Campaign, ImageChoice, plan_campaign, studies_of, united
from portrayal.raters.questions import QuestionSet, questions_from
from portrayal.raters.rows import table_rows
from portrayal.raters.selections import selection
from portrayal.raters.site.database import FORMAT, Database, has_database, open_database
from portrayal.raters.site.dealing import Terms
from portrayal.raters.site.overview import rater_names
from portrayal.raters.site.roster import Roster
from portrayal.raters.subjects import chosen_questions

MOST_ANSWERS = 9


@dataclass(frozen=True, slots=True)
class Preparation:
    """What `prepare` did.

    Attributes:
        campaign: The campaign's name.
        tokens: The token of every new rater by name; shown now and never again.
        raters: All raters of the rating.
        images: Images to be rated in this campaign.
        new_images: Those that were not in the rating before.
        per_image: How many raters see each image.
    """

    campaign: str
    tokens: Mapping[str, str]
    raters: int
    images: int
    new_images: int
    per_image: int

    def sentence(self) -> str:
        """Say it in one line."""
        new = "" if self.new_images == self.images else f" ({self.new_images} new)"
        return (
            f"campaign {self.campaign}: {self.images} images{new}, {self.per_image} "
            f"{'rater' if self.per_image == 1 else 'raters'} per image"
        )


def prepare(
    audit: str | Path,
    *,
    study: str | Sequence[str] | None = None,
    raters: int | Sequence[str] = 3,
    questions: Path | None = None,
    attribute: str | None = None,
    known: Path | None = None,
    database: str | None = None,
    **options: Any,
) -> Preparation:
    """Make an audit ready to be rated, or add to a rating what it lacks.

    Asking again for the same changes nothing: images that were generated since then are added,
    and so are raters until there are as many as asked for. Another request adds a campaign to the
    same page.

    Args:
        audit: The audit folder.
        study: Whose images, one name or several; None: of all studies.
        raters: The number of raters, or their names.
        questions: A TOML or JSON file; None: the questions of the papers for the studies.
        attribute: The factor that says what an image is meant to show.
        known: A CSV file of images with known answers (`prompt`, `seed`, one column for each
            question), mixed in as attention checks.
        database: A PostgreSQL URL; None: SQLite in the audit folder.
        options: The fields of `Terms` (per_image, checks, seed) and of `ImageChoice` (only,
            per_concept, sample, predicted); or `selection`, the name of images as they were rated
            in a paper, which says studies and choice.

    Raises:
        AuditError: The audit has nothing to rate, or a number makes no sense.
        ImportFileError: A file of questions or known answers is wrong.
    """
    opened = AuditFolder(audit)
    names = [study] if isinstance(study, str) else list(study or ())
    if (selected := options.pop("selection", None)) is not None:
        named = selection(selected)
        names = names or named.studies_among(opened.studies(), selected)
        given = {name: one for name, one in options.items() if one not in (None, (), {})}
        options = {**named.options(), **given}
    studies = studies_of(opened, names)
    terms, choice = _options(options)
    asked = united([chosen_questions(one, questions) for one in studies])
    _check_keys(asked)
    expected = _known(known, asked) if known is not None else {}
    if not has_database(opened.path, database):  # all that can be wrong is, before it is made
        _check_raters(terms, _Names.among([], raters))
    campaign = plan_campaign(
        opened, studies, choice, questions=questions, attribute=attribute, expected=expected
    )
    stored = open_database(opened.path, database)
    try:
        _remember(stored, opened, campaign)
        people = _Names.among(rater_names(stored), raters)
        _check_raters(terms, people)
        roster = Roster(stored)
        new = roster.add_campaign(campaign, terms)
        with stored.writing() as connection:
            stored.remember(connection, asdict(terms))
        tokens = roster.add_raters(people.new) if people.new else {}
        campaign.remember(opened)
    finally:
        stored.close()
    total = sum(subject.expected is None for subject in campaign.subjects)
    n = len(people.old) + len(people.new)
    return Preparation(campaign.name, tokens, n, total, new, terms.per_image)


def _options(options: Mapping[str, Any]) -> tuple[Terms, ImageChoice]:
    """Return terms and choice from their fields; both have the seed."""
    own = {one.name for one in fields(Terms)}
    chosen = {one.name for one in fields(ImageChoice)}
    for name in options:
        if name not in own | chosen:
            raise SettingError(name, f"is unknown; allowed: {one_of(sorted(own | chosen))}")
    terms = Terms(**{name: value for name, value in options.items() if name in own})
    _check(terms)
    return terms, ImageChoice(**{name: one for name, one in options.items() if name in chosen})


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


def _remember(database: Database, audit: AuditFolder, campaign: Campaign) -> None:
    """Store what the page asks: the questions of all its campaigns.

    Raises:
        AuditError: The page is about another audit, or asks something else under the same id.
    """
    before = database.settings()
    questions = campaign.questions
    if before:
        if before["generator"] != audit.generator.digest:
            raise AuditError(
                f"{database.name}: contains the rating of another model; use another `database`"
            )
        questions = united([stored_questions(before, database.name), questions])
    about = {
        "format": FORMAT,
        "generator": audit.generator.digest,
        "questions": questions.model_dump(mode="json"),
    }
    with database.writing() as connection:
        database.remember(connection, about)


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
    """Read images with known answers.

    Raises:
        ImportFileError: The file cannot be read, has no row, or contradicts itself.
    """
    allowed = {question.id: question.keys for question in questions.choices}
    columns = one_of(list(allowed))
    found: dict[tuple[str, int], dict[str, str]] = {}
    for row in table_rows(path):
        try:
            place = (row.cell("prompt"), int(row.cell("seed")))
        except (ImportFileError, ValueError) as error:
            raise ImportFileError(
                f"{row.where}: needs the columns prompt and seed, and a whole number as seed"
            ) from error
        answers = {name: row.cell(name) for name in allowed if row.cells.get(name, "").strip()}
        if not answers:
            raise ImportFileError(
                f"{row.where}: no known answer; give one in a column of: {columns}"
            )
        known = found.setdefault(place, {})
        for name, answer in answers.items():
            if answer not in allowed[name]:
                raise ImportFileError(
                    f"{row.where}, column {name}: {answer!r} is no answer; "
                    f"allowed: {one_of(allowed[name])}"
                )
            if known.setdefault(name, answer) != answer:
                raise ImportFileError(
                    f"{row.where}, column {name}: is {answer!r}, and an earlier row says "
                    f"{known[name]!r} of the same image; keep one of them"
                )
    if not found:
        raise ImportFileError(
            f"{path}: has no row below the first line; give one per image, with the columns "
            f"prompt, seed, and at least one of: {columns}"
        )
    return found
