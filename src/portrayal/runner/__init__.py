"""The verbs over one audit folder, for the CLI and for Python.

    plan -> generate -> measure -> analyze -> report

Each verb takes a session: an audit, studies and models, opened once. It computes what is wanted
minus what is present and appends, so calling one again, asking for more images and adding a study
are the same act.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
