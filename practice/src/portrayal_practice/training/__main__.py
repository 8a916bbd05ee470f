"""`python -m portrayal_practice.training STAGE`: train, or carry what was trained."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from portrayal.errors import PortrayalError
from portrayal_practice.errors import PracticeError
from portrayal_practice.training.bundle import bundle, unbundle
from portrayal_practice.training.recipe import RECIPES
from portrayal_practice.training.stages import STAGES, Order


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m portrayal_practice.training")
    parser.add_argument("stage", choices=[*STAGES, "bundle", "unbundle"])
    parser.add_argument("--out", type=Path, required=True, help="folder of the weights")
    parser.add_argument("--work", type=Path, help="folder for painted images (much space)")
    parser.add_argument("--pieces", type=Path, help="folder of the bundle's pieces")
    parser.add_argument("--recipe", choices=list(RECIPES), default="full")
    parser.add_argument("--smoke", action="store_const", const="smoke", dest="recipe")
    parser.add_argument("--n", type=int, help="images; default: the recipe's")
    parser.add_argument("--data-seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, help="time budget of the stage")
    parser.add_argument("--ahead", action="store_true", help="denoiser: compile, then wait")
    parser.add_argument("--prompts", type=Path, help="shares: a file with one prompt per line")
    parser.add_argument("--steps", type=int, help="step budget of the stage")
    parser.add_argument(
        "--span", type=float, nargs=2, default=(0.0, 1.0), help="part of the schedule to cover"
    )
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--compile", action="store_true", help="torch.compile, on a GPU")
    parser.add_argument("--each", type=int, default=48, help="evaluation: images per occupation")
    parser.add_argument("--workers", type=int, help="painting processes; default: all cores")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one stage; returns the exit code."""
    given = _parser().parse_args(arguments)
    try:
        if given.stage in ("bundle", "unbundle"):
            _carry(given)
            return 0
        if given.each < 1:
            raise PracticeError(f"--each is {given.each}; allowed: 1 or more")
        recipe = RECIPES[given.recipe]
        recipe = replace(
            recipe,
            images=given.n or recipe.images,
        )
        STAGES[given.stage](
            Order(
                recipe=recipe,
                out=given.out,
                work=given.work or given.out.parent / "practice-work",
                seed=given.data_seed,
                minutes=given.minutes,
                steps=given.steps,
                span=(given.span[0], given.span[1]),
                device=given.device,
                compile=given.compile,
                workers=given.workers,
                each=given.each,
                ahead=given.ahead,
                prompts=given.prompts,
            )
        )
    except PortrayalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _carry(given: argparse.Namespace) -> None:
    pieces = given.pieces or given.out.parent
    if given.stage == "bundle":
        for path in bundle(given.out, pieces):
            print(f"{path} {path.stat().st_size:,} bytes")
    else:
        print(f"{unbundle(pieces, given.out)} files in {given.out}")


if __name__ == "__main__":
    sys.exit(main())
