"""One store of votes for an audit: any order, any number of times, nothing displaced."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from portrayal import raters
from portrayal.audit import AuditFolder
from portrayal.errors import ImportFileError
from portrayal.raters.designs import Design, combined
from portrayal.raters.editions import COLUMNS, KIND
from portrayal.raters.merging import merged_questions, merged_votes
from portrayal.raters.questions import association_questions, default_questions
from portrayal.raters.store import written
from portrayal.raters.votes import RatedImage, Vote, Votes
from portrayal.records import Ballot, Identity, ImageRecord, Measurement
from raters_images import png

GENDER = default_questions({"perceived gender": ("man", "woman")})
SKIN = default_questions({"skin tone": ("light skin", "dark skin")})
MOOD = association_questions("Which one?", ("pleasant", "unpleasant"))
SEX = association_questions("Which one?", ("male", "female"))


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    found = AuditFolder.at(tmp_path / "audit", Identity("test", "painter", {}))
    found.append_images([ImageRecord("a nurse", seed, "ok", data=png(seed)) for seed in range(6)])
    return found


def keys(audit: AuditFolder) -> list[str]:
    return [key for (key,) in audit.images().order("seed").select("key").fetchall()]


def person(**answers: str) -> dict[str, str]:
    return {"person": "yes", "attribute": "yes", **answers}


def of_three_studies(audit: AuditFolder) -> dict[str, Votes]:
    """Two studies ask about the same images, a third one about others, in part by one rater."""
    images = keys(audit)
    about = {key: RatedImage() for key in images}
    gender = [Vote(key, who, person(gender="man")) for key in images[:4] for who in "abc"]
    skin = [Vote(key, who, person(skin="dark skin")) for key in images[2:] for who in "cd"]
    mood = [Vote(key, "a", {"association-pleasant-unpleasant": "pleasant"}) for key in images]
    return {
        "gender": Votes(GENDER, about, gender),
        "skin": Votes(SKIN, about, skin),
        "mood": Votes(MOOD, about, mood),
    }


def content(audit: AuditFolder) -> list[tuple[object, ...]]:
    return sorted(audit.votes().select("* EXCLUDE (seconds)").fetchall(), key=str)


@pytest.mark.parametrize("order", list(itertools.permutations(("gender", "skin", "mood"))))
def test_any_order_and_twice_gives_the_same_store(
    audit: AuditFolder, tmp_path: Path, order: tuple[str, ...]
) -> None:
    votes = of_three_studies(audit)
    reference = AuditFolder(shutil.copytree(audit.path, tmp_path / "reference"))
    for name in sorted(votes):
        raters.store_votes(reference, votes[name], source=name)
    for name in (*order, *reversed(order)):
        raters.store_votes(audit, votes[name], source=name)
    assert content(audit) == content(reference)
    found = raters.load_votes(audit)
    assert found == raters.load_votes(reference)
    ids = {one.id for one in found.questions.questions}
    assert ids == {
        "person", "attribute", "gender", "skin", "association-pleasant-unpleasant", "comment",
    }  # fmt: skip
    first = keys(audit)[2]
    said = {tuple(sorted(vote.answers.items())) for vote in found.by_image()[first]}
    assert len(said) == 4  # a with mood, b, c with both, d
    assert found.dropped == {}
    genders = raters.checked_labels(audit, "perceived gender")
    assert genders.labels == ("man",) * 4
    assert genders.n_raters.tolist() == [3] * 4
    assert raters.checked_labels(audit, "skin tone").n_raters.tolist() == [2] * 4


def test_one_question_worded_twice_is_one_and_other_answers_are_another() -> None:
    shown = json.loads(written(GENDER)["gender"])
    from_a_file = json.dumps({**shown, "text": "gender", "counts_if": {}})
    names, questions = merged_questions([from_a_file, *[json.dumps(shown)] * 2])
    assert set(names.values()) == {"gender"}
    assert questions["gender"].text == shown["text"]
    other = {**shown, "answers": [{"key": "a", "text": "a"}, {"key": "b", "text": "b"}]}
    names, questions = merged_questions([json.dumps(other), *[json.dumps(shown)] * 2])
    assert names[json.dumps(shown)] == "gender"
    assert names[json.dumps(other)].startswith("gender-")
    assert len(questions.questions) == 2


def test_a_condition_counts_only_where_it_was_asked(audit: AuditFolder) -> None:
    """One file asks about gender alone, the page asks for a person first."""
    images = keys(audit)
    alone = GENDER.model_copy(
        update={
            "questions": (GENDER["gender"].model_copy(update={"counts_if": {}, "asked_if": {}}),)
        }
    )
    about = {key: RatedImage() for key in images}
    raters.store_votes(audit, Votes(alone, about, [Vote(images[0], "x", {"gender": "woman"})]))
    no_person = {"person": "no", "attribute": "no"}
    page = [Vote(images[1], "y", no_person), Vote(images[2], "y", person(gender="man"))]
    raters.store_votes(audit, Votes(GENDER, about, page))
    found = raters.checked_labels(audit, "perceived gender").by_key()
    assert found == {images[0]: "woman", images[1]: "nobody", images[2]: "man"}


def test_a_blank_is_no_contradiction_and_a_withdrawal_is_no_answer() -> None:
    definition = written(GENDER)["gender"]

    def ballot(answer: str | None, at: int | None = None) -> Ballot:
        return Ballot("image", "gender", definition, "rater", answer, at)

    def settled(*ballots: Ballot) -> list[dict[str, str]]:
        return [dict(vote.answers) for vote in merged_votes(ballots, {}).votes]

    assert settled(ballot("man"), ballot(None)) == [{"gender": "man"}]
    assert settled(ballot("man", 5), ballot(None, 7)) == []
    assert settled(ballot(None, 5), ballot("man", 7), ballot("woman", 6)) == [{"gender": "man"}]
    assert settled(ballot("man"), ballot("man", 3)) == [{"gender": "man"}]
    assert merged_votes([ballot("man"), ballot("woman", 3)], {}).dropped
    assert merged_votes([ballot("man", 3), ballot("woman", 3)], {}).dropped
    assert merged_votes([], {}).votes == []


# --- what 0.1 stored ------------------------------------------------------------------------------


def edition(
    audit: AuditFolder, number: int, votes: dict[str, list[str]], name: str = "raters"
) -> None:
    """Store votes on gender as 0.1 did."""
    asked = GENDER.model_dump(mode="json")
    identity = Identity(KIND, name, {"edition": number, "votes": str(number), "questions": asked})
    rows = [
        Measurement(
            key,
            {
                "votes": [
                    {"rater": str(i), "answers": person(gender=one)} for i, one in enumerate(said)
                ],
                "n": len(said),
            },
        )
        for key, said in votes.items()
    ]
    audit.append_measurements(identity, COLUMNS, rows)


def test_what_an_edition_displaced_is_back(audit: AuditFolder) -> None:
    images = keys(audit)
    edition(audit, 1, {images[0]: ["man", "man"], images[1]: ["man", "man"]})
    edition(audit, 2, {images[1]: ["woman", "woman", "woman"]})
    edition(audit, 1, {images[1]: ["woman"]}, name="experts")
    found = raters.load_votes(audit).by_image()
    assert [vote.answers["gender"] for vote in found[images[0]]] == ["man", "man"]
    assert [vote.answers["gender"] for vote in found[images[1]]] == ["woman"] * 4


def test_votes_of_an_edition_that_are_imported_again_are_not_doubled(audit: AuditFolder) -> None:
    images = keys(audit)
    edition(audit, 1, {images[0]: ["man", "man", "woman"]})
    said = {"a": "man", "b": "woman", "c": "man"}
    same = [Vote(images[0], who, person(gender=one)) for who, one in said.items()]
    raters.store_votes(audit, Votes(GENDER, {images[0]: RatedImage()}, same))
    assert len(raters.load_votes(audit).votes) == 3


# --- designs --------------------------------------------------------------------------------------


def test_probabilities_follow_what_was_answered(audit: AuditFolder) -> None:
    images = keys(audit)
    design = Design({"a": 4, "b": 10}, {images[0]: "a", images[1]: "b", images[2]: "b"})
    assert design.probabilities({images[0], images[2], "other"}) == {
        images[0]: 0.25, images[2]: 0.1,
    }  # fmt: skip
    assert Design.from_dict(json.loads(json.dumps(design.as_dict()))) == design
    assert combined([0.5, 0.2]) == pytest.approx(0.6)
    audit.remember_campaign("check", {"axes": ["perceived gender"], "design": design.as_dict()})
    votes = [Vote(key, "a", person(gender="man")) for key in images[:4]]
    raters.store_votes(audit, Votes(GENDER, {key: RatedImage() for key in images}, votes))
    found = raters.checked_labels(audit, "perceived gender")
    by_key = dict(zip(found.keys, zip(found.probabilities, found.strata, strict=True), strict=True))
    assert by_key[images[0]] == (0.25, "check: a")
    assert by_key[images[1]] == (0.2, "check: b")
    assert by_key[images[3]][1] == ""
    assert by_key[images[3]][0] != by_key[images[3]][0]


def test_two_answers_about_one_image(audit: AuditFolder) -> None:
    image = keys(audit)[0]
    definitions = written(GENDER)
    audit.append_votes(
        [
            Ballot(image, name, definitions[name], rater, answer, answered_at=at, again=again)
            for rater, gender, at, again in (
                ("rater-a", "man", 1, False), ("rater-a", "woman", 9, True),
                ("rater-b", "man", 2, False),
            )
            for name, answer in person(gender=gender).items()
        ]
    )  # fmt: skip
    found = raters.checked_labels(audit, "perceived gender")
    assert found.labels == ("man",)
    assert found.n_raters.tolist() == [2]
    assert {(one.first, one.second, one.same_rater) for one in found.twice} == {
        ("man", "woman", True), ("man", "man", False),
    }  # fmt: skip


def test_votes_name_images_by_key_or_file_and_foreign_ones_store_nothing(tmp_path: Path) -> None:
    from portrayal.importers import import_images

    folder, file = tmp_path / "photos", tmp_path / "votes.csv"
    for place in ("a nurse", "a pilot"):
        (folder / place).mkdir(parents=True)
    (folder / "a nurse" / "anna.png").write_bytes(png(1))
    (folder / "a nurse" / "twice.png").write_bytes(png(2))
    (folder / "a pilot" / "twice.png").write_bytes(png(3))
    import_images(folder, tmp_path / "audit")
    audit = AuditFolder(tmp_path / "audit")
    ((pilot,),) = audit.images().filter("prompt = 'a pilot'").select("key").fetchall()

    def votes(*rows: str) -> raters.VoteImport:
        file.write_text("image,rater,perceived gender\n" + "".join(f"{row}\n" for row in rows))
        return raters.import_votes(audit.path, file)

    votes("anna.png,a,woman", "photos/a nurse/twice.png,a,man", f"{pilot},b,can't tell")
    before = content(audit)
    assert len(before) == 3
    for row, line in [
        ("elsewhere.png,a,woman", "image 'elsewhere.png' is not in"),
        (
            "twice.png,a,woman",
            "image 'twice.png' is the name of 2 images of .*: a nurse/twice.png, a pilot/twice.png",
        ),
        (
            "a cook/anna.png,a,woman",
            "'a cook/anna.png' is not in .*; perhaps meant: a nurse/anna.p",
        ),
        (
            "anna.png,a,robot",
            "row 2: 'robot' is no answer to 'perceived gender'; allowed: ",
        ),
    ]:
        with pytest.raises(ImportFileError, match=line):
            votes(row, "a pilot/twice.png,c,man")
        assert content(audit) == before


def votes_file(tmp_path: Path, audit: AuditFolder, column: str, answers: Sequence[str]) -> Path:
    """Write votes of one rater, one per image; several answers: of as many raters."""
    rows = [f"{key},rater{n},{answer}" for key in keys(audit) for n, answer in enumerate(answers)]
    file = tmp_path / "votes.csv"
    file.write_text("\n".join([f"key,rater,{column}", *rows]), encoding="utf-8")
    return file


def test_an_axis_in_another_case_is_the_known_one(tmp_path: Path, audit: AuditFolder) -> None:
    file = votes_file(tmp_path, audit, "Apparent Age", ("child", "adult"))
    assert raters.import_votes(audit.path, file).unasked == ()
    (axis,) = {question.axis for question in raters.load_votes(audit).questions.axes}
    assert axis == "apparent age"


@pytest.mark.parametrize(
    ("column", "answers", "line"),
    [
        ("perceived gendr", ("woman", "man"), "has the axis 'perceived gendr', which no study .* "
         "did you mean 'perceived gender'[?] nothing was stored"),
        ("perceived gender", ("female",), "votes.csv, row 2: 'female' is no answer to 'perceived "
         "gender'; allowed: man, woman, poor quality, both visible; or say with a map"),
        ("perceived gender", ("",), "votes.csv, row 2: an empty cell is no answer to 'perceived"),
        ("mood", (), "votes.csv: has no votes; wanted: one row per vote"),
    ],
)  # fmt: skip
def test_votes_on_nothing_that_is_known_are_one_line(
    audit: AuditFolder, tmp_path: Path, column: str, answers: tuple[str, ...], line: str
) -> None:
    with pytest.raises(ImportFileError, match=line) as error:
        raters.import_votes(audit.path, votes_file(tmp_path, audit, column, answers))
    assert "\n" not in str(error.value)
    assert content(audit) == []


def test_a_question_of_ones_own_may_have_a_name_of_several_words(
    audit: AuditFolder, tmp_path: Path
) -> None:
    file = votes_file(tmp_path, audit, "hair colour", ("dark", "fair"))
    done = raters.import_votes(audit.path, file)
    assert (done.new, done.unasked) == (12, ("hair colour",))
    assert raters.checked_labels(audit, "hair colour").n == 6
    known = votes_file(tmp_path, audit, "perceived gender", ("woman", "man"))
    assert raters.import_votes(audit.path, known).unasked == ()
