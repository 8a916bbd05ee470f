"""Compiling denoiser and decoder once a run is long enough to pay for it, with batches of one size.

A transformer repeats one block, or a few: these are compiled once and used everywhere (diffusers'
`compile_repeated_blocks`), which takes seconds where the whole network takes minutes. UNets are
compiled as a whole. A compiled network is made for one shape: the last, smaller batch is filled up
with repeats, which are thrown away. On GPUs for which we have kernels of our own
(`portrayal.generators.hopper`), the networks use them from then on.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from portrayal.errors import SettingError, one_of
from portrayal.loading import import_extra
from portrayal.records import GeneratedImage, Request

MODES = ("auto", "on", "off")
WORTH_S = 600.0
"""Seconds of work that must be left before compiling a whole network is worth its time."""

WORTH_BLOCKS_S = 150.0
"""The same for repeated blocks: FLUX takes 30 s on an NVIDIA H200, and then 28% less time, or still
less."""

BACKEND = "inductor"
HOPPER = 9
"""The GPUs' generation for which our kernels were made and measured: NVIDIA H100, H200."""


class Compilation:
    """Decides when to compile, and keeps batches at one size from then on.

    Args:
        pipeline: Whose denoiser and decoder are compiled.
        mode: "on" compiles before the first batch, "auto" on a GPU where it is worth it, "off"
            never.
        device: Where the pipeline is.
    """

    def __init__(self, pipeline: Any, *, mode: str, device: str) -> None:
        if mode not in MODES:
            raise SettingError("compile", f"is {mode!r}; allowed: {one_of(MODES)}")
        self._pipeline = pipeline
        self._device = device
        self._networks = _networks(pipeline)
        self._fast: Any = None
        self._undecided = mode == "auto" and device.startswith("cuda") and bool(self._networks)
        has_blocks = bool(self._networks) and bool(repeated_blocks(self._networks[0]))
        self._worth_s = WORTH_BLOCKS_S if has_blocks else WORTH_S
        self._expected = 0
        self._size: int | None = None
        self.compiled = False
        self._at_once = mode == "on"
        self.may_compile_whole = (
            mode != "off" and device.startswith("cuda") and bool(self._networks) and not has_blocks
        )
        """Whether the denoiser is compiled as a whole where the run is long enough."""

    def expect(self, images: int) -> None:
        """Take note of how many images are still to be made."""
        self._expected = images

    def run(
        self, call: Callable[[Sequence[Request]], list[GeneratedImage]], requests: Sequence[Request]
    ) -> list[GeneratedImage]:
        """Make a batch with `call`, at the size that the network was compiled for."""
        if self._at_once and not self.compiled:
            self._compile()
        if not self.compiled:
            started = time.perf_counter()
            images = call(requests)
            self._expected = max(0, self._expected - len(requests))
            left_s = (time.perf_counter() - started) / max(1, len(requests)) * self._expected
            if self._undecided and left_s > self._worth_s:
                self._compile()
            return images
        with self.at_one_size(requests) as filled:
            return call(filled)[: len(requests)]

    @contextlib.contextmanager
    def at_one_size(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """Give a batch filled up with repeats to the size that the network was compiled for."""
        size = max(self._size or 0, len(requests))
        self._size = None  # where memory runs out, the next and smaller batch sets the size
        yield [*requests, *[requests[-1]] * (size - len(requests))]
        self._size = size

    @property
    def is_fast(self) -> bool:
        """Whether the networks use kernels of our own."""
        return self._fast is not None

    @contextlib.contextmanager
    def running(self, *, is_guided: bool) -> Iterator[None]:
        """Compute a batch in the fastest way known, until the context ends.

        Args:
            is_guided: Whether the denoiser gets every latent twice, for two texts.
        """
        if self._fast is not None:
            self._fast.is_guided = is_guided
        try:
            yield
        finally:
            if self._fast is not None:
                self._fast.is_guided = False

    def _compile(self) -> None:
        self._undecided = self._at_once = False
        if _has_kernels(self._pipeline, self._device):
            self._fast = _speed_up(self._pipeline)
        if not self._networks:
            return
        denoiser, *decoders = self._networks
        compile_network(denoiser)
        if self._fast is None or not repeated_blocks(denoiser):
            for decoder in decoders:  # else our kernels do, and seconds of compiling are saved
                compile_network(decoder)
        self.compiled = True


def compile_network(network: Any) -> None:
    """Compile the blocks that a network repeats, or the network where it repeats none."""
    blocks = repeated_blocks(network)
    if not blocks:
        network.compile(backend=BACKEND, dynamic=False)
        return
    network._repeated_blocks = blocks  # of this network alone; some classes declare none
    network.compile_repeated_blocks(backend=BACKEND, dynamic=False)


def repeated_blocks(network: Any) -> list[str]:
    """Return the classes of the blocks that a transformer repeats: as declared, else as found.

    A UNet repeats blocks too, but what lies between them gains from compiling as well.
    """
    if not hasattr(network, "compile_repeated_blocks") or hasattr(network, "down_blocks"):
        return []
    if declared := getattr(network, "_repeated_blocks", None):
        return list(declared)
    children = Counter(
        type(block).__name__
        for blocks in network.children()
        if type(blocks).__name__ == "ModuleList"
        for block in blocks
    )
    return [name for name, count in children.items() if count > 1]


def _networks(pipeline: Any) -> list[Any]:
    denoiser = getattr(pipeline, "unet", None) or getattr(pipeline, "transformer", None)
    decoder = getattr(getattr(pipeline, "vae", None), "decoder", None)
    return [network for network in (denoiser, decoder) if network is not None]


def _has_kernels(pipeline: Any, device: str) -> bool:
    """Whether our own kernels run on this device, for networks of this precision."""
    torch = import_extra("torch", extra="models")
    if not device.startswith("cuda") or not torch.cuda.is_available():
        return False
    is_half = pipeline.dtype in (torch.bfloat16, torch.float16)
    is_nvidia = torch.version.cuda is not None
    return is_half and is_nvidia and torch.cuda.get_device_capability(device)[0] == HOPPER


def _speed_up(pipeline: Any) -> Any:
    try:
        from portrayal.generators.hopper.networks import speed_up

        return speed_up(pipeline)
    except Exception as error:  # no triton, or a version that we do not know: compile without
        warnings.warn(f"the networks run as diffusers has them: {error!r:.200}", stacklevel=2)
        return None
