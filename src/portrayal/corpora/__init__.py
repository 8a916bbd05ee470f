"""Training captions and their images: search, sampling, indicators, neighbours, phrases.

folder.py         a corpus: sources added once, sets of captions found in them
sources.py        files, tables, tars, here or at a URL (inspection, columns, listings)
terms.py          what counts as an occurrence of a term (matching.py: the same as SQL)
search.py         one pass over all captions (reading.py), counted and sampled
captions.py       stored sets; sampling.py draws smaller ones
indicators.py     which gender the words of a caption indicate
neighbours.py     captions that resemble a prompt (embeddings.py keeps vectors)
phrases.py, cooccurrence.py   what stands around a phrase; which words come together
images.py       the images of captions
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
