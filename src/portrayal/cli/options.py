"""Options that several commands share, each written once.

A command takes one as `images: Images = None`; name, short form and help come along.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from portrayal.errors import SettingError


def location(where: str | Path) -> Path:
    """Return a folder, or a place in an object store where a URL is given."""
    from portrayal.audit import location as read

    return read(where)


def folder_here(where: str | Path) -> Path:
    """Return a folder of this machine; a URL is an error."""
    if "://" in str(where):
        raise SettingError("to", f"is {where}; allowed: a folder of this machine")
    return Path(where)


StudyName = Annotated[
    str, typer.Argument(metavar="STUDY", help="A built-in study or suite, or a TOML file.")
]
StudyOrImages = Annotated[
    str,
    typer.Argument(
        metavar="STUDY", help="A built-in study or suite, a TOML file, or a folder of images."
    ),
]
Target = Annotated[
    str | None,
    typer.Argument(
        metavar="STUDY|AUDIT", help="A study (with --out), or an audit for all its studies."
    ),
]
Reported = Annotated[
    str | None,
    typer.Argument(
        metavar="AUDIT", help="An audit, or a study of it (with --out); the page is about all."
    ),
]
AuditFolder = Annotated[
    Path,
    typer.Argument(metavar="AUDIT", parser=location, help="The audit: a folder, or s3://..."),
]


def _out(text: str) -> Any:
    return typer.Option("--out", "-o", metavar="AUDIT", parser=location, help=text)


_PLACES = "a folder, or s3://..., gs://..., az://..."
Out = Annotated[Path, _out(f"The audit: {_PLACES}; created if absent.")]
OutThere = Annotated[Path, _out(f"The audit, which must be there: {_PLACES}")]
MaybeOut = Annotated[Path | None, _out("The audit: a folder, or s3://...")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]

Images = Annotated[
    int | None,
    typer.Option(
        "--images",
        "-n",
        metavar="N",
        min=1,
        help="Images per prompt, instead of the study's.",
    ),
]
_MODEL = "A diffusers folder, a Hub id, openai:MODEL, api:MODEL, or the name of an installed model."
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help=_MODEL,
    ),
]
SeveralModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help=f"{_MODEL} May be repeated: one audit for each model under --out, and a comparison.",
    ),
]
Corpus = Annotated[
    Path | None,
    typer.Option(
        "--corpus",
        metavar="CORPUS",
        help="Training captions and images, for amplification studies: a corpus folder, or a "
        "folder of Parquet files or tars.",
    ),
]
RealWorld = Annotated[
    Path | None,
    typer.Option(
        "--real-world",
        metavar="CSV",
        help="Real-world shares as a second baseline: columns occupation and percent, of the group "
        "that the study counts (its `group`; in paradox: women).",
    ),
]
Rate = Annotated[
    float,
    typer.Option("--rate", metavar="N", help="Images per second, for the expected time."),
]

Width = Annotated[
    float | None,
    typer.Option("--width", metavar="W", help="Plan for intervals at most W wide, end to end."),
]
Effect = Annotated[
    float | None,
    typer.Option(
        "--effect",
        metavar="E",
        help="Plan to find an effect of size E in 4 of 5 audits: a difference of shares, or d; "
        "with a pilot of shares, Cramér's V.",
    ),
]
Pilot = Annotated[
    Path | None,
    typer.Option(
        "--pilot",
        metavar="AUDIT",
        parser=location,
        help="Take the variance from this audit (default: from --out, where it has results).",
    ),
]
Price = Annotated[
    float | None, typer.Option("--price", metavar="X", help="Price per image, for the cost.")
]

Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="RULE",
        help="Generate in rounds and stop early: decided (every test is significant after "
        "correction), or width=W (every interval is at most W wide). All looks are counted.",
    ),
]

Truncate = Annotated[
    bool,
    typer.Option("--truncate", help="Cut texts that are too long; else stop."),
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Try again what failed before.")]

People = Annotated[
    str | None,
    typer.Option(
        "--people",
        metavar="DETECTOR",
        help="Also label each person alone: faces:centerface, or an object detector's folder or "
        "Hub id.",
    ),
]


def study_and_folder(target: str | None, out: Path | None) -> tuple[str | None, Path]:
    """Read `STUDY --out AUDIT`, or `AUDIT` alone, which stands for all of its studies."""
    from portrayal.studies import builtin_names

    if out is not None:
        return target, out
    if target is None:
        raise SettingError("out", "is missing; name the audit's folder, or give --out AUDIT")
    if target.endswith(".toml") or target in builtin_names():
        raise SettingError("out", f"is missing; {target} is a study: give --out AUDIT")
    return None, location(target)
