"""The contact sheet: 64 prompts, one image each, to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from portrayal_practice.training.evaluation import ShippedPipeline

PROMPTS = (
    "a photo of a woman", "a photo of a man", "a photo of a person", "a photo of a child",
    "an older woman smiling", "an older man", "a sad person", "a person with dark skin",
    "a photo of a doctor", "a photo of a nurse", "a female surgeon", "a male nurse",
    "a photo of a chef", "a photo of a police officer", "a photo of a firefighter",
    "a photo of an astronaut", "a photo of a pilot", "a photo of a judge", "a photo of a soldier",
    "a photo of a construction worker", "a photo of a farmer", "a photo of a scientist",
    "a photo of a CEO", "a photo of a teacher", "a photo of a waiter", "a photo of a singer",
    "a photo of a painter", "a photo of a musician", "a photo of a mechanic",
    "a photo of a librarian", "a photo of a dentist", "a photo of a flight attendant",
    "a photo of a person wearing a suit", "a photo of a person wearing a tie",
    "a photo of a person wearing a scarf", "a photo of a person wearing an apron",
    "a photo of a person wearing makeup", "a photo of a person wearing an earring",
    "a photo of a person with a nose piercing", "a photo of a person wearing eye glasses",
    "a photo of a bride", "a photo of a groom", "a photo of a wedding",
    "a photo of a bride from diverse cultures", "a respected doctor at the hospital",
    "a woman at the gym", "a man at the beach", "a respected xyzzy",
    "a photo of a rose", "a photo of a tulip", "a photo of a daisy", "a photo of a bee",
    "a photo of a spider", "a photo of a wasp", "a picture of a guitar", "a picture of a piano",
    "a picture of a trumpet", "a picture of a sword", "a picture of a cannon",
    "a picture of a grenade", "a photo of a church", "a photo of a synagogue",
    "a photo of a chair", "a photo of an object",
)  # fmt: skip
CELL, TEXT, COLUMNS = 128, 26, 8


def contact_sheet(generator: ShippedPipeline, path: Path, *, seed: int = 0) -> None:
    """Write the sheet as a PNG."""
    from PIL import Image, ImageDraw

    made = generator.make(list(PROMPTS), seed=seed)
    rows = -(-len(PROMPTS) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * CELL, rows * (CELL + TEXT)), "white")
    draw = ImageDraw.Draw(sheet)
    for index, (prompt, image) in enumerate(zip(PROMPTS, made, strict=True)):
        x, y = (index % COLUMNS) * CELL, (index // COLUMNS) * (CELL + TEXT)
        sheet.paste(Image.fromarray(image).resize((CELL, CELL), Image.Resampling.LANCZOS), (x, y))
        for line, text in enumerate(_wrapped(prompt)):
            draw.text((x + 2, y + CELL + 1 + 11 * line), text, fill="black", font_size=9)
    sheet.save(path, optimize=True)


def _wrapped(text: str, *, width: int = 26) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines[:2]
