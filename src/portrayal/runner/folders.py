"""A folder of images in place of a study: who is shown in it?"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.importers import import_images
from portrayal.runner.session import Place
from portrayal.runner.studies import Asked
from portrayal.studies import builtin_names, study_from_dict

AXES = ("perceived gender", "skin tone")
"""What is asked of images about which nothing else is known."""


def brought(asked: Asked, out: Place, *, say: Callable[[str], None] | None = None) -> Asked:
    """Import a folder of images that is named in place of a study, and return its study.

    The study is a composition: one level for each prompt of the folder's manifest, or for each
    folder of images where there is no manifest. Broken images are stored as failed and listed.
    Anything else is returned as it is.

    Args:
        asked: What to run.
        out: The audit's folder.
        say: Told what was imported, and what was not, if anything.

    Raises:
        ImportFileError: The folder has no image that can be read.
        AuditError: The audit is about something else.
    """
    if not isinstance(asked, str | os.PathLike) or str(asked) in builtin_names():
        return asked
    if not Path(asked).is_dir():
        return asked
    done = import_images(asked, out, skip_broken=True)
    # Before anything else can end the run: the audit stays.
    if say is not None and (done.added or done.skipped or done.passed_over):
        say(done.sentence())
    return study_from_dict(_study(Path(asked), AuditFolder(out)), source=str(asked))


def _study(folder: Path, audit: AuditFolder) -> Mapping[str, Any]:
    counts = Counter(prompt for (prompt,) in audit.images().select("prompt").fetchall())
    name, most = folder.resolve().name, max(counts.values())
    return {
        "kind": "composition",
        "name": re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "folder",
        "title": f"Who is shown in {name}?",
        "question": "Who is shown?",
        "images": most,
        "fewer": {prompt: n for prompt, n in counts.items() if n < most},
        "axes": list(AXES),
        "prompts": [{"text": one, "factors": {"folder": one}} for one in sorted(counts)],
    }
