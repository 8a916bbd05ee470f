"""Our kernels agree with torch in Triton's interpreter, and compile for the GPUs they are for."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

triton = pytest.importorskip("triton", reason="triton has no build for this platform")

SHARED_MEMORY = 232_448
"""Bytes that a block may have on an H100 or H200."""


@pytest.fixture(scope="module")
def errors() -> dict[str, float]:
    script = Path(__file__).with_name("interpreted_kernels.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, float] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("case", "tolerance"),
    [
        ("heads of 40", 1e-5),
        ("heads of 80", 1e-5),
        ("heads of 48, steep", 1e-4),
        ("late keys 100 higher", 1e-4),
        ("late keys 100 lower", 1e-5),
        ("a gate", 5e-4),
        ("a gate of many tiles", 5e-4),
        ("a convolution", 1e-5),
        ("a convolution of one tile", 1e-5),
        ("a convolution, not square", 1e-5),
        ("a convolution and a residual", 1e-5),
        ("an even size, however small", 1e-5),
        ("an odd size", 1e-5),
        ("too few tiles", 1e-5),
        ("channels first", 1e-5),
        ("a whole network", 1e-4),
        ("norm", 1e-5),
        ("norm, SiLU", 1e-5),
        ("norm, SiLU, added", 1e-5),
        ("norm far from 0", 1e-3),
    ],
)
def test_kernels_agree_with_torch(errors: dict[str, float], case: str, tolerance: float) -> None:
    assert errors[case] <= tolerance


def test_scores_beyond_range_are_not_numbers_rather_than_zeros(errors: dict[str, float]) -> None:
    assert math.isnan(errors["late keys too high"])


def test_networks_compute_with_the_weights_that_were_made_for_kernels(
    errors: dict[str, float],
) -> None:
    assert errors["a network with wrong convolutions"] > 0.01
    assert errors["a network with wrong gates"] > 0.01
    assert errors["the check accepts a network"] == 1


def kernels() -> list[Any]:
    from portrayal.generators.hopper import attention, gates, norms, winograd

    half, full, whole = "*bf16", "*fp32", "i32"
    attended = {
        "signature": dict.fromkeys(("Q", "K", "V", "OUT"), half)
        | dict.fromkeys(("tokens", "heads", "images"), whole)
        | {"scale": "fp32"},
        "options": {"num_warps": 4, "num_stages": 3},
    }
    sizes = {"QUERIES": 128, "KEYS": 64, "STAGES": 3}
    summed = dict.fromkeys(("pixels", "channels", "each"), whole)
    tiled = dict.fromkeys(("height", "width", "channels", "tiles", "step"), whole)
    blocks = {"ROWS": 8, "COLUMNS": 128}
    return [
        pytest.param(
            attention._attend, {"D": 40, "LEFT": 64, "RIGHT": 0, **sizes}, attended, id="40"
        ),
        pytest.param(
            attention._attend, {"D": 80, "LEFT": 64, "RIGHT": 16, **sizes}, attended, id="80"
        ),
        pytest.param(
            gates._gated,
            {"ROWS": 128, "COLUMNS": 256, "INNER": 64, "GROUP": 8, "PROGRAMS": 132, "FAST": True},
            {
                "signature": dict.fromkeys(("X", "WEIGHT", "BIAS", "OUT"), half)
                | dict.fromkeys(("rows", "inner", "outer"), whole),
                "options": {"num_warps": 8, "num_stages": 4},
            },
            id="gated",
        ),
        pytest.param(
            norms._sum_channels,
            {"ROWS": 32, "COLUMNS": 64},
            {"signature": {"X": half, "SUMS": full, **summed}, "options": {"num_warps": 4}},
            id="sums",
        ),
        pytest.param(
            norms._scale_and_shift,
            {"HAS_ADDED": True, "PARTS": 4, "WIDTH": 16},
            {
                "signature": {"SUMS": full, "ADDED": half, "WEIGHT": half, "BIAS": half}
                | {"TABLE": full, "eps": "fp32"}
                | dict.fromkeys(("pixels", "channels", "parts", "width"), whole),
                "options": {"num_warps": 1},
            },
            id="scales",
        ),
        pytest.param(
            norms._apply,
            {"SILU": True, "ROWS": 32, "COLUMNS": 64},
            {
                "signature": {"X": half, "TABLE": full, "OUT": half, **summed},
                "options": {"num_warps": 4},
            },
            id="apply",
        ),
        pytest.param(
            winograd._spread,
            blocks,
            {"signature": {"X": half, "OUT": half, **tiled}, "options": {"num_warps": 4}},
            id="spread",
        ),
        pytest.param(
            winograd._gather,
            {"HAS_BIAS": True, "HAS_RESIDUAL": True, **blocks},
            {
                "signature": dict.fromkeys(("PRODUCTS", "BIAS", "RESIDUAL", "OUT"), half) | tiled,
                "options": {"num_warps": 4},
            },
            id="gather",
        ),
    ]


@pytest.mark.parametrize(("kernel", "constants", "launch"), kernels())
def test_kernels_compile_for_hopper(
    kernel: Any, constants: dict[str, Any], launch: dict[str, Any]
) -> None:
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = launch["signature"] | dict.fromkeys(constants, "constexpr")
    aligned = [i for i, name in enumerate(kernel.arg_names) if signature[name] != "fp32"]
    source = ASTSource(
        kernel, signature, constants,
        attrs={
            (i,): [["tt.divisibility", 16]] for i in aligned if kernel.arg_names[i] not in constants
        },
    )  # fmt: skip
    options = {"enable_fp_fusion": True, **launch["options"]}
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    assert compiled.metadata.shared <= SHARED_MEMORY
    offsets = re.findall(r"tt.addptr .*, tensor<[^>]*xi(32|64)>", compiled.asm["ttir"])
    if kernel.__name__ in ("_spread", "_gather"):  # what they store grows beyond 2 ** 31
        assert offsets.count("64") >= 16
    assert ("wgmma" in compiled.asm["ptx"]) == ("STAGES" in constants or "GROUP" in constants)
