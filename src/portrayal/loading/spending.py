"""What a run may spend on a paid service: counted before every call, not after.

A call counts from the moment before it is sent until the service says that it made nothing. One
whose answer never came, or came broken, may be on the bill and stays counted.
"""

from __future__ import annotations

import math
import threading
from decimal import Decimal
from typing import NamedTuple

from portrayal.errors import SettingError


class CeilingWords(NamedTuple):
    """What a ceiling's settings, and what is paid for, are called in messages."""

    limit: str = "max_images"
    cost: str = "max_cost"
    price: str = "price"
    unit: str = "image"


_OF_IMAGES = CeilingWords()


class Ceiling:
    """The most calls that may be paid for; shared by threads.

    Args:
        images: At most so many images.
        cost: At most so much money, in the currency of `price`.
        price: What one image costs.
        words: What these are called in messages.

    Raises:
        SettingError: A number that makes no sense, a cost without a price, or one that pays for
            no image.
    """

    def __init__(
        self,
        *,
        images: int | None = None,
        cost: float | None = None,
        price: float | None = None,
        words: CeilingWords = _OF_IMAGES,
    ) -> None:
        if images is not None and images < 1:
            raise SettingError(words.limit, f"is {images}; allowed: 1 or more")
        for name, value in ((words.cost, cost), (words.price, price)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise SettingError(name, f"is {value}; allowed: more than 0")
        if cost is not None and price is None:
            raise SettingError(
                words.cost,
                f"needs `{words.price}`, what one {words.unit} costs: endpoints do not say it; "
                "look it up at the service",
            )
        if cost is not None and price is not None and cost < price:
            raise SettingError(
                words.cost,
                f"is {cost:g} and does not pay for one {words.unit} at the price {price:g}; "
                f"allowed: {price:g} or more",
            )
        allowed = {} if images is None else {f"`{words.limit}` {images}": images}
        if cost is not None and price is not None:
            # Decimal, because 0.12 / 0.04 must be three images and is 2.9999... in binary.
            fits = int(Decimal(str(cost)) / Decimal(str(price)))
            allowed[f"`{words.cost}` {cost:g} at {price:g} per {words.unit}"] = fits
        self._allowed = allowed
        self._limit = min(allowed.values(), default=None)
        self._price = price
        self._settled = 0
        self._open = 0
        self._changed = threading.Condition()

    @property
    def paid(self) -> int:
        """Calls that are, or may be, on the bill."""
        with self._changed:
            return self._settled + self._open

    @property
    def under_way(self) -> int:
        """Calls that were sent and not settled yet."""
        with self._changed:
            return self._open

    def reserve(self, stop: threading.Event) -> bool:
        """Count a call before it is sent; False where none is left.

        While calls that could still turn out to be free are under way, it waits for them.
        """
        with self._changed:
            while self._limit is not None and self._settled + self._open >= self._limit:
                if not self._open or stop.is_set():
                    return False
                self._changed.wait(0.2)
            self._open += 1
            return True

    def reserve_now(self, calls: int = 1) -> bool:
        """Count calls before they are sent; False, and none counted, where too few are left."""
        with self._changed:
            if self._limit is not None and self._settled + self._open + calls > self._limit:
                return False
            self._open += calls
            return True

    def settle(self, *, paid: bool) -> None:
        """Say whether a call that was reserved is on the bill."""
        with self._changed:
            self._open -= 1
            self._settled += paid
            self._changed.notify_all()

    def reached(self) -> str:
        """Say in words which ceiling ended the run."""
        which = min(self._allowed, key=lambda name: self._allowed[name])
        spent = "" if self._price is None else f", about {self._settled * self._price:.2f} spent"
        return (
            f"the ceiling is reached: {self._settled} paid calls in this run ({which}){spent}; "
            "what was made is stored: raise the ceiling and run the same command again"
        )
