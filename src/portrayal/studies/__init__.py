"""Studies: questions as data. Read and validate a study, expand it into prompts.

load_study("flowers-insects")       a built-in study by name
load_study("mine.toml")             one from a file
load_studies("t2iat")               all studies of a suite
builtin_studies()                   what there is, with prompts and images
starter_text("association")         a commented file to start from
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
