"""The wheels, built and installed into environments of their own outside the checkout, audit.

Torch is not installed a second time: the new environments see the packages of this one through a
.pth file. Files of that kind are followed in an environment's own folder only, so the editable
installs of the checkout, themselves such files, stay invisible there. Their metadata would not, so
it is hidden.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from command_line import WORK

ROOT = Path(__file__).parents[1]
CORE_MB = 3
LIMIT_MB = 90
"""PyPI takes 100 MB."""

INSTALL = 'pip install "portrayal[practice]"'


def call(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**env, "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def run(*words: str | Path, cwd: Path) -> str:
    done = call(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(folder: Path, out: Path) -> Path:
    run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, folder, cwd=out
    )  # fmt: skip
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT / "practice", tmp_path_factory.mktemp("practice"))


def environment(folder: Path, *wheels: Path) -> Path:
    """Make an environment with these wheels, and with the packages of this one but ours."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install",
        "--quiet", "--no-deps", "--no-index", *wheels, cwd=folder,
    )  # fmt: skip
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))",
                   cwd=folder).strip())  # fmt: skip
    others = folder / "others"
    others.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith("portrayal"):
            (others / path.name).symlink_to(path)
    (own / "dependencies.pth").write_text(f"{others}\n")
    return folder


@pytest.fixture(scope="module")
def alone(core: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("alone"), core)


@pytest.fixture(scope="module")
def together(core: Path, practice: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("together"), core, practice)


def inside(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as content:
        return set(content.namelist())


def files_of(package: Path) -> set[str]:
    return {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_what_is_inside(core: Path, practice: Path) -> None:
    assert core.stat().st_size <= CORE_MB * 1e6
    assert practice.stat().st_size < LIMIT_MB * 1e6
    packages = {
        core: ROOT / "src" / "portrayal",
        practice: ROOT / "practice" / "src" / "portrayal_practice",
    }
    for wheel, package in packages.items():
        found = inside(wheel)
        assert files_of(package) <= found, "a file of the package is not in the wheel"
        beside = {name for name in found if not name.startswith(f"{package.name}/")}
        assert all(".dist-info/" in name for name in beside)
    assert {"portrayal/studies/builtin/t2iat.toml", "portrayal/report/templates/page.html.j2",
            "portrayal/py.typed"} <= inside(core)  # fmt: skip
    assert {"portrayal_practice/model/clip/model.safetensors", "portrayal_practice/planted.toml",
            "portrayal_practice/studies/demo.toml"} <= inside(practice)  # fmt: skip
    assert any(name.endswith("licenses/LICENSE") for name in inside(core))


def test_the_core_alone_says_what_to_install(alone: Path, tmp_path: Path) -> None:
    where = run(alone / "bin" / "python", "-c", "import portrayal; print(portrayal.__file__)",
                cwd=tmp_path)  # fmt: skip
    assert Path(where.strip()).is_relative_to(alone)
    portrayal = alone / "bin" / "portrayal"
    (tmp_path / "work.toml").write_text(WORK)
    real = ("work.toml", "--model", "some/model")
    for words, begin in {
        ("run", "demo"): "there is no study 'demo'",
        ("run", "work.toml"): "which model? give --model: ",
        ("run", *real): "which measurer? give --measurer: ",
        ("generate", "work.toml", "--model", "practice"): "'practice': no such folder",
        ("explain", "a photo of a doctor"): "no masked language model is named; allowed: ",
    }.items():
        done = call(portrayal, *words, "--out", "audit", cwd=tmp_path)
        *_, line = done.stderr.splitlines()
        assert line.startswith(f"error: {begin}"), line
        assert line.endswith(INSTALL)
        assert (done.returncode, done.stdout) == (1, "")
        assert not (tmp_path / "audit").exists()
    names = {one["name"] for one in json.loads(run(portrayal, "studies", "--json", cwd=tmp_path))}
    assert "t2iat" in names
    assert not any(name.startswith("demo") for name in names)
    assert "No such command 'practice'" in call(portrayal, "practice", cwd=tmp_path).stderr


def test_both_audit_outside_the_checkout(together: Path, tmp_path: Path) -> None:
    """With the practice model, whose weights are in its wheel."""
    where = run(together / "bin" / "python", "-c", "import portrayal; print(portrayal.__file__)",
                cwd=tmp_path)  # fmt: skip
    assert Path(where.strip()).is_relative_to(together)
    portrayal = together / "bin" / "portrayal"
    names = {one["name"] for one in json.loads(run(portrayal, "studies", "--json", cwd=tmp_path))}
    assert {"demo", "t2iat"} <= names
    (tmp_path / "work.toml").write_text(WORK)
    words = ("run", "work.toml", "--images", "1", "--steps", "4", "--out", "audit", "--json")
    results = json.loads(run(portrayal, *words, cwd=tmp_path))
    assert results["generator"]["name"] == "practice"
    assert results["findings"][0]["study"] == "work"
    assert (tmp_path / "audit" / "report" / "index.html").stat().st_size > 100_000
