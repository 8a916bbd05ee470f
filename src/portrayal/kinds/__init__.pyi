from .protocol import Kind as Kind
from .protocol import kind_of as kind_of
from .requirement import Requirement as Requirement
from .requirement import extra as extra
from .requirement import weights as weights
from .truth import Truth as Truth
from .truth import exact as exact
from .truth import rounded as rounded
