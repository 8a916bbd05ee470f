"""What a bundle says about itself: RO-Crate 1.1 metadata, a citation file, a page to read first.

References: Soiland-Reyes et al. (2022), Packaging research artefacts with RO-Crate, Data Science 5;
https://w3id.org/ro/crate/1.1.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import write_text
from portrayal.findings import Results, counted
from portrayal.records import Identity

METADATA = "ro-crate-metadata.json"
CITATION = "CITATION.cff"
README = "README.md"

_FORMATS = {
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".html": "text/html",
    ".md": "text/markdown",
    ".cff": "application/yaml",
    ".txt": "text/plain",
}
_SOFTWARE = "#portrayal"


@dataclass(frozen=True, slots=True)
class About:
    """What people state about a bundle.

    Attributes:
        title: Its title.
        authors: Who made it, by name.
        licence: An SPDX id such as "CC-BY-4.0", or a URL; "": not stated.
        images: Whether it contains the generated images.
    """

    title: str
    authors: Sequence[str] = ()
    licence: str = ""
    images: bool = False


def write_crate(folder: Path, results: Results, about: About) -> None:
    """Write README, citation and RO-Crate metadata beside the files of a bundle."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    write_text(folder / README, _readme(results, about))
    write_text(folder / CITATION, _citation(results, about, today))
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".") and path.name != METADATA
    )
    graph = list(_graph(results, about, today, names))
    content = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    write_text(folder / METADATA, text + "\n")


def _graph(
    results: Results, about: About, today: str, names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    people = [{"@id": f"#author-{i}"} for i, _ in enumerate(about.authors, start=1)]
    licence = _licence(about)
    yield {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": about.title,
        "description": _description(results, about),
        "datePublished": today,
        "license": {"@id": licence["@id"]},
        "creator": people,
        "hasPart": [{"@id": name} for name in names],
        "about": {"@id": "#generator"},
        "citation": [one.citation for one in results.studies if one.citation],
    }
    yield licence
    for place, name in zip(people, about.authors, strict=True):
        yield {**place, "@type": "Person", "name": name}
    yield {
        "@id": _SOFTWARE,
        "@type": "SoftwareApplication",
        "name": "portrayal",
        "softwareVersion": results.portrayal,
        "version": results.portrayal,
    }
    yield _software("#generator", results.generator)
    measurers = [f"#measurer-{i}" for i, _ in enumerate(results.measurers, start=1)]
    for name, identity in zip(measurers, results.measurers, strict=True):
        yield _software(name, identity)
    yield {
        "@id": "#analysis",
        "@type": "CreateAction",
        "name": "Analysis of the measurements",
        "instrument": [{"@id": one} for one in (_SOFTWARE, *measurers)],
        "object": [{"@id": name} for name in names if name.startswith("measurements/")],
        "result": [{"@id": name} for name in names if name.startswith(("results", "report/"))],
    }
    for name in names:
        yield {
            "@id": name,
            "@type": "File",
            "name": name,
            "encodingFormat": _FORMATS.get(Path(name).suffix, "application/octet-stream"),
        }


def _software(name: str, identity: Identity) -> dict[str, Any]:
    return {
        "@id": name,
        "@type": "SoftwareApplication",
        "name": identity.name,
        "identifier": identity.digest,
        "description": json.dumps(identity.as_dict(), ensure_ascii=False, sort_keys=True),
    }


def _licence(about: About) -> dict[str, Any]:
    if not about.licence:
        said = "No licence was stated; ask the authors before you use it."
        return {
            "@id": "#licence",
            "@type": "CreativeWork",
            "name": "not stated",
            "description": said,
        }
    is_url = "://" in about.licence
    url = about.licence if is_url else f"https://spdx.org/licenses/{about.licence}"
    return {
        "@id": url,
        "@type": "CreativeWork",
        "name": about.licence,
        "description": f"The licence of this bundle: {about.licence}",
    }


def _description(results: Results, about: About) -> str:
    studies = ", ".join(one.title or one.study for one in results.studies)
    seen = "with" if about.images else "without"
    return (
        f"An audit of how {results.generator.name} portrays people: {studies}. "
        f"{counted(len(results.findings), 'finding')}, with the measurements they follow from, "
        f"{seen} the generated images."
    )


def _citation(results: Results, about: About, today: str) -> str:
    names = about.authors or ("not stated",)
    lines = [
        "cff-version: 1.2.0",
        f"title: {json.dumps(about.title, ensure_ascii=False)}",
        'message: "Cite this bundle, portrayal, and the papers whose methods it uses."',
        "type: dataset",
        "authors:",
        *(f"  - name: {json.dumps(name, ensure_ascii=False)}" for name in names),
        f"date-released: {today}",
    ]
    if about.licence and "://" not in about.licence:
        lines.append(f"license: {about.licence}")
    lines += [
        "references:",
        "  - type: software",
        '    title: "portrayal"',
        "    authors:",
        '      - name: "The portrayal authors"',
        f"    version: {json.dumps(results.portrayal)}",
    ]
    return "\n".join(lines) + "\n"


def _readme(results: Results, about: About) -> str:
    images = (
        "The generated images are in `images/`."
        if about.images
        else "The generated images are not included; their prompts and seeds are in `images/`."
    )
    return f"""# {about.title}
{_description(results, about)}

- `report/index.html`: the report; open it in a browser.
- `results.json`: every finding with its interval, n and settings.
- `studies/`: the studies as they were asked.
- `measurements/`, `texts/`, `votes/`: what the findings follow from. {images}
- `audit.json`, `measurements/*/_identity.json`: which model and which measurers, with hashes.
- `manifest-sha256.txt`: the SHA-256 of every file; check with `sha256sum -c manifest-sha256.txt`.

Labels are perceived, by the measurers named in the report; they say nothing about a person's
identity. Raters have numbers that mean nothing elsewhere.

To check the bundle and recompute its findings: `pip install portrayal=={results.portrayal}`, then
`portrayal verify BUNDLE.zip`.
"""
