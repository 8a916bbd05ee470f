"""What is wrong with a study file, in one line: file, key, what was got, what is allowed."""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from portrayal.errors import StudyError, one_of

Location = tuple[int | str, ...]

_PATTERNS = {
    "[A-Za-z0-9]": "letters, digits, '.', '_' and '-', at most 80, starting with a letter or digit",
    r"\n\r": "one line of text",
}


def study_error(
    error: ValidationError, *, source: str, model: type[BaseModel], raw: Mapping[str, Any]
) -> StudyError:
    """Turn pydantic's report into one line about its first fault.

    Args:
        error: What pydantic found.
        source: File or name of the study, as the user knows it.
        model: The model that the data was read into.
        raw: The data as it stands in the file, so that keys are named as the user wrote them.
    """
    # An unknown key is often the cause of a missing one, so it comes first.
    faults = sorted(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    text = _sentence(faults[0], model, raw)
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return StudyError(f"{source}: {text}{more}")


def did_you_mean(word: object, allowed: Iterable[str]) -> str:
    """Return " (did you mean X?)" where an allowed word is close, else ""."""
    candidates = list(allowed)
    near = difflib.get_close_matches(str(word), candidates, n=1, cutoff=0.6)
    near = near or [one for one in candidates if len(str(word)) > 2 and str(word) in one]
    return f" (did you mean {near[0]}?)" if near else ""


def key_path(location: Location, raw: object) -> str:
    """Write a place in a file: `prompts[3].factors.occupation`.

    Steps that the file does not have (a list where the model has a table with one list) are left
    out.
    """
    path = ""
    node = raw
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
            node = node[step] if isinstance(node, Sequence) and step < len(node) else None
        elif isinstance(node, list) or step == "[key]":
            continue
        else:
            key = step if re.fullmatch(r"[A-Za-z0-9_-]+", step) else f'"{step}"'
            path += f".{key}" if path else key
            node = node.get(step) if isinstance(node, Mapping) else None
    return path


def _sentence(fault: Any, model: type[BaseModel], raw: Mapping[str, Any]) -> str:
    location: Location = fault["loc"]
    path = key_path(_as_written(model, location, raw), raw)
    got, context = fault["input"], fault.get("ctx", {})
    match fault["type"]:
        case "extra_forbidden":
            allowed = _keys(model, location[:-1])
            hint = did_you_mean(location[-1], allowed)
            return f"{path} is unknown{hint}; allowed: {one_of(allowed)}"
        case "missing":
            return f"{path} is missing; it has no default"
        case "literal_error":
            allowed = [part.strip(" '") for part in re.split(r",| or ", context["expected"])]
            hint = did_you_mean(got, allowed)
            return f"{path} is {_short(got)}{hint}; allowed: {one_of(allowed)}"
        case "value_error":
            return f"{path} {context['error']}".strip()
        case "too_short":
            return f"{path} is {_short(got)}; allowed: {context['min_length']} or more"
        case "too_long":
            return f"{path} has {len(got)}; allowed: at most {context['max_length']}"
        case "string_pattern_mismatch":
            allowed_text = next(v for k, v in _PATTERNS.items() if k in context["pattern"])
            return f"{path} is {_short(got)}; allowed: {allowed_text}"
        case _:
            what = fault["msg"].replace("Input should", "it should")
            what = what.replace("be a valid tuple", "be a list, in brackets")
            return f"{path} is {_short(got)}; {what[0].lower()}{what[1:]}"


def _as_written(model: type[BaseModel], location: Location, raw: Mapping[str, Any]) -> Location:
    """Return the place as the file has it, where the model knows of a short form."""
    translate = getattr(model, "place_in_file", None)
    return translate(location, raw) if translate is not None else location


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _keys(model: type[BaseModel], location: Location) -> list[str]:
    """Return the keys that are allowed at a place."""
    annotation: Any = model
    for step in location:
        annotation = _inside(annotation, step)
    found = _plain(annotation)
    if not _is_model(found):
        return []
    return [field.alias or name for name, field in found.model_fields.items()]


def _inside(annotation: Any, step: int | str) -> Any:
    plain = _plain(annotation)
    if _is_model(plain):
        fields = {field.alias or name: field for name, field in plain.model_fields.items()}
        return fields[str(step)].annotation
    arguments = get_args(plain)
    return arguments[-1] if get_origin(plain) is dict else arguments[0]


def _plain(annotation: Any) -> Any:
    """Unwrap Annotated and `X | None`."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        inner = [part for part in get_args(annotation) if part is not type(None)]
        return _plain(inner[0])
    return annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
