"""Print the tables of docs/calibration.md: `python -m portrayal_practice.calibration`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from portrayal.errors import PortrayalError
from portrayal.kinds.association import AssociationStudy, studies_with_contrasts
from portrayal.studies import load_studies
from portrayal_practice.calibration.pool import paint_pool
from portrayal_practice.calibration.table import Effort, coverage_table, rejection_table
from portrayal_practice.errors import PracticeError


def main() -> None:
    """Paint a pool, or take the one that is there, and print both tables."""
    parser = argparse.ArgumentParser(
        prog="python -m portrayal_practice.calibration", description=__doc__
    )
    parser.add_argument("study", nargs="?", default="t2iat", help="an association study or suite")
    parser.add_argument("--pool", type=Path, help="folder that keeps the embeddings")
    parser.add_argument("--samples", type=int, default=64, help="images per prompt in the pool")
    parser.add_argument("--images", type=int, default=4, help="images per prompt in an audit")
    parser.add_argument("--repeats", type=int, default=1000, help="audits")
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    given = parser.parse_args()
    try:
        studies = _association_studies(given.study)
        prompts = [prompt.text for study in studies for prompt in study.prompts()]
        pool = paint_pool(prompts, given.samples, folder=given.pool, on_progress=_say)
        effort = Effort(given.images, given.repeats, given.seed)
        for table in (coverage_table, rejection_table):
            for line in table(studies, pool, effort):
                print(line, flush=True)
            print()
    except PortrayalError as error:
        sys.exit(f"error: {error}")


def _association_studies(name: str) -> list[AssociationStudy]:
    studies = load_studies(name)
    found = studies_with_contrasts(studies)
    if len(found) < len(studies):
        raise PracticeError(f"{name}: only association studies with contrasts can be calibrated")
    return found


def _say(done: int, wanted: int) -> None:
    print(f"{done:,} of {wanted:,} images", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
