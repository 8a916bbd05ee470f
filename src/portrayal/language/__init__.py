"""Text models: other words for the words of a prompt.

words.py             what counts as another word
masked_words.py      a masked language model proposes them (fillers.py, vocabulary.py)
candidates.py        a list does, or WordNet
parts_of_speech.py   taggers that keep a noun a noun
"""

from __future__ import annotations

from portrayal.language.transmuter import Draw, Transmuter

__all__ = ["Draw", "Transmuter"]
