"""The public names are a promise; changing them is a decision, not an accident."""

from __future__ import annotations

import subprocess
import sys

import portrayal

PUBLIC = [
    "AnalysisSettings",
    "Audit",
    "CheckResult",
    "Finding",
    "Findings",
    "GeneratedImage",
    "Generator",
    "Identity",
    "Measurer",
    "ModelComparison",
    "PortrayalError",
    "Prompt",
    "Request",
    "Results",
    "Study",
    "__version__",
    "check",
    "compare",
    "explain",
    "load_results",
    "load_study",
    "plan",
    "run",
    "statistics",
]


def test_all_is_pinned() -> None:
    assert sorted(portrayal.__all__) == PUBLIC
    assert all(hasattr(portrayal, name) for name in PUBLIC)


def test_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(portrayal, "nonsense")


def test_import_is_light() -> None:
    """Counts modules, not seconds: what is not imported cannot be slow."""
    code = (
        "import sys, portrayal; "
        "heavy = {'torch', 'transformers', 'diffusers', 'altair', 'pandas', 'duckdb', 'pyarrow', "
        "'numpy', 'scipy', 'pydantic'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_reading_an_audit_needs_no_torch() -> None:
    code = (
        "import sys; from portrayal import Audit, load_results, load_study, statistics; "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
