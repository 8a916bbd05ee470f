"""Studies: questions as data. Read and validate a study, expand it into prompts.

load_study("flowers-insects")       a built-in study by name
load_study("mine.toml")             one from a file
load_studies("t2iat")               all studies of a suite
builtin_studies()                   what there is, with prompts and images
starter_text("association")         a commented file to start from
"""

from __future__ import annotations

from portrayal.studies.axes import NOBODY, UNKNOWN, Axis, default_axes, named_axes
from portrayal.studies.problems import did_you_mean
from portrayal.studies.reading import (
    StudyInfo,
    builtin_names,
    builtin_studies,
    in_telling_order,
    load_studies,
    load_study,
    starter_text,
    study_from_dict,
    study_from_toml,
)
from portrayal.studies.registry import StudyKind, kind_names, kind_of, registered_kinds
from portrayal.studies.schema import Number, Published, Study
from portrayal.studies.suite import Suite

__all__ = [
    "NOBODY",
    "UNKNOWN",
    "Axis",
    "Number",
    "Published",
    "Study",
    "StudyInfo",
    "StudyKind",
    "Suite",
    "builtin_names",
    "builtin_studies",
    "default_axes",
    "did_you_mean",
    "in_telling_order",
    "kind_names",
    "kind_of",
    "load_studies",
    "load_study",
    "named_axes",
    "registered_kinds",
    "starter_text",
    "study_from_dict",
    "study_from_toml",
]
