"""Explain one prompt: which of its words causes who is shown?

An explanation is an influence study of one prompt in an audit of its own or in one that is there.
Its texts and images stay in the audit, so asking again, for more images or a higher level, makes
only what is new.
"""

from __future__ import annotations

from portrayal.explanation.answer import Explanation
from portrayal.explanation.explainer import Explainer, open_explainer
from portrayal.explanation.question import Question

__all__ = ["Explainer", "Explanation", "Question", "open_explainer"]
