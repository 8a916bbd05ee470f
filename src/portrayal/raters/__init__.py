"""What people say about images: questions, votes, consensus, scores.

score_labels(file, map)             score a raters' file alone, without images
import_labels(audit, file, map)     keep the votes of a raters' file with an audit
export_tasks(audit, out)            tasks for Label Studio or Mechanical Turk
load_votes(audit)                   the votes that an audit holds
human_labels(audit, axis)           the raters' consensus, image by image
compare_labels(human, machine)      how often a classifier says what raters say
"""

from __future__ import annotations

from portrayal.raters.comparison import ComparisonResult, compare_labels
from portrayal.raters.consensus import Decisions, decide
from portrayal.raters.questions import (
    Answer,
    Question,
    QuestionSet,
    default_questions,
    read_questions,
)
from portrayal.raters.scoring import score_labels, score_votes
from portrayal.raters.storage import (
    LabelImport,
    human_labels,
    import_labels,
    load_votes,
    store_votes,
)
from portrayal.raters.tasks import TaskExport, export_tasks
from portrayal.raters.votes import RatedImage, Vote, Votes

__all__ = [
    "Answer",
    "ComparisonResult",
    "Decisions",
    "LabelImport",
    "Question",
    "QuestionSet",
    "RatedImage",
    "TaskExport",
    "Vote",
    "Votes",
    "compare_labels",
    "decide",
    "default_questions",
    "export_tasks",
    "human_labels",
    "import_labels",
    "load_votes",
    "read_questions",
    "score_labels",
    "score_votes",
    "store_votes",
]
