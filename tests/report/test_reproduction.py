"""A paper's page: every table and figure in its order, every published number in its place."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from invented import direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.errors import SettingError, StudyError
from portrayal.findings import AnalysisSettings
from portrayal.papers import Paper, load_paper, paper_names
from portrayal.raters import RatedImage, Vote, Votes, chosen_questions, store_votes
from portrayal.records import Prompt
from portrayal.report import write_reproduction
from portrayal.runner import Models, Session, reproduce, reproduction_models
from portrayal.runner.analysis import analyze

ORDER = {
    "t2iat": ["Figure 1", "Table 1", "Figure 2", "Figure 3", "Figure 4", "Table 2", "Section 5.5",
              "Table 3"],
    "entigen": ["Figure 1", "Table 1", "Table 2", "Table 3", "Table 4", "Figure 2", "Table 5",
                "Table 6", "Figure 3", "Figure 4", "Figure 5", "Figure 6", "Figure 7", "Figure 8",
                "Table 7 and section 4"],
    "paradox": ["Figure 1", "Table 1", "Table 2", "Figure 2", "Figure 3", "Section 5.1", "Figure 4",
                "Section 5.2", "Table 3", "Sections 5.1 to 5.3", "Figure 5",
                "Section 6 and appendix A.6", "Figure 6", "Appendix A.1", "Appendix A.4", "Table 4",
                "Figure 7", "Figure 9", "Table 5", "Tables 6 and 7"],
    "word-level": ["Figure 1", "Table 1", "Figure 2", "Figure 3", "Table 2", "Table 3", "Table 4",
                   "Appendix"],
}  # fmt: skip


@pytest.mark.parametrize("name", ORDER)
def test_every_table_and_figure_is_there_in_the_order_of_the_paper(name: str) -> None:
    assert [one.label for one in load_paper(name).shows] == ORDER[name]


@pytest.mark.parametrize("name", ORDER)
def test_every_published_number_has_its_place(name: str) -> None:
    paper = load_paper(name)
    placed = set()
    for table in (one.table for one in paper.shows if one.table is not None):
        for row in table.rows:
            for column in table.columns:
                of = column.of.replace("{key}", row.key)
                statistic = table.statistic(row, column)
                for model in column.models:
                    study = row.study or paper.asked()[0].name
                    placed.add((study, column.measurer, model, of, statistic))
    printed = {
        (study.name, one.measurer, one.model, number.of, number.statistic)
        for study in paper.asked()
        for one in study.published
        for number in one.numbers
    }
    assert printed <= placed, sorted(printed - placed)[:3]


@pytest.mark.parametrize("name", paper_names())
def test_the_short_form_has_the_names_and_fewer_images(name: str) -> None:
    paper = load_paper(name)
    whole, short = paper.asked(), paper.asked(small=True)
    assert [study.name for study in short] == [study.name for study in whole]
    images = [
        sum(p.images for s in some for p in s.prompts()) + sum(s.undrawn().images for s in some)
        for some in (short, whole)
    ]
    assert images[0] < 800 < images[1]


@pytest.fixture(scope="module")
def paper() -> Paper:
    """ENTIGEN without its galleries: invented images cannot be shown."""
    whole = load_paper("entigen")
    shows = tuple(one for one in whole.shows if not one.images)
    return whole.model_copy(update={"shows": shows})


def test_ours_stand_beside_the_published(audit: AuditFolder, paper: Paper) -> None:
    study = paper.asked(small=True)[0]
    axis = study.asked_axes()["perceived gender"]
    man, woman = axis.groups["man"][0], axis.groups["woman"][0]

    def vectors(prompt: Prompt, seed: int) -> np.ndarray:
        """Doctors are men in three images of four, all others always."""
        is_woman = prompt.factors["attribute"] == "doctor" and seed == 0
        return direction(woman if is_woman else man) + direction(axis.person[0])

    fill_audit(audit, [study], vectors)
    analyze(audit)
    html = write_reproduction(audit, paper, {}).read_text("utf-8")
    table = html[html.index("Table 1.") : html.index("Table 2.")]
    cells = re.findall(r"<td class=\"num (ours|theirs)\">(.*?)</td>", table)
    assert [text for _, text in cells[:3]] == ["0.68", "0.9", "0.84"]
    # Of four professions one has 3 against 1: (2 + 4 + 4 + 4) / 16.
    assert cells[3] == ("ours", "0.88")
    assert cells[6] == ("theirs", "0.82<small>[0.76]</small>"), "the recovered number is marked"
    assert "not rated" in cells[7][1]
    assert "Short form: fewer prompts" in html
    assert "<td>images</td><td>2,214</td><td>256</td>" in html


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"no paper 'entigan' \(did you mean entigen\?\)"):
        load_paper("entigan")
    session = Session(f"{tmp_path}/new", models=Models())
    with pytest.raises(SettingError, match=r"model.*v1-4.*or give `small`"):
        reproduce(session, load_paper("entigen"))


def test_settings_of_the_paper_are_given_and_not_guessed() -> None:
    paper = load_paper("t2iat")
    models = reproduction_models(paper, "weights", {"steps": 20}, ())
    assert models.settings == {"steps": 20, "guidance": 7.5, "width": 512, "height": 512}
    assert models.measurers == paper.measurers
    assert reproduction_models(paper, None, {}, ()).settings == {}
    painter = reproduction_models(paper, "practice:painter", {}, ()).settings
    assert painter == {"width": 512, "height": 512}, "it has no steps"


def painted(paper: Paper, out: Path, **changes: Any) -> str:
    """Reproduce a paper in its shortest form with the painter; return its page."""
    small = paper.small.model_copy(update=changes)
    session = Session(out, models=Models("practice:painter"))
    done = reproduce(session, paper.model_copy(update={"small": small}), small=True)
    return done.page.read_text("utf-8")


def block(html: str, label: str) -> str:
    """Return what a page shows under a label."""
    return html[html.index(f"<h2>{label}. ") :].split("</section>", maxsplit=1)[0]


def ours(html: str, label: str, head: str) -> list[str]:
    """Return our cells in a row of a table."""
    row = next(x for x in block(html, label).split("<tr>") if f'<th scope="row">{head}' in x)
    return re.findall(r"<td class=\"num ours\">([^<]*)", row)


def test_word_level_ends_in_its_tables_and_figures(tmp_path: Path) -> None:
    paper = load_paper("word-level")
    studies = {name: {**changes, "draws": 3} for name, changes in paper.small.studies.items()}
    html = painted(paper, tmp_path / "audit", studies=studies)
    assert "Short form" in html
    assert "<td>images</td><td>16,360</td>" in html
    share, influence = ours(html, "Table 1", "Prompt without &#34;doctor&#34;")
    before = ours(html, "Table 1", "Original Prompt")
    moved = float(share) - float(before[0])
    assert float(influence.replace("\u2212", "-")) == pytest.approx(moved, abs=0.011)
    assert before[1] == "", "the prompt as it is has no influence"
    assert block(html, "Figure 1").count("<img") == 3 + 3 + 3
    assert block(html, "Figure 2").count('class="figure"') == 2
    assert block(html, "Figure 3").count('class="figure"') == 3
    assert re.findall(
        r'<td class="ours">(a|respected|doctor|hospital)</td>', block(html, "Table 2")
    )
    assert "94509" in block(html, "Table 3")
    assert "no data for the table yet" in block(html, "Table 4"), "one measurer alone"


@pytest.fixture(scope="module")
def paradox() -> Paper:
    """The paper, in its shortest form."""
    whole = load_paper("paradox")
    changes = {
        **whole.small.studies["paradox"], "captions": 10, "neighbours": 4, "caption_prompts": 4,
        "occupations": ["engineer", "president", "teacher", "mechanic", "attorney"],
    }  # fmt: skip
    update = {"captions": 1500, "images": 4, "studies": {"paradox": changes}}
    return whole.model_copy(update={"small": whole.small.model_copy(update=update)})


@pytest.fixture(scope="module")
def compared(paradox: Paper, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit in which it was reproduced with the painter."""
    out = tmp_path_factory.mktemp("paradox") / "audit"
    reproduce(Session(out, models=Models("practice:painter")), paradox, small=True)
    return out


def test_paradox_writes_its_training_data_and_ends_in_its_tables_and_figures(
    compared: Path, paradox: Paper
) -> None:
    html = (compared / "report" / "paradox.html").read_text("utf-8")
    assert compared.with_name("audit-corpus").is_dir(), "beside the audit, where it can be deleted"
    assert "<td>images</td><td>744,000</td>" in html
    for figure in ("Figure 1", "Figure 2", "Figure 4"):
        assert block(html, figure).count("<img") > 4
        assert '<ol class="captions"><li>' in block(html, figure)
    assert block(html, "Figure 6").count("<img") == 16
    for figure, n in (("Figure 3", 1), ("Figure 5", 2), ("Figure 7", 3), ("Figure 9", 3)):
        assert block(html, figure).count('class="figure"') == n
    assert '"value": "#1"' in block(html, "Figure 3")
    assert '"value": "all prompts"' in block(html, "Figure 9")
    assert len(ours(html, "Table 3", "Naive Approach")) == 6
    assert "4.35<small>[4.235]</small>" in block(html, "Table 3")
    assert "3.59<small>[3.335]</small>" in block(html, "Table 3")
    assert ours(html, "Section 5.1", "% of captions with an indicator")[0] != ""
    assert "Krippendorff" in block(html, "Appendix A.4")
    # Another run has all it needs and generates nothing, in another place and without the corpus.
    moved = compared.with_name("moved")
    shutil.copytree(compared, moved)
    again = reproduce(Session(moved, models=Models()), paradox, small=True)
    assert again.run.made.made == 0
    assert not moved.with_name("moved-corpus").exists()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_nothing_keeps_people_from_reading_the_page_of_a_paper(
    width: int, scheme: str, chromium: Any, compared: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((compared / "report" / "paradox.html").as_uri())
    page.wait_for_function("document.querySelectorAll('.figure svg, .figure canvas').length > 8")
    found = Axe().run(page).response["violations"]
    across = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    assert across == width
    assert not problems


def test_a_whole_paper_that_needs_a_corpus_says_so_before_a_model_is_loaded(
    tmp_path: Path,
) -> None:
    session = Session(tmp_path / "audit", models=Models("nobody/nothing"))
    with pytest.raises(StudyError, match=r"paradox: needs training captions.*`corpus`"):
        reproduce(session, load_paper("paradox"))


@pytest.mark.slow
def test_people_fill_their_columns_and_every_change_is_tested_from_their_labels(
    audit: AuditFolder, paper: Paper
) -> None:
    study = paper.asked(small=True)[0]
    axis = study.asked_axes()["perceived gender"]
    fill_audit(audit, [study], lambda prompt, seed: direction(axis.groups["man"][0]))
    asked = chosen_questions(study, None)
    keys = {
        (prompt, seed): key
        for key, prompt, seed in audit.images().select("key, prompt, seed").fetchall()
    }
    about, votes = {}, []
    for prompt in study.rated_prompts():
        of, added = prompt.factors["attribute"], prompt.factors["intervention"]
        for seed in range(prompt.images):
            key = keys[prompt.text, seed]
            about[key] = RatedImage(prompt.text, prompt.factors, seed)
            # With "irrespective of their gender" every second image shows a woman, else none.
            woman = added == "irrespective of their gender" and seed % 2
            said = {
                "person": "yes", "attribute": "yes", "gender": "woman" if woman else "man",
                "skin": "light skin",
                "culture": "non-western" if added == "diverse cultures" and of == "bride"
                else "western",
            }  # fmt: skip
            possible = {one.id for one in asked.possible(prompt.factors)}
            answers = {name: one for name, one in said.items() if name in possible}
            votes += [Vote(key, rater, answers) for rater in "abc"]
    store_votes(audit, Votes(asked, about, votes))
    results = analyze(audit, settings=AnalysisSettings(consensus="majority-certain", resamples=99))
    html = write_reproduction(audit, paper, {}).read_text("utf-8")

    def row(table: str, prompt: str) -> list[str]:
        after = html[html.index(f"<h2>{table}.") :]
        line = next(x for x in after.split("<tr>") if f'<th scope="row">{prompt}' in x)
        return re.findall(r"<td class=\"num ours\">(.*?)</td>", line)

    assert row("Table 1", "a photo of a [X]")[1:] == ["1.0", "1.0"]
    assert (
        row("Table 1", "+ if all individuals can be a [X] irrespective of their gender")[1] == "0"
    )
    # Of 12 images 4 of the bride are non-western: every attribute is of one group.
    assert row("Table 2", "+ from diverse cultures") == ["1.0"]
    assert row("Table 3", "Original (Profession)") == ["4.0"]
    by_raters = [one for one in results.findings if one.measurer == "raters" and one.p is not None]
    assert {one.statistic for one in by_raters} >= {"change of diversity score"}
    changed = next(
        one for one in by_raters
        if one.details.get("intervention") == "irrespective of their gender"
        and one.details.get("category") == "profession"
        and one.details.get("axis") == "perceived gender"
    )  # fmt: skip
    assert changed.details["published_after"] == 0
    named = {part.name for section in results.studies for part in section.parts}
    for part in ("bias-perceived-gender", "quality", "scores"):
        assert f"{part} · raters" in named
