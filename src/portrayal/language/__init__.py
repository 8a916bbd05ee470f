"""Text models: other words for the words of a prompt.

words.py             what counts as another word
masked_words.py      a masked language model proposes them (fillers.py, vocabulary.py)
candidates.py        a list does, or WordNet
parts_of_speech.py   taggers that keep a noun a noun
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
