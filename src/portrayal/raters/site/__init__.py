"""The rating page: people look at an audit's images and say what they see.

prepare(audit, raters=3)    share images out, make personal links
serve(audit)                run the page until it is stopped
collect(audit)              keep the votes so far with the audit; collect_waiting: if there are any
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portrayal.errors import MissingExtra

if TYPE_CHECKING:
    from portrayal.raters.site.collection import collect, collect_waiting
    from portrayal.raters.site.preparation import Preparation, prepare
    from portrayal.raters.site.serving import Site, serve

__all__ = ["Preparation", "Site", "collect", "collect_waiting", "prepare", "serve"]

_HOMES = {
    "Preparation": "preparation",
    "collect": "collection",
    "collect_waiting": "collection",
    "prepare": "preparation",
    "Site": "serving",
    "serve": "serving",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'portrayal.raters.site' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"portrayal.raters.site.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "portrayal":
            raise
        raise MissingExtra(str(error.name), "web") from error
