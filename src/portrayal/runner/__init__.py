"""The verbs over one audit folder, for the CLI and for Python.

    plan -> generate -> measure -> analyze -> report

Each verb takes a session: an audit, studies and models, opened once. It computes what is wanted
minus what is present and appends, so calling one again, asking for more images and adding a study
are the same act.
"""

from portrayal.runner.engines import EngineSettings
from portrayal.runner.generation import Imported, generate
from portrayal.runner.measurement import measure
from portrayal.runner.models import Models
from portrayal.runner.planning import Plan, plan
from portrayal.runner.session import Session
from portrayal.runner.studies import ablated_study, find_studies, names, reworded, with_real_world
from portrayal.runner.verbs import RunSummary, analyze, explain, figures, report, run

__all__ = [
    "EngineSettings",
    "Imported",
    "Models",
    "Plan",
    "RunSummary",
    "Session",
    "ablated_study",
    "analyze",
    "explain",
    "figures",
    "find_studies",
    "generate",
    "measure",
    "names",
    "plan",
    "report",
    "reworded",
    "run",
    "with_real_world",
]
