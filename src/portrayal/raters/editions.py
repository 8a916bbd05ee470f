"""Votes as portrayal 0.1 stored them: measurements, in which a later edition displaced an earlier.

An edition had all votes of one group of raters, under numbers that meant nothing in the next one.
So, of each group, the newest edition that has an image says what was voted on it; what an edition
displaced on other images is back.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from portrayal.audit import AuditFolder, ColumnType
from portrayal.records import Ballot, Identity, digest

KIND = "human"
COLUMNS: Mapping[str, ColumnType] = {"votes": "json", "n": "integer"}


def edition_ballots(audit: AuditFolder, stored: Sequence[Ballot] = ()) -> Iterator[Ballot]:
    """Yield the answers of an audit's editions.

    Args:
        audit: The audit.
        stored: Answers of the store. A vote that is there with the same answers was imported again
            since then, and is not yielded.
    """
    here = _answers(stored)
    seen: set[tuple[str, str]] = set()
    for identity in _newest_first(audit):
        definitions = {
            one["id"]: json.dumps({"place": place, **one}, ensure_ascii=False, sort_keys=True)
            for place, one in enumerate(identity.settings["questions"]["questions"])
        }
        rows = audit.measurements(identity, columns=["key", "votes"]).fetchall()
        for image, text in sorted(rows):
            if (identity.name, image) in seen:
                continue
            seen.add((identity.name, image))
            for one in json.loads(text):
                given = tuple(sorted(one["answers"].items()))
                if here[image][given]:
                    here[image][given] -= 1
                    continue
                yield from _ballots(identity, image, one, definitions)


def _ballots(
    identity: Identity, image: str, vote: dict[str, Any], definitions: dict[str, str]
) -> Iterator[Ballot]:
    edition = identity.settings["edition"]
    rater = f"rater-{digest([identity.name, edition, vote['rater']], length=12)}"
    source = f"{identity.name}, edition {edition}"
    for question, definition in definitions.items():
        answer = vote["answers"].get(question)
        yield Ballot(image, question, definition, rater, answer, source=source)


def _newest_first(audit: AuditFolder) -> list[Identity]:
    editions = [one for one in audit.measurers() if one.kind == KIND]
    return sorted(editions, key=lambda one: (one.name, -int(one.settings["edition"])))


def _answers(stored: Sequence[Ballot]) -> dict[str, Counter[tuple[tuple[str, str], ...]]]:
    """Return, by image, how often each set of answers was given."""
    votes: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for one in stored:
        if one.answer is not None and not one.again:
            votes[one.image, one.rater][one.question] = one.answer
    found: dict[str, Counter[tuple[tuple[str, str], ...]]] = defaultdict(Counter)
    for (image, _), given in votes.items():
        found[image][tuple(sorted(given.items()))] += 1
    return found
