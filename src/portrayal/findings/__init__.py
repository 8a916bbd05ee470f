"""What all kinds of study share: data per measurer, settings, sentences, plans, typed results."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
