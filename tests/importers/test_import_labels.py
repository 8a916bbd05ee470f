"""Labels given elsewhere become a measurer's; bad files are one line and change nothing."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from import_samples import folder_of

import portrayal as pt
from portrayal.audit import AuditFolder
from portrayal.errors import ImportFileError
from portrayal.findings import LabelTable
from portrayal.importers import import_images, import_labels

GENDER = "perceived gender"
STUDY = """\
kind = "composition"
images = 4
template = "a photo of a {job}"
axes = ["perceived gender"]
[factors]
job = ["nurse", "judge"]
"""


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    rows = [
        {"image": f"sub/{job}-{i}.png", "prompt": f"a photo of a {job}"}
        for job in ("nurse", "judge")
        for i in range(4)
    ]
    import_images(folder_of(tmp_path / "files", rows), tmp_path / "audit", name="MyModel")
    return AuditFolder(tmp_path / "audit")


def write(where: Path, text: str) -> Path:
    where.write_text(text, encoding="utf-8")
    return where


def labels(folder: AuditFolder, tmp_path: Path, text: str, name: str = "FairFace") -> str:
    return import_labels(folder, write(tmp_path / "l.csv", text), measurer=name).sentence()


WHOLE = "image,axis,label,probability\n" + "".join(
    f"{job}-{i}.png,{GENDER},{'woman' if job == 'nurse' else 'man'},0.{9 - i}\n"
    for job in ("nurse", "judge")
    for i in range(4)
)


def test_a_run_needs_no_measurer_where_labels_were_imported(
    audit: AuditFolder, tmp_path: Path
) -> None:
    said = labels(audit, tmp_path, WHOLE)
    assert said == "FairFace: labels of 8 images added, 0 present before, 0 images without labels"
    assert "0 images added" in labels(audit, tmp_path, WHOLE).replace("labels of ", "")
    done = pt.run(write(tmp_path / "jobs.toml", STUDY), out=audit.path)
    shares = {
        finding.question: (finding.estimate, finding.n)
        for finding in done.findings.filter(statistic="group share")
    }
    assert list(shares.values()) == [(1.0, 4), (0.0, 4)]
    frame = LabelTable(audit).to_frame()
    assert set(frame["measurer"]) == {"FairFace"}
    assert sorted(frame["probability"].round(2))[:2] == [0.6, 0.6]
    assert done.report.is_file()


def test_images_are_named_by_key_or_by_prompt_and_seed(audit: AuditFolder, tmp_path: Path) -> None:
    ((key,), *_) = audit.images().select("key").limit(1).fetchall()
    labels(audit, tmp_path, f"key;axis;label\n{key};{GENDER};woman\n", "by key")
    file = tmp_path / "labels.parquet"
    rows = {"prompt": ["a photo of a judge"] * 2, "seed": [0, 1], "label": ["man", "unknown"]}
    pd.DataFrame(rows).to_parquet(file)
    found = import_labels(audit, file, measurer="by seed", axis=GENDER)
    assert (found.images, found.without) == (2, 6)


def test_several_people_are_several_answers(audit: AuditFolder, tmp_path: Path) -> None:
    rows = "".join(
        f"nurse-0.png,{GENDER},{label},{person}\n"
        for person, label in enumerate(["woman", "man", "woman"], 1)
    )
    labels(audit, tmp_path, f"image,axis,label,person\n{rows}")
    pt.run(write(tmp_path / "jobs.toml", STUDY), out=audit.path)
    frame = LabelTable(audit).to_frame()
    one = frame[frame["key"].isin(frame[frame["person"].notna()]["key"])]
    assert one["label"].tolist() == ["woman", "woman", "man", "woman"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "has no rows|cannot be read"),
        ("image,axis,label\n", "has no rows; wanted: one row per label"),
        ("image,label\nnurse-0.png,woman\n", "row 1: needs the columns label, axis and image"),
        ("axis,label\ngender,woman\n", r"and image \(or key, or prompt and seed\)"),
        (
            "image,axis,label\nnurse-0.png,gender,woman\nabsent.png,gender,man\n",
            "row 3: image 'absent.png' is not in .*; allowed: the path 'sub/[a-z]+-[0-9].png', or ",
        ),
        (
            "image,axis,label,probability\nnurse-0.png,gender,woman,1.2\n",
            "row 2: probability is '1.2'; allowed: 0 to 1",
        ),
        (
            "image,axis,label,person\nnurse-0.png,gender,woman,first\n",
            "row 2: person is 'first'; allowed: a whole number, 1 or more",
        ),
        ("image,axis,label\nnurse-0.png,gender,\n", 'row 2: no label; .* write "unknown"'),
        (
            "image,axis,label,probability\nnurse-0.png,gender,woman,nan\n",
            "row 2: probability is 'nan'; allowed: 0 to 1",
        ),
        ("image,axis,label\nnurse-0.png,gender,a,b\n", "row 2 has 4 cells, the first row 3"),
        (
            "image,axis,label\nnurse-0.png,gender,woman\nnurse-0.png,gender,man\n",
            "row 3: .*probabilities above 1 together; give each person a number",
        ),
    ],
)
def test_bad_files_are_one_line_and_change_nothing(
    audit: AuditFolder, tmp_path: Path, text: str, line: str
) -> None:
    with pytest.raises(ImportFileError, match=line) as error:
        labels(audit, tmp_path, text)
    assert "\n" not in str(error.value)
    assert audit.measurers() == []


def test_other_labels_under_the_same_name_are_refused(audit: AuditFolder, tmp_path: Path) -> None:
    labels(audit, tmp_path, WHOLE)
    with pytest.raises(ImportFileError, match=r"has other labels by 'FairFace' already; choose"):
        labels(audit, tmp_path, WHOLE.replace("0.9", "0.8"))


def test_groups_that_the_study_does_not_have_are_said_in_the_finding(
    audit: AuditFolder, tmp_path: Path
) -> None:
    labels(audit, tmp_path, WHOLE.replace("woman", "Female"))
    done = pt.run(write(tmp_path / "jobs.toml", STUDY), out=audit.path)
    reasons = {finding.reason for finding in done.findings}
    assert all("answers 'Female' on the axis" in str(one) for one in reasons)


AXES = {GENDER: ("woman", "man")}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            WHOLE.replace("woman", "Female"),
            "row 2: has the label 'Female' on the axis 'perceived gender'; allowed: woman, man, "
            "unknown, nobody; to use groups of your own, first generate a study that has them: ",
        ),
        (
            WHOLE.replace(GENDER, "Perceived gendr"),
            "row 2: has the axis 'Perceived gendr', which no study asks about; did you mean "
            "'perceived gender'[?] for an axis of your own, choose a name",
        ),
    ],
)
def test_other_labels_of_a_known_axis_and_its_name_misspelt_are_refused(
    audit: AuditFolder, tmp_path: Path, text: str, line: str
) -> None:
    with pytest.raises(ImportFileError, match=line) as error:
        import_labels(audit, write(tmp_path / "l.csv", text), measurer="M", axes=AXES)
    assert "\n" not in str(error.value)
    assert audit.measurers() == []


def test_groups_in_another_case_are_read_as_the_known_ones_and_said(
    audit: AuditFolder, tmp_path: Path
) -> None:
    """DeepFace writes "Man" and "Woman"."""
    rows = WHOLE.replace("woman", "Woman").replace(",man,0.6", ",Unknown,0.6")
    file = write(tmp_path / "l.csv", rows.replace(",man,", ",Man,"))
    found = import_labels(audit, file, measurer="DeepFace", axes=AXES)
    assert found.sentence() == (
        "DeepFace: labels of 8 images added, 0 present before, 0 images without labels; 'Woman' "
        "read as 'woman', 'Man' read as 'man', 'Unknown' read as 'unknown'"
    )
    assert found.as_dict()["read_as"] == {"Woman": "woman", "Man": "man", "Unknown": "unknown"}
    pt.run(write(tmp_path / "jobs.toml", STUDY), out=audit.path)
    assert set(LabelTable(audit).to_frame()["label"]) == {"woman", "man", "unknown"}


def test_an_axis_that_nobody_asks_about_is_stored_and_named(
    audit: AuditFolder, tmp_path: Path
) -> None:
    rows = "nurse-0.png,glasses,with,1\njudge-0.png,glasses,unknown,1\n"
    file = write(tmp_path / "l.csv", WHOLE + rows)
    found = import_labels(audit, file, measurer="M", axes=AXES)
    assert (found.images, found.unasked) == (8, ("glasses",))
    assert found.as_dict()["unasked"] == ["glasses"]
    assert found.as_dict()["unasked_labels"] == {"glasses": ["with"]}


def test_labels_are_not_imported_as_people(audit: AuditFolder, tmp_path: Path) -> None:
    """Findings call people's answers "raters"; a classifier of that name would pass for them."""
    with pytest.raises(ImportFileError, match=r"portrayal import votes .* choose another name"):
        labels(audit, tmp_path, WHOLE, "raters")
    assert not audit.measurers()


@pytest.mark.parametrize("name", ["faces", "practice", "judge:gpt-5"])
def test_labels_are_not_imported_under_the_name_of_an_installed_measurer(
    audit: AuditFolder, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ImportFileError, match=rf"`measurer` is '{name}', the name of an install"):
        labels(audit, tmp_path, WHOLE, name)
    assert not audit.measurers()


def test_the_columns_of_another_tools_table_are_named(audit: AuditFolder, tmp_path: Path) -> None:
    text = "img,dominant_gender\nnurse-0.png,Woman\n"
    with pytest.raises(ImportFileError, match=r"got: dominant_gender, img|got: img, dominant_gend"):
        labels(audit, tmp_path, text)


@pytest.fixture
def twins(tmp_path: Path) -> AuditFolder:
    """Images of which two have the same name, in two folders."""
    rows = [{"image": one, "prompt": one[0]} for one in ("a/1.png", "b/1.png", "b/2.png")]
    import_images(folder_of(tmp_path / "photos", rows), tmp_path / "twins", name="MyModel")
    return AuditFolder(tmp_path / "twins")


def labelled(audit: AuditFolder) -> dict[str, str]:
    """Return the label of every image by its path."""
    keys = audit.images(with_bytes=True).select("key, image.path").fetchall()
    frame = LabelTable(audit).to_frame().set_index("key")["label"]
    return {path: frame[key] for key, path in keys if key in frame}


@pytest.mark.parametrize(
    "name",
    ["a/1.png", "photos/a/1.png", "/home/me/photos/a/1.png", "./a/1.png", r"C:\photos\a\1.png"],
)
def test_a_longer_path_labels_the_image_that_it_ends_in(
    twins: AuditFolder, tmp_path: Path, name: str
) -> None:
    found = labels(
        twins, tmp_path, f"image,axis,label\n{name},{GENDER},woman\n2.png,{GENDER},man\n"
    )
    assert found == "FairFace: labels of 2 images added, 0 present before, 1 images without labels"
    pt.run(write(tmp_path / "jobs.toml", TWINS), out=twins.path)
    assert labelled(twins) == {"a/1.png": "woman", "b/2.png": "man"}


TWINS = """\
kind = "composition"
images = 2
template = "{p}"
axes = ["perceived gender"]
[factors]
p = ["a", "b"]
"""


def test_paths_of_images_with_one_name_are_told_apart(twins: AuditFolder, tmp_path: Path) -> None:
    rows = f"photos/a/1.png,{GENDER},woman,0.5\nphotos/b/1.png,{GENDER},man,0.5\n"
    labels(twins, tmp_path, f"image,axis,label,probability\n{rows}")
    pt.run(write(tmp_path / "jobs.toml", TWINS), out=twins.path)
    assert labelled(twins) == {"a/1.png": "woman", "b/1.png": "man"}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("1.png", r"'1.png' is the name of 2 images of .*: a/1.png, b/1.png; name the image by mo"),
        ("c/1.png", r"'c/1.png' is not in .*; perhaps meant: a/1.png, b/1.png"),
        ("c/2.png", r"'c/2.png' is not in .*; perhaps meant: b/2.png"),
        (
            "3.png",
            r"'3.png' is not in .*; allowed: the path '[ab]/[12].png', or the key '[0-9a-f]+",
        ),
    ],
)
def test_a_path_that_means_no_image_or_several_is_refused(
    twins: AuditFolder, tmp_path: Path, name: str, line: str
) -> None:
    with pytest.raises(ImportFileError, match=f"l.csv: row 2: image {line}"):
        labels(twins, tmp_path, f"image,axis,label\n{name},{GENDER},woman\n")
    assert twins.measurers() == []


def test_the_whole_path_of_an_image_means_it_though_others_end_alike(tmp_path: Path) -> None:
    rows = [{"image": one, "prompt": "a"} for one in ("1.png", "b/1.png")]
    import_images(folder_of(tmp_path / "photos", rows), tmp_path / "audit", name="MyModel")
    audit = AuditFolder(tmp_path / "audit")
    for name, measurer in (("1.png", "A"), ("photos/1.png", "B")):
        said = labels(audit, tmp_path, f"image,axis,label\n{name},{GENDER},woman\n", measurer)
        assert said.startswith(f"{measurer}: labels of 1 images added")


def test_one_file_of_two_prompts_is_labelled_once(tmp_path: Path) -> None:
    rows = [{"image": "1.png", "prompt": prompt} for prompt in "ab"]
    import_images(folder_of(tmp_path / "photos", rows), tmp_path / "audit", name="MyModel")
    said = labels(
        AuditFolder(tmp_path / "audit"), tmp_path, f"image,axis,label\n1.png,{GENDER},man\n"
    )
    assert said.startswith("FairFace: labels of 2 images added")


def test_a_row_twice_says_what_to_do(audit: AuditFolder, tmp_path: Path) -> None:
    row = f"nurse-0.png,{GENDER},woman\n"
    with pytest.raises(ImportFileError, match=r"row 3: .* already; remove one of the two rows"):
        labels(audit, tmp_path, f"image,axis,label\n{row}sub/{row}")


def test_columns_and_axes_may_be_written_in_any_case(audit: AuditFolder, tmp_path: Path) -> None:
    text = "Image,Axis,LABEL,Probability\nnurse-0.png,Perceived Gender,woman,0.9\n"
    found = import_labels(audit, write(tmp_path / "l.csv", text), measurer="M", axes=AXES)
    assert (found.images, found.unasked) == (1, ())
    assert found.sentence().endswith("'Perceived Gender' read as 'perceived gender'")
    assert found.measurer.settings["axes"] == [GENDER]


def test_an_axis_beside_a_column_of_axes_has_to_be_the_same(
    audit: AuditFolder, tmp_path: Path
) -> None:
    file = write(tmp_path / "l.csv", WHOLE)
    with pytest.raises(ImportFileError, match=r"row 2: .* and `axis` is 'nonsense'; leave out"):
        import_labels(audit, file, measurer="M", axis="nonsense")
    assert import_labels(audit, file, measurer="M", axis=GENDER).images == 8
