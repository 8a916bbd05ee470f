"""The viewer: a page on this machine over all audits of a folder.

serve_view(folder)    run the page until it is stopped
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
