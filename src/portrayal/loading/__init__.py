"""What generators and measurers share about models, since neither may see the other.

files.py       where a model's files lie, and the hash of what is in them
devices.py     optional imports, device and dtype, silence while loading
attempts.py    a batch that fails: again, smaller, one by one
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
