"""portrayal explain: cost first, nothing twice, a budget well spent, errors in one line."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from influence_worlds import requests_of
from portrayal import runner
from portrayal.audit import AuditFolder
from portrayal.cli import explain as command
from portrayal.errors import LanguageError, PromptTooLong, SettingError, StudyError
from portrayal.findings import Results
from portrayal.generators import GenerationSummary, Generator, open_generator
from portrayal.kinds.influence.answer import Explanation
from portrayal.kinds.influence.parts import InfluenceScores
from portrayal.kinds.influence.question import PromptQuestion, replaced_by
from portrayal.kinds.influence.schema import InfluenceStudy, Transmutation
from portrayal.measurers import Measurer, open_measurer
from portrayal.studies.reading import study_from_toml
from portrayal.studies.words import split_words
from toy_generators import MeanColour

DOCTOR = "a respected doctor at the hospital"
LISTS = {
    "respected": ("old", "busy"),
    "doctor": ("nurse", "cook", "judge", "waiter", "musician"),
    "hospital": ("office", "gym"),
    "*": ("this", "some"),
}
NAMING = ("female", "male", "lady", "girl", "boy", "woman", "man", "waitress", "queen", "mother")
"""Words that name a group."""
OWN_WORDS = Transmutation(by="list", candidates=LISTS)


@pytest.fixture(scope="session")
def painter() -> Generator:
    return open_generator("practice:painter")


@pytest.fixture(scope="session")
def encoder() -> Measurer:
    return open_measurer("practice")


@dataclass
class Asker:
    """Asks questions about prompts, each in a session of its own, of one audit."""

    out: Path
    models: runner.Models

    def session(self, asked: PromptQuestion) -> runner.Session:
        session = runner.Session(self.out, models=self.models)
        session.ask(asked.study())
        return session

    def explain(self, asked: PromptQuestion) -> Explanation:
        return runner.explain(self.session(asked))


@pytest.fixture
def asker(tmp_path: Path, painter: Generator, encoder: Measurer) -> Asker:
    return Asker(tmp_path / "audit", runner.Models(painter, measurers=[encoder]))


def question(**settings: Any) -> PromptQuestion:
    given = {"prompt": DOCTOR, "group": "woman", "draws": 4, "images": 2, "transmuter": OWN_WORDS}
    return PromptQuestion(**{**given, **settings})


# --- what is made --------------------------------------------------------------------------------


def test_images_are_texts_times_images_and_never_made_twice(asker: Asker, tmp_path: Path) -> None:
    first = asker.explain(question())
    assert first.cost == (7, 1 + 6 * 4, 7 * 4 * 2)
    assert first.made == 7 * 4 * 2
    again = asker.explain(question())
    assert again.made == 0
    assert again.as_dict()["words"] == first.as_dict()["words"]
    more = asker.explain(question(draws=6))
    assert more.made == 7 * 2 * 2
    assert [one.as_dict()["looks"] for one in (first, again, more)] == [1, 1, 2]
    assert more.scores.looks == (first.scores.counts.images, more.scores.counts.images)
    asked_again = asker.explain(question(draws=6))
    assert asked_again.as_dict()["words"] == more.as_dict()["words"]
    deeper = asker.explain(question(draws=6, images=3, level=2))
    assert deeper.made == 7 * 6 + 15 * 6 * 3
    audit = AuditFolder(tmp_path / "audit")
    rows = audit.images().select("prompt, seed").fetchall()
    assert len(rows) == len(set(rows)) == deeper.cost.images
    assert list(audit.studies()) == [first.study.name]


def test_cost_is_known_before_anything_is_made(asker: Asker, tmp_path: Path) -> None:
    asked = question(level=2)
    cost = asked.study().cost()
    assert cost == (22, 1 + 21 * 4, 22 * 8)
    session = asker.session(asked)
    session.draw()
    assert not (tmp_path / "audit").exists()
    assert len(session.wanted()) == cost.images
    assert runner.explain(session).made == cost.images
    assert session.opened().missing(session.wanted()).num_rows == 0


def test_a_budget_is_kept_and_spent_unevenly(asker: Asker) -> None:
    asked = question(budget=200)
    answer = asker.explain(asked)
    assert 190 <= answer.cost.images <= 200
    assert answer.made == answer.cost.images
    draws = {one.words: one.draws for one in answer.study.plan()[0].sets}
    assert min(draws.values()) >= 200 // 2 // 14
    assert max(draws.values()) > min(draws.values()) + 3
    again = asker.explain(asked)
    assert again.made == 0
    assert again.study == answer.study
    larger = asker.explain(question(budget=260))
    assert larger.made == larger.cost.images - answer.cost.images


def test_a_budget_is_a_field_of_study_files(asker: Asker) -> None:
    """Two prompts share what is left; the second group's column is the one that is narrowed."""
    text = """
        kind = "influence"
        axes = ["perceived gender"]
        group = "man"
        draws = 2
        images = 1
        budget = 60
        [[prompts]]
        text = "a respected doctor"
        [[prompts]]
        text = "the old hospital"
        [transmuter]
        by = "list"
        candidates = { "*" = ["this", "some", "nurse", "cook"] }
    """
    study = study_from_toml(text, source="words.toml", name="words")
    assert isinstance(study, InfluenceStudy)
    session = runner.Session(asker.out, models=asker.models)
    session.ask(study)
    done = runner.run(session)
    assert isinstance(done.made, GenerationSummary)
    (grown,) = session.studies
    assert isinstance(grown, InfluenceStudy)
    assert 56 <= grown.cost().images <= 60
    assert done.made.present == 0
    per_prompt = [sum(one.draws for one in plan.sets) for plan in grown.plan()]
    assert abs(per_prompt[0] - per_prompt[1]) <= 2
    assert min(per_prompt) > 8, "both got more than the even start"
    with pytest.raises(StudyError, match="words: budget is 60 images; allowed: 160 or more"):
        study.with_images(10)
    with pytest.raises(StudyError, match="budget is 9 images; allowed: 16 or more"):
        study_from_toml(
            text.replace("budget = 60", "budget = 9"), source="words.toml", name="words"
        )


def test_a_stopped_budget_is_continued(
    asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that ends after its first round leaves what the next one needs to go on."""
    whole = Asker(tmp_path / "whole", asker.models).explain(question(budget=120))
    from portrayal.runner import generation

    with monkeypatch.context() as patch:
        patch.setattr(generation, "next_round", lambda session: False)
        first = asker.explain(question(budget=120))
    assert first.cost.images < 70
    second = asker.explain(question(budget=120))
    assert first.made + second.made == second.cost.images == whole.cost.images
    assert second.study == whole.study
    assert second.as_dict()["words"] == whole.as_dict()["words"]


def test_a_budget_ends_where_almost_all_texts_of_a_word_name_a_group(asker: Asker) -> None:
    """The rest of the budget goes to other texts, or is not spent; once this went on for ever."""
    lists = {**LISTS, "respected": (*NAMING, "old")}
    words = Transmutation(by="list", candidates=lists)
    answer = asker.explain(question(budget=160, transmuter=words))
    sets = {one.words: one for one in answer.study.plan()[0].sets}
    assert sets[1,].room == 0
    assert len(sets[1,].texts) < 10
    assert sum(one.draws for words, one in sets.items() if words != (1,)) > 50
    assert answer.cost.images <= 160


def test_several_measurers_answer_and_the_first_one_is_shown(
    asker: Asker, painter: Generator, encoder: Measurer
) -> None:
    models = runner.Models(painter, measurers=[encoder, MeanColour()])
    session = runner.Session(asker.out, models=models)
    session.ask(question().study())
    answer = runner.explain(session)
    assert answer.measurer == "practice"
    assert len(session.opened().measurers()) == 2


def test_a_question_like_the_papers_has_its_classifier_and_its_words() -> None:
    words = replaced_by(like="influence-doctor")
    study = PromptQuestion(DOCTOR, like="influence-doctor", transmuter=words).study()
    axis = study.axes["perceived gender"]
    assert dict(axis.groups) == {"woman": ("female",), "man": ("male",)}
    assert not axis.person, "every image counts"
    assert (words.model, words.choice, words.naming) == (
        "google-bert/bert-base-uncased", "top", "counted",
    )  # fmt: skip
    assert study.name != PromptQuestion(DOCTOR, transmuter=words).study().name
    changed = replaced_by(like="influence-doctor", words="practice", choice="sample")
    assert (changed.model, changed.choice, changed.naming) == ("practice", "sample", "counted")
    with pytest.raises(StudyError, match="like is 'paradox', of kind amplification; allowed: a st"):
        PromptQuestion(DOCTOR, like="paradox").study()


def test_other_options_are_other_studies(asker: Asker) -> None:
    names = {
        question().study().name,
        question(prompt=DOCTOR + " today").study().name,
        question(seed=1).study().name,
        question(group="dark skin").study().name,
        question(transmuter=Transmutation()).study().name,
    }
    assert len(names) == 5
    assert question(level=2, draws=9, images=7).study().name == question().study().name
    assert question(group="man").study().name == question().study().name


def test_the_answer_for_another_group_takes_the_place_of_the_first(asker: Asker) -> None:
    def replaced(asked: PromptQuestion) -> list[str]:
        session = asker.session(asked)
        return runner.reworded(session.studies, session.remembered())

    first = question(group="woman")
    assert replaced(first) == []
    asker.explain(first)
    assert replaced(first) == replaced(question(draws=9, level=2)) == []
    assert replaced(question(group="man")) == [first.study().name]


# --- what is said --------------------------------------------------------------------------------


def test_the_practice_parts_explain_a_prompt(tmp_path: Path) -> None:
    """The practice words, encoder and painter together; doctor matters, "at" does not."""
    asker = Asker(tmp_path / "audit", runner.Models("practice:painter"))
    answer = asker.explain(
        PromptQuestion("a smart engineer at the mall", "woman", draws=24, images=2)
    )
    found = {word["word"]: word["influence"][0]["groups"] for word in answer.as_dict()["words"]}
    engineer, at = found["engineer"]["woman"], found["at"]["woman"]
    assert engineer["high"] < 0
    assert at["low"] < 0 < at["high"]
    assert "Change “engineer”" in answer.suggestion
    total = sum(one["value"] for one in found["engineer"].values())
    assert total == pytest.approx(0, abs=1e-9)
    page = answer.report.read_text(encoding="utf-8")
    assert "Which word of “a smart engineer at the mall” causes it?" in page
    (section,) = Results.read(tmp_path / "audit").studies
    assert any(isinstance(part, InfluenceScores) for part in section.parts)


def test_json_has_every_word_and_group(asker: Asker) -> None:
    answer = asker.explain(question(level=2))
    data = json.loads(json.dumps(answer.as_dict(), allow_nan=False))
    assert [word["word"] for word in data["words"]] == DOCTOR.split()
    assert [one["score"] for one in data["words"][2]["influence"]] == [
        "influence at level 1",
        "influence at level 2",
    ]
    assert set(data["words"][2]["influence"][0]["groups"]) == {"woman", "man", "unknown"}
    assert len(data["pairs"]) == 15
    assert data["cost"]["made"] == data["cost"]["images"]
    assert sum(data["shares"].values()) == pytest.approx(1)


def test_the_terminal_shades_words_and_stays_narrow(
    asker: Asker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = asker.explain(question(draws=10))
    text = command.shaded(answer)
    assert text.plain == DOCTOR
    spans = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert set(spans) == set(DOCTOR.split())
    main = answer.scores.main
    assert main is not None
    for position, word in enumerate(split_words(DOCTOR)):
        clear = main.of(position, answer.column).is_clear
        assert ("on rgb" in spans[word.text]) == clear
    monkeypatch.setattr(command.console.out, "width", 80)
    command.show_explanation(answer)
    out = capsys.readouterr().out
    assert "towards woman" in out
    assert "…" not in out
    lines = [line for line in out.splitlines() if line.startswith("doctor")]
    assert f"{main.of(2, answer.column).value:+.2f}" in lines[0]


def test_the_command_prints_json_and_cost(tmp_path: Path) -> None:
    app = typer.Typer()
    command.add_to(app)
    app.command("other")(lambda: None)
    common = [
        "--model",
        "practice:painter",
        "--texts",
        "3",
        "--images",
        "1",
        "--out",
        str(tmp_path / "a"),
    ]
    done = CliRunner().invoke(app, ["explain", "a busy cook", *common, "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert data["cost"] == {"subsets": 4, "texts": 10, "images": 12, "made": 12}
    done = CliRunner().invoke(app, ["explain", "a busy cook", *common, "--group", "man"])
    assert done.exit_code == 0, done.output
    assert (
        "4 sets of words (level 1), 10 texts, 12 images (3 texts per set x 1 images)" in done.stderr
    )
    assert "this answer takes the place of an earlier one: Which word" in done.stderr
    assert "0 to generate" in done.stderr
    assert "towards man" in done.stdout


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prompt": ""}, r"prompt is '': it has no words; allowed: one word or more"),
        ({"axis": "hair"}, r"axis is 'hair'; allowed: perceived gender, skin tone, .*"),
        ({"axis": "skin tone", "group": "woman"}, r"allowed on the axis 'skin tone': dark skin"),
        ({"target": 2.0}, r"target is 2.0; allowed: a share, 0 to 1"),
        (
            {"group": "elf"},
            r"group is 'elf'; allowed: woman, man, dark skin, light skin, .*or those of a study",
        ),
        ({"group": "women"}, r"group is 'women' \(did you mean woman\?\)"),
        ({"level": 0}, r"level is 0; allowed: a whole number, 1 or more"),
        ({"level": 7}, r"level is 7 for the prompt .*; allowed: 1 \.\.\. 6"),
        ({"budget": 20}, r"budget is 20 images; allowed: 28 or more \(7 sets of words x 2 texts"),
    ],
)
def test_bad_questions_are_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((SettingError, StudyError), match=message) as caught:
        question(**settings).study()
    assert "\n" not in str(caught.value)


def test_a_prompt_beyond_the_window_is_refused_before_anything_is_made(
    tmp_path: Path, encoder: Measurer
) -> None:
    asker = Asker(tmp_path / "audit", runner.Models("practice", measurers=[encoder]))
    with pytest.raises(PromptTooLong) as caught:
        asker.explain(question(prompt="a respected doctor " * 40, level=1))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "audit").exists()


def test_words_models_without_a_mask_and_absent_ones(asker: Asker, tmp_path: Path) -> None:
    for model in (str(tmp_path / "nothing"), "no folder"):
        with pytest.raises(LanguageError, match="no such folder"):
            asker.explain(question(transmuter=Transmutation(model=model)))


def test_every_set_shares_its_seeds(asker: Asker) -> None:
    session = asker.session(question(level=2))
    session.draw()
    (study,) = session.studies
    assert isinstance(study, InfluenceStudy)
    replaced = {prompt.text: prompt.factors["replaced"] for prompt in study.prompts()}
    seeds = Counter((replaced[one.prompt], one.seed) for one in requests_of(study))
    assert set(seeds.values()) == {1}
    assert {seed for _, seed in seeds} == {0, 1, 2, 3, 1000, 1001, 1002, 1003}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prompt": 5}, "prompt is 5; allowed: a text"),
        ({"level": "x"}, "level is 'x'; allowed: a whole number"),
        ({"draws": 0}, "draws is 0; allowed: a whole number, 1 or more"),
        ({"budget": "much"}, "budget is 'much'; allowed: a whole number"),
    ],
)
def test_numbers_that_are_none_are_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        question(**settings).study()
