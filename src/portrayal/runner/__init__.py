"""The five verbs over one audit folder, for the CLI and for Python.

    plan -> generate -> measure -> analyze -> report

Each verb computes what is wanted minus what is present and appends, so calling one again, asking
for more images and adding a study are the same act.
"""

from portrayal.runner.making import Imported, generate
from portrayal.runner.planning import plan, plan_all
from portrayal.runner.studies import (
    ablated_study,
    names,
    reworded,
    studies_again,
    studies_for,
    with_real_world,
)
from portrayal.runner.verbs import Done, analyze, figures, measure, report, run
from portrayal.runner.work import Work, is_imported, model_for

__all__ = [
    "Done",
    "Imported",
    "Work",
    "ablated_study",
    "analyze",
    "figures",
    "generate",
    "is_imported",
    "measure",
    "model_for",
    "names",
    "plan",
    "plan_all",
    "report",
    "reworded",
    "run",
    "studies_again",
    "studies_for",
    "with_real_world",
]
