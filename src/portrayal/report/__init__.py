"""The report: one self-contained HTML page, and the same figures as files for papers.

Names are imported on first use: the command line writes its numbers as the report does, and must
not wait for the analysis to say its version.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
