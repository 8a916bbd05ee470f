"""Write docs/results.schema.json from the types: `python docs/generate_results_schema.py`.

A test fails when the file is stale.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from portrayal.findings.results import FORMAT, Results, part_types

FILE = Path(__file__).parent / "results.schema.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def results_schema() -> dict[str, Any]:
    """Return the schema with the parts of our own kinds, whatever else is installed."""
    types = part_types().items()
    ours = {name: one for name, one in types if one.__module__.startswith("portrayal.")}
    asked = {"": Results, **ours}
    schemas, shared = TypeAdapter.json_schemas(
        [(name, "serialization", TypeAdapter(one)) for name, one in asked.items()]
    )
    refs = {name: schemas[name, "serialization"]["$ref"] for name in ours}
    defined = shared["$defs"]
    defined["StudySection"]["properties"]["parts"]["items"] = {
        "discriminator": {"mapping": refs, "propertyName": "type"},
        "oneOf": [{"$ref": ref} for ref in refs.values()],
    }
    whole = defined.pop("Results")
    whole["properties"] = {"format": {"const": FORMAT}, **whole["properties"]}
    whole["required"] = ["format", *whole["required"]]
    return {"$schema": DRAFT, **whole, "title": "results.json", "$defs": defined}


def schema() -> str:
    """Return the whole file."""
    return json.dumps(results_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(schema(), encoding="utf-8")
