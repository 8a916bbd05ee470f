"""What people say about images: questions, votes, consensus, scores.

score_file(file, map)               score a raters' file alone, without images
import_votes(audit, file, map)      keep the votes of a raters' file with an audit
export_tasks(audit, out)            tasks for Label Studio or Mechanical Turk
load_votes(audit)                   the votes that an audit holds
checked_labels(audit, axis)         the raters' consensus, image by image, with its sampling
compare_labels(human, machine)      how often a classifier says what raters say
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
