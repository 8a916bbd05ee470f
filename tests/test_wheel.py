"""The wheel, built and installed into an environment of its own outside the checkout, audits.

Torch is not installed a second time: the new environment sees the packages of this one through a
.pth file. Files of that kind are followed in an environment's own folder only, so the editable
install of the checkout, itself such a file, stays invisible there.
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
LIMIT_MB = 90
"""PyPI takes 100 MB."""


def run(*words: str | Path, cwd: Path) -> str:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**env, "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install",
        "--quiet", "--no-deps", "--no-index", wheel, cwd=folder,
    )  # fmt: skip
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))",
                   cwd=folder).strip())  # fmt: skip
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_what_is_inside(wheel: Path) -> None:
    assert wheel.stat().st_size < LIMIT_MB * 1e6
    with zipfile.ZipFile(wheel) as content:
        inside = set(content.namelist())
    source = ROOT / "src"
    data = {
        path.relative_to(source).as_posix()
        for path in (source / "portrayal").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert data <= inside, "a file of the package is not in the wheel"
    for kind in ("studies/demo.toml", "report/templates/page.html.j2", "py.typed",
                 "practice/model/clip/model.safetensors", "practice/planted.toml"):  # fmt: skip
        assert f"portrayal/{kind}" in inside
    beside = {name for name in inside if not name.startswith("portrayal/")}
    assert all(".dist-info/" in name for name in beside)
    assert any(name.endswith("licenses/LICENSE") for name in beside)


def test_it_audits_outside_the_checkout(environment: Path, tmp_path: Path) -> None:
    """With the practice model, whose weights are in the wheel."""
    where = run(environment / "bin" / "python", "-c", "import portrayal; print(portrayal.__file__)",
                cwd=tmp_path)  # fmt: skip
    assert Path(where.strip()).is_relative_to(environment)
    portrayal = environment / "bin" / "portrayal"
    names = {
        study["name"] for study in json.loads(run(portrayal, "studies", "--json", cwd=tmp_path))
    }
    assert {"demo", "t2iat"} <= names
    (tmp_path / "work.toml").write_text(WORK)
    words = ("run", "work.toml", "--images", "1", "--steps", "4", "--out", "audit", "--json")
    results = json.loads(run(portrayal, *words, cwd=tmp_path))
    assert results["generator"]["name"] == "practice"
    assert results["findings"][0]["study"] == "work"
    assert (tmp_path / "audit" / "report" / "index.html").stat().st_size > 100_000
