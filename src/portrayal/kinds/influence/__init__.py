"""Influence studies: which word of the prompt causes it? After word-level explanations."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
