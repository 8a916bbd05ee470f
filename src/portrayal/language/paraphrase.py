"""Captions in other words: by rules, by a chat model, or from a file.

A paraphrase must keep the occupation that the caption was chosen for; one that loses it is dropped
and counted, never used.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, Self

from pydantic import model_validator

from portrayal.errors import LanguageError
from portrayal.loading import import_extra, official_headers_hook, read_key
from portrayal.records import Identity, digest
from portrayal.studies import StudyPart

KEY = "OPENAI_API_KEY"
"""The environment variable that contains the endpoint's key; it is never stored nor printed."""

INSTRUCTION = (
    "Please paraphrase the phrase/sentence below. You can change words without changing the "
    "original meaning or intent. You must include the word {occupation}.\n"
    "Phrase/Sentence: {caption}"
)
"""The paper's instruction (appendix A.6), word for word."""

RULES = "rules"
OPENAI = "OpenAI"
"""What the identities of paraphrasers are called: by rules, and behind OpenAI's own endpoint."""

AT_ONCE = 8
TIMEOUT_S = 60.0
LONGEST = 2000
"""Letters of a caption that are sent; web captions may be a megabyte long."""


class Paraphrasing(StudyPart):
    """Who puts captions into other words.

    Attributes:
        by: "rules", which needs nothing; "chat", an OpenAI-compatible endpoint; "file".
        model: The endpoint's model.
        url: The endpoint, where it is not OpenAI's own. The key comes from the environment.
        instruction: What the model is asked, with {occupation} and {caption}; "": as in the paper.
        file: A CSV file with the columns caption and paraphrase.
    """

    by: Literal["rules", "chat", "file"] = "rules"
    model: str = ""
    url: str = ""
    instruction: str = ""
    file: str = ""

    @model_validator(mode="after")
    def _settings_go_with_by(self) -> Self:
        for setting, by in (("model", "chat"), ("file", "file")):
            value = getattr(self, setting)
            if (self.by == by) != bool(value):
                state = "is missing" if self.by == by else f"is given, but by is {self.by!r}"
                raise ValueError(f"{setting} {state}; {setting} and by = {by!r} go together")
        if self.instruction and self.by != "chat":
            raise ValueError(f"instruction is given, but by is {self.by!r}; it is for chat models")
        if self.instruction and "{caption}" not in self.instruction:
            raise ValueError("instruction has no {caption}; write where the caption goes")
        return self

    def is_meant(self, identity: Mapping[str, Any]) -> bool:
        """Tell whether paraphrases by this identity are those that are wanted."""
        settings = dict(identity.get("settings", {}))
        if self.by != "chat":
            wanted = RULES if self.by == "rules" else Path(self.file).name
            return identity.get("name") == wanted and "url" not in settings
        asked = digest(self.instruction or INSTRUCTION)
        same = identity.get("name") == self.model and settings.get("url") == (self.url or OPENAI)
        return same and settings.get("instruction") == asked


class Caption(NamedTuple):
    """A caption, and the occupation that it must keep."""

    text: str
    occupation: str


class Paraphraser(Protocol):
    """Puts captions into other words; the same caption gets the same answer as far as it can."""

    @property
    def identity(self) -> Identity:
        """Everything that changes the words, and nothing else; no key."""

    def paraphrase(self, captions: Sequence[Caption]) -> list[str]:
        """Return one text for each caption, which may have lost the occupation, or be empty."""


def open_paraphraser(wanted: Paraphrasing) -> Paraphraser:
    """Open what a study names.

    Raises:
        LanguageError: The endpoint needs a key that the environment does not have.
        MissingExtra: The client is not installed.
    """
    if wanted.by == "chat":
        return ChatParaphraser(wanted.model, url=wanted.url, instruction=wanted.instruction)
    if wanted.by == "file":
        return FileParaphraser(Path(wanted.file))
    return RuleParaphraser()


def kept(paraphraser: Paraphraser, captions: Sequence[Caption]) -> list[str]:
    """Return a paraphrase of each caption; "" where there is none that keeps the occupation."""
    texts = [" ".join(text.split()) for text in paraphraser.paraphrase(captions)]
    return [
        text if names(text, caption.occupation) else ""
        for text, caption in zip(texts, captions, strict=True)
    ]


def names(text: str, occupation: str) -> bool:
    """Tell whether a text has the occupation as a whole word, alone or in the plural.

    >>> names("Two Nurses at work", "nurse"), names("a nursery", "nurse")
    (True, False)
    """
    return re.search(rf"\b{re.escape(occupation)}(?:e?s)?\b", text, re.IGNORECASE) is not None


class RuleParaphraser:
    """Puts ready phrases of captions into other words, and turns their parts round.

    The frame ("a photo of"), phrases ("looking at the camera") and the place of the source are
    changed into others of the same meaning. Words that name a group, an occupation, a place or a
    person stay. A caption without any of these gets a frame.
    """

    def __init__(self) -> None:
        self.identity = Identity("paraphraser", RULES, {"rules": digest([_FRAMES, _PHRASES])})
        self._frames = [(re.compile(old, re.IGNORECASE), new) for old, new in _FRAMES]
        self._phrases = [(re.compile(old, re.IGNORECASE), new) for old, new in _PHRASES]

    def paraphrase(self, captions: Sequence[Caption]) -> list[str]:
        """Return each caption in other words."""
        return [self._one(" ".join(caption.text.split())) for caption in captions]

    def _one(self, caption: str) -> str:
        text = caption
        # One frame alone: a second would put the first back.
        for old, new in self._frames:
            text, found = old.subn(new, text)
            if found:
                break
        for old, new in self._phrases:
            text = old.sub(new, text)
        if text != caption:
            return text[:1].upper() + text[1:]
        named = text[1:2].islower() and text.partition(" ")[0].lower() in ("a", "an", "the", "two")
        return f"An image of {text[:1].lower()}{text[1:]}" if named else f"Image: {text}"


_FRAMES: tuple[tuple[str, str], ...] = (
    (r"^(?:a |the )?photo(?:graph)? of the face of\b", "a picture of the face of"),
    (r"^(?:a )?portrait photo of\b", "a portrait of"),
    (r"^(?:a )?portrait of\b", "a portrait picture of"),
    (r"^(?:a |the )?stock photo of\b", "a stock picture of"),
    (r"^(?:a |the )?photo(?:graph)? of\b", "a picture of"),
    (r"^(?:an? |the )?(?:picture|image) of\b", "a photo of"),
    (r"^close-?up of\b", "a close view of"),
    (r"^(?:a )?headshot of\b", "a picture of the head of"),
)
_PHRASES: tuple[tuple[str, str], ...] = (
    (r"\bsmiling\b", "with a smile"),
    (r"\bat (his|her|their) work\b", r"doing \1 work"),
    (r"\bat work\b", "doing the job"),
    (r"\blooking at the camera\b", "facing the camera"),
    (r"\barms crossed\b", "with crossed arms"),
    (r"\bworking as\b", "employed as"),
    (r"\bhas been (?=an?\b)", "has worked as "),
    (r"\btalks about\b", "speaks of"),
    (r"\bspeaks to reporters\b", "talks to the press"),
    (r"\bwins\b", "gets"),
    (r"\binterview with\b", "a talk with"),
    (r"\bmeet the\b", "here is the"),
    (r"\ba day in the life of\b", "one day with"),
    (r"\bfile photo\b", "archive picture"),
    (r"\bphoto(?= by\b|:)", "picture"),
    (r"\bstock photo\b", "stock picture"),
    (r"\broyalty[ -]free\b", "free to use"),
    (r"\bisolated on white\b", "in front of white"),
    (r"^(.*\S) [|–-] ([^|–-]+)$", r"\2: \1"),
)
"""What is replaced by what, in this order; the last one puts the source first."""


class FileParaphraser:
    """Reads paraphrases that somebody wrote; a caption that is not listed has none.

    Args:
        file: A CSV file with a header and the columns caption and paraphrase.

    Raises:
        LanguageError: It cannot be read, or has no such columns.
    """

    def __init__(self, file: Path) -> None:
        try:
            with file.open(encoding="utf-8-sig", newline="") as opened:
                rows = list(csv.DictReader(opened, strict=True))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise LanguageError(f"{file}: cannot be read as paraphrases: {error}") from error
        if not rows or not {"caption", "paraphrase"} <= set(rows[0]):
            raise LanguageError(f"{file}: wanted: a CSV with the columns caption and paraphrase")
        self._known = {row["caption"]: row["paraphrase"] or "" for row in rows}
        content = digest(sorted(self._known.items()))
        self.identity = Identity("paraphraser", file.name, {"content": content})

    def paraphrase(self, captions: Sequence[Caption]) -> list[str]:
        """Return what is listed for each caption."""
        return [self._known.get(caption.text, "") for caption in captions]


class ChatParaphraser:
    """Asks a chat model behind an OpenAI-compatible endpoint, at temperature 0 as in the paper.

    Args:
        model: The model's name.
        url: The endpoint; "" is OpenAI's own.
        instruction: What it is asked; "": as in the paper.

    Raises:
        LanguageError: There is no key in the environment.
        MissingExtra: The client is not installed.
    """

    def __init__(self, model: str, *, url: str = "", instruction: str = "") -> None:
        self._openai = import_extra("openai", extra="api")
        key = read_key(KEY, error=LanguageError)
        if not key and not url:
            raise LanguageError(f"paraphraser {model}: the environment has no {KEY}; set it")
        self._model = model
        self._instruction = instruction or INSTRUCTION
        # An endpoint of one's own may want no key; the client insists on some text.
        self._client = self._openai.OpenAI(
            api_key=key or "none",
            base_url=url or None,
            timeout=TIMEOUT_S,
            max_retries=4,
            http_client=self._openai.DefaultHttpxClient(
                event_hooks={"request": [official_headers_hook(url or None)]}
            ),
        )
        self.identity = Identity(
            "paraphraser",
            model,
            {"url": url or OPENAI, "instruction": digest(self._instruction), "temperature": 0},
        )

    def paraphrase(self, captions: Sequence[Caption]) -> list[str]:
        """Return the model's answers; "" where it gives none.

        Raises:
            LanguageError: The endpoint does not answer, or refuses the key.
        """
        with ThreadPoolExecutor(AT_ONCE, "portrayal-paraphrase") as pool:
            return list(pool.map(self._one, captions))

    def _one(self, caption: Caption) -> str:
        text = self._instruction.replace("{occupation}", caption.occupation)
        text = text.replace("{caption}", caption.text[:LONGEST])
        try:
            answer: Any = self._client.chat.completions.create(
                model=self._model,
                messages=[{"role": "user", "content": text}],
                temperature=0,
            )
        except self._openai.OpenAIError as error:
            if str(getattr(error, "code", "")).startswith("content_"):  # refused by policy
                return ""
            status = getattr(error, "status_code", None)
            what = f"answers {status}" if status else f"does not answer ({type(error).__name__})"
            raise LanguageError(
                f"paraphraser {self._model}: the endpoint {what}; fix it (the key is read from "
                f"{KEY}) and run the same command again, it continues where it stopped"
            ) from error
        choices = answer.choices or ()
        content = choices[0].message.content if choices else None
        return _unquoted(content or "")


def _unquoted(text: str) -> str:
    """Return a chat model's answer without the label and the quotes that it may put around it."""
    text = re.sub(
        r"^\s*(?:(?:new )?caption|phrase/sentence|paraphrase):\s*", "", text, flags=re.IGNORECASE
    ).strip()
    pair = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if pair else text
