"""The kinds of study, each in a folder of its own, behind one small protocol.

Nothing outside this package asks what kind a study is: it asks the kind.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
