"""What each paper shows, in its order and layout: declarations that `portrayal reproduce` follows.

One TOML file per paper beside this module.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
