"""Rules on an audit and what becomes of them: pass, fail, or not enough data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
