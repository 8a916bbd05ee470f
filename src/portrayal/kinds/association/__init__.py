"""Association studies: does a model associate a concept with an attribute? After T2IAT."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
