from .archive import pack as pack
from .archive import unpack as unpack
from .card import card_metadata as card_metadata
from .card import card_text as card_text
from .card import yaml_text as yaml_text
from .crate import About as About
from .crate import write_crate as write_crate
