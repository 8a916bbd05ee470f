"""The columns of label files: any case, each name once."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from portrayal.errors import ImportFileError
from portrayal.importers import read_labels


@pytest.mark.parametrize("heads", ["image,axis,label,label", "Image,Axis,LABEL, label"])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, heads: str) -> None:
    """The last one was taken."""
    file = tmp_path / "l.csv"
    file.write_text(f"{heads}\na.png,perceived gender,woman,man\n", encoding="utf-8")
    with pytest.raises(ImportFileError, match=r"l.csv: two columns are called 'label'; remove or"):
        read_labels(file)


def test_two_columns_of_a_parquet_file_may_not_differ_in_case_alone(tmp_path: Path) -> None:
    file = tmp_path / "l.parquet"
    pd.DataFrame({"image": ["a"], "label": ["b"], "Label": ["c"]}).to_parquet(file)
    with pytest.raises(ImportFileError, match="two columns are called 'label'"):
        read_labels(file, axis="perceived gender")


def test_columns_are_read_in_any_case_and_others_stay_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "l.csv"
    file.write_text(" Image ,AXIS,Label,Probability,\na.png,age,young,0.9,\n", encoding="utf-8")
    (row,) = read_labels(file)
    assert (row.image, row.axis, row.label, row.probability) == (Path("a.png"), "age", "young", 0.9)
