"""What pages served from this machine share: address, links with tokens, protection, images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lazy_loader

from portrayal.errors import MissingExtra

_attached, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        try:
            return _attached(name)
        except ModuleNotFoundError as error:
            if str(error.name).partition(".")[0] == "portrayal":
                raise
            raise MissingExtra(str(error.name), "web") from error
