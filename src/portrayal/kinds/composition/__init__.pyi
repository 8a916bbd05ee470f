from .schema import CompositionStudy as CompositionStudy
from .truth import share_truths as share_truths
