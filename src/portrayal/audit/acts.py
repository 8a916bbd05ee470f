"""What was retired, restored or renamed in an audit, and why: one small file per act.

Nothing is deleted. Several processes may act at once; of two acts about one thing the later counts.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from portrayal.audit.documents import read_json
from portrayal.audit.files import write_text
from portrayal.errors import AuditError, one_of
from portrayal.records import digest

Thing = Literal["measurer", "campaign", "study"]
"""What can be retired."""

THINGS: tuple[str, ...] = get_args(Thing)
FOLDER = "acts"


@dataclass(frozen=True, slots=True)
class Act:
    """One act.

    Attributes:
        act: "retire", "restore" or "rename".
        thing: What kind of thing it is about.
        name: The study's or campaign's name; of a measurer the digest of its identity.
        label: What a reader calls it.
        reason: Why.
        to: The new name, where it was renamed.
        at: When, in UTC.
    """

    act: str
    thing: str
    name: str
    label: str
    reason: str
    to: str = ""
    at: str = ""

    def words(self) -> str:
        """Say in one line that the thing does not count, and why."""
        return (
            f"The {self.thing} {self.label} was retired on {self.at[:10]}: "
            f"{self.reason.rstrip('.')}. It is kept, but not counted."
        )


def record_act(audit: Path, act: Act) -> Act:
    """Write an act down; return it with its time.

    Raises:
        AuditError: It gives no reason.
    """
    if not act.reason.strip():
        raise AuditError(f"{audit}: to {act.act} a {act.thing} needs a `reason`, which is reported")
    now = dt.datetime.now(dt.UTC)
    done = Act(**{**asdict(act), "reason": " ".join(act.reason.split()), "at": now.isoformat()})
    name = f"{now.strftime('%Y%m%dT%H%M%S%f')}-{digest(asdict(done), length=8)}.json"
    write_text(audit / FOLDER / name, json.dumps(asdict(done), indent=1, ensure_ascii=False))
    return done


def read_acts(audit: Path) -> list[Act]:
    """Return all acts, oldest first.

    Raises:
        AuditError: One cannot be read.
    """
    found = []
    for file in sorted((audit / FOLDER).glob("*.json")):
        data = read_json(file)
        try:
            act = Act(**{name: str(value) for name, value in data.items()})
        except TypeError as error:
            raise AuditError(f"{file}: not an act: {error}") from error
        if act.thing not in THINGS:
            raise AuditError(f"{file}: thing {act.thing!r} is unknown; allowed: {one_of(THINGS)}")
        found.append(act)
    return found


def retired(acts: Iterable[Act], thing: Thing) -> dict[str, Act]:
    """Return what is retired now, by name, each with the act that retired it."""
    found: dict[str, Act] = {}
    for act in acts:
        if act.thing == thing:
            found.pop(act.name, None)
            if act.act == "retire":
                found[act.name] = act
    return found
