"""No loading call runs a model's own code: neither unasked nor after a question."""

from __future__ import annotations

import ast
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portrayal.errors import PortrayalError
from portrayal.generators import open_generator
from portrayal.language import load_filler, open_clip_texts
from portrayal.measurers import open_measurer, open_person_detector

SOURCES = Path(__file__).parents[2] / "src" / "portrayal"
LOADING = {"from_pretrained", "SentenceTransformer", "download"}
"""Calls that take trust_remote_code; `download` is that of a pipeline."""
NEVER = {("torch", "load"), ("pickle", "load"), ("pickle", "loads"), ("hub", "load")}


def calls() -> Iterator[tuple[str, ast.Call, ast.Module]]:
    for file in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield f"{file.relative_to(SOURCES)}:{node.lineno}", node, tree


def is_false(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def refuses_code(call: ast.Call, tree: ast.Module) -> bool:
    """Tell whether a call says trust_remote_code=False, itself or by `**options` of its module."""
    for given in call.keywords:
        if given.arg == "trust_remote_code":
            return is_false(given.value)
        if given.arg is None and isinstance(given.value, ast.Name):
            written = [
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Dict)
                and any(ast.unparse(goal) == given.value.id for goal in node.targets)
            ]
            return bool(written) and all(
                any(
                    isinstance(key, ast.Constant)
                    and key.value == "trust_remote_code"
                    and is_false(value)
                    for key, value in zip(one.keys, one.values, strict=True)
                )
                for one in written
            )
    return False


def test_every_loading_call_refuses_code() -> None:
    found = [
        (where, call, tree)
        for where, call, tree in calls()
        if (isinstance(call.func, ast.Attribute) and call.func.attr in LOADING)
        and not ast.unparse(call.func).startswith(("self.", "corpora.", "images."))
    ]
    assert len(found) >= 11  # encoders, detectors, fillers, sentences, pipelines
    assert [where for where, call, tree in found if not refuses_code(call, tree)] == []


def test_nothing_is_unpickled() -> None:
    found = [
        where
        for where, call, _ in calls()
        if isinstance(call.func, ast.Attribute)
        and (ast.unparse(call.func.value).split(".")[-1], call.func.attr) in NEVER
    ]
    assert found == []


OPENERS: dict[str, Callable[[Path], object]] = {
    "encoder": lambda folder: open_measurer(str(folder)),
    "person detector": lambda folder: open_person_detector(str(folder)),
    "masked words": lambda folder: load_filler(str(folder)),
    "text tower": lambda folder: open_clip_texts(folder, name="foreign"),
}


@pytest.fixture
def foreign(clip: Path, tmp_path: Path) -> Path:
    """A model with code of its own, of a type that transformers does not know."""
    folder = tmp_path / "foreign"
    shutil.copytree(clip, folder)
    config = json.loads((folder / "config.json").read_text())
    classes = ("AutoConfig", "AutoModel", "AutoModelForObjectDetection", "AutoModelForMaskedLM")
    config |= {"model_type": "foreign", "auto_map": dict.fromkeys(classes, "own.Own")}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    return folder


@pytest.mark.parametrize("what", OPENERS)
def test_a_model_with_code_of_its_own_is_refused(
    foreign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 9))  # as a user who says yes to anything
    with pytest.raises(Exception) as caught:
        OPENERS[what](foreign)
    if what != "text tower":  # which only an installed package opens, from its own files
        assert isinstance(caught.value, PortrayalError)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "ran").exists()


def test_an_encoder_with_an_adapter_is_refused(clip: Path, tmp_path: Path) -> None:
    folder = tmp_path / "adapted"
    shutil.copytree(clip, folder)
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(PortrayalError, match="an adapter beside the weights") as caught:
        open_measurer(str(folder))
    assert "\n" not in str(caught.value)


def test_renamed_shards_make_another_identity(clip: Path, tmp_path: Path) -> None:
    """Two encoders that differ in a shard with a name of its own are two."""
    from safetensors.torch import load_file, save_file

    found = []
    for number in (1, 2):
        folder = tmp_path / str(number) / "odd"
        shutil.copytree(clip, folder)
        weights = load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        weights["logit_scale"] = weights["logit_scale"] * number
        save_file(weights, folder / "odd.safetensors", metadata={"format": "pt"})
        index = {"metadata": {}, "weight_map": dict.fromkeys(weights, "odd.safetensors")}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        found.append(open_measurer(str(folder), device="cpu").identity.settings["weights"])
    assert found[0] != found[1]


def test_a_pipeline_with_an_adapter_in_its_text_encoder_is_refused(
    sd1: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "adapted"
    shutil.copytree(sd1, folder)
    (folder / "text_encoder" / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(PortrayalError, match="an adapter beside the weights"):
        open_generator(str(folder))
