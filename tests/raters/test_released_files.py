"""Files of votes as others release them: ENTIGEN's five as they are, and files without a map."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import in_a_process
from portrayal.audit import AuditFolder
from portrayal.errors import ImportFileError
from portrayal.raters import import_votes, load_votes
from portrayal.raters.scoring import score_file
from portrayal.records import Identity, ImageRecord
from raters_images import png

LAYOUT = Path(__file__).parents[3] / "shared" / "data" / "entigen" / "layout.json"
SITES = {"minDALL-E": "mindalle-images", "DALL-E-mini": "minidalle-images",
         "Stable Diffusion": "stablediffusionimages"}  # fmt: skip
USED = {"profession": (1, 2, 3, 4, 5, 10, 11), "objects": (1, 2, 3, 5), "geographical": range(1, 6)}
UNUSED = {"profession": ("Prompt7", "S1"), "objects": ("Prompt4",), "geographical": ("Prompt6",)}
ATTRIBUTES = {"profession": ("police officer", "doctor"), "objects": ("suit", "scarf", "makeup"),
              "geographical": ("bride", "groom", "wedding")}  # fmt: skip
FILES = {
    "geo_results.csv": (("minDALL-E", "DALL-E-mini"), ("geographical",)),
    "mindalle_gender_skin_color_results.csv": (("minDALL-E",), ("profession", "objects")),
    "minidalle_gender_skin_color_results.csv": (("DALL-E-mini",), ("profession", "objects")),
    "stablediff_gender_skin_color_results.csv": (("Stable Diffusion",), ("profession", "objects")),
    "stablediff_geo_results.csv": (("Stable Diffusion",), ("geographical",)),
}
WOMEN = {"Prompt1": 1, "Prompt2": 4, "Prompt3": 2, "Prompt5": 9}
"""Of nine images of an attribute, so many show the second group; else three."""


def answers(category: str, folder: str, image: int, rater: int) -> list[str]:
    """One rater of three cannot judge image 8; one says that image 7 does not show it."""
    second = image < WOMEN.get(folder, 3)
    group = "3" if image == 8 and rater == 0 else "2" if second else "1"
    shows = "2" if image == 7 and rater == 2 else "1"
    return [shows, group] if category == "geographical" else ["1", shows, group, "1"]


def rows(name: str, layout: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Rows with the columns of the released file, in another order than the paper's."""
    models, categories = FILES[name]
    example = layout[name]["example"][0]
    places = [column for column in layout[name]["columns"] if column.startswith("Answer.")]
    for model in models:
        for category in categories:
            folders = [*UNUSED[category], *(f"Prompt{n}" for n in reversed(USED[category]))]
            for folder in folders:
                for attribute in ATTRIBUTES[category]:
                    caption = f"a photo of a {attribute}".replace(" ", "+")
                    for image in range(9):
                        url = (f"https://{SITES[model]}.s3.us-west-1.amazonaws.com/{category}/"
                               f"{folder}/{caption}/{image}.jpg")  # fmt: skip
                        for rater in range(3):
                            given = answers(category, folder, image, rater)
                            yield {
                                **example, "WorkerId": f"W{rater}", "Input.occu": attribute,
                                "Input.url": url, **dict(zip(places, given, strict=True)),
                            }  # fmt: skip


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    if not LAYOUT.exists():
        pytest.skip("the layout of ENTIGEN's files is not at ../shared/data/entigen")
    layout = json.loads(LAYOUT.read_text("utf-8"))
    folder = tmp_path_factory.mktemp("released")
    for name in FILES:
        with (folder / name).open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, layout[name]["columns"])
            writer.writeheader()
            writer.writerows(rows(name, layout))
    return sorted(folder.iterdir())


def test_all_five_files_in_one_command(released: list[Path]) -> None:
    done = in_a_process(
        "votes", *map(str, released), "--map", "entigen", "--rule", "majority-certain", "--json"
    )
    found = json.loads(done.out)
    assert found["votes"] == 3 * 9 * 3 * (2 * 7 + 3 * 4 + 3 * 5), "2 of 3 categories, each model"
    assert sum(found["dropped"].values()) == 3 * 9 * 3 * (2 * 2 + 3 + 3)
    score = {
        (*one["group"].values(), one["axis"]): one["diversity"]["published"]
        for one in found["scores"]
    }
    assert len(score) == 3 * (7 * 2 + 4 * 2 + 5)
    for model in SITES:
        # Image 8 is uncertain by the rule of the paper, so 8 images count: |8 - 2 k| / 8.
        gender = (model, "profession", "irrespective of their gender", "perceived gender")
        assert score[gender] == pytest.approx(0 / 8)
        assert score[model, "wedding", "diverse cultures", "culture"] == pytest.approx(0 / 8)
        assert score[model, "object", "compassion", "perceived gender"] == pytest.approx(1)
        assert score[model, "object", "compassion", "skin tone"] == 1
    models = list(dict.fromkeys(one["group"]["model"] for one in found["scores"]))
    assert models == list(SITES), "in the order of the map"
    first = [one["group"]["intervention"] for one in found["scores"]][:3]
    assert first == ["original", "irrespective of their gender", "all genders"]


def test_tables_are_readable_and_csv(released: list[Path], tmp_path: Path) -> None:
    done = in_a_process("votes", str(released[0]), "--map", "entigen", env={"COLUMNS": "80"})
    assert "minDALL-E · wedding · culture" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines() if not line.endswith("."))
    in_a_process("votes", str(released[0]), "--map", "entigen", "--csv", str(tmp_path / "tables"))
    with (tmp_path / "tables" / "human-diversity.csv").open(encoding="utf-8") as handle:
        table = list(csv.DictReader(handle))
    assert [row["intervention"] for row in table[:2]] == ["original", "diverse cultures"]


def test_a_url_that_does_not_match_is_named(released: list[Path], tmp_path: Path) -> None:
    text = released[0].read_text("utf-8").replace("/geographical/", "/", 1)
    broken = tmp_path / "geo_results.csv"
    broken.write_text(text, encoding="utf-8")
    with pytest.raises(ImportFileError, match=r"geo_results.csv, row 2, column Input.url: .*match"):
        score_file(broken, Path("entigen"))
    other = broken.rename(tmp_path / "other.csv")
    with pytest.raises(ImportFileError, match=r"other.csv: the map has no \[\[files\]\] for it"):
        score_file(other, Path("entigen"))


def test_a_plain_csv_needs_no_map(tmp_path: Path) -> None:
    lines = ["image,rater,occupation,perceived gender"]
    for i in range(6):
        for rater in "abc":
            said = "woman" if i < 2 else "can't judge" if (i, rater) == (5, "c") else "man"
            lines.append(f"i{i},{rater},{'nurse' if i < 3 else 'chef'},{said}")
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    found = score_file(file)
    counts = {one["group"]["occupation"]: one["attributes"][0]["counts"] for one in found["scores"]}
    assert counts == {"nurse": {"man": 1, "woman": 2}, "chef": {"man": 3, "woman": 0}}
    file.write_text("picture,rater,x\n1,a,b\n", encoding="utf-8")
    with pytest.raises(ImportFileError, match=r"mine.csv: no column for the image; allowed: key"):
        score_file(file)


def test_plain_files_with_other_columns_are_stored_in_one_command(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "invented", {}))
    audit.append_images([ImageRecord("a nurse", i, "ok", data=png(i)) for i in range(4)])
    keys = [key for (key,) in audit.images().order("seed").select("key").fetchall()]

    def write(name: str, question: str, answers: str, own: list[str]) -> Path:
        lines = [f"key,rater,{question}"]
        lines += [
            f"{key},{who},{answer}"
            for key in own
            for who, answer in zip("ab", answers, strict=True)
        ]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
        return tmp_path / name

    files = [
        write("moods.csv", "mood", "xy", keys[:2]),
        write("sizes.csv", "size", "ls", keys[1:3]),
        write("more.csv", "mood", "zz", keys[3:]),  # raters agree here: told from moods.csv
    ]
    done = import_votes(audit.path, files)
    assert (done.images, done.raters, done.votes, done.new) == (4, 2, 10, 10)
    votes = load_votes(AuditFolder(audit.path))
    assert {one.id for one in votes.questions.choices} == {"mood", "size"}
    assert import_votes(audit.path, files).new == 0
    with pytest.raises(
        ImportFileError, match=r"moods.csv and sizes.csv have different columns or separators"
    ):
        score_file(files)


def test_an_export_of_label_studio_needs_no_map(tmp_path: Path) -> None:
    def choice(name: str, value: str) -> dict[str, Any]:
        return {"from_name": name, "to_name": "image", "type": "choices",
                "value": {"choices": [value]}}  # fmt: skip

    tasks = [
        {
            "id": i,
            "data": {"key": f"k{i}", "attribute": "nurse"},
            "annotations": [
                {"completed_by": {"id": rater},
                 "result": [choice("person", "yes"), choice("gender", said)]}
                for rater, said in enumerate(["woman", "woman", "man" if i else "woman"])
            ],
        }
        for i in range(3)
    ]  # fmt: skip
    file = tmp_path / "export.json"
    file.write_text(json.dumps(tasks), encoding="utf-8")
    (score,) = score_file(file)["scores"]
    assert (score["axis"], score["usable"]) == ("perceived gender", 3)
    assert score["attributes"][0]["counts"] == {"man": 0, "woman": 3}
