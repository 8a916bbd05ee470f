"""Studies: questions as data. Read and validate a study, expand it into prompts.

load_study("flowers-insects")       a built-in study by name
load_study("mine.toml")             one from a file
load_studies("t2iat")               all studies of a suite
builtin_studies()                   what there is, with prompts and images
template_text("association")        a commented file to start from
"""

from __future__ import annotations

from portrayal.study.ablation import Ablation, ablated
from portrayal.study.amplification import AmplificationStudy
from portrayal.study.association import NEUTRAL, AssociationStudy, Contrast
from portrayal.study.axes import UNKNOWN, Axis, default_axes
from portrayal.study.composition import CompositionStudy
from portrayal.study.influence import InfluenceStudy
from portrayal.study.intervention import InterventionStudy
from portrayal.study.interventions import IRRELEVANT, ORIGINAL, Category, Intervention
from portrayal.study.reading import (
    KINDS,
    StudyInfo,
    builtin_names,
    builtin_studies,
    in_telling_order,
    load_studies,
    load_study,
    study_from_dict,
    study_from_toml,
)
from portrayal.study.schema import Number, Published, Study
from portrayal.study.starters import template_text
from portrayal.study.suite import Suite

__all__ = [
    "IRRELEVANT",
    "KINDS",
    "NEUTRAL",
    "ORIGINAL",
    "UNKNOWN",
    "Ablation",
    "AmplificationStudy",
    "AssociationStudy",
    "Axis",
    "Category",
    "CompositionStudy",
    "Contrast",
    "InfluenceStudy",
    "Intervention",
    "InterventionStudy",
    "Number",
    "Published",
    "Study",
    "StudyInfo",
    "Suite",
    "ablated",
    "builtin_names",
    "builtin_studies",
    "default_axes",
    "in_telling_order",
    "load_studies",
    "load_study",
    "study_from_dict",
    "study_from_toml",
    "template_text",
]
