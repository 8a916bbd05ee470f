from .answer import Explanation as Explanation
from .answer import explanation as explanation
from .question import PromptQuestion as PromptQuestion
from .question import replaced_by as replaced_by
from .schema import InfluenceStudy as InfluenceStudy
from .schema import Transmutation as Transmutation
from .word_scores import WordScore as WordScore
from .word_scores import WordScores as WordScores
