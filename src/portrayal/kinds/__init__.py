"""The kinds of study, each in a folder of its own, behind one small protocol.

Nothing outside this package asks what kind a study is: it asks the kind.
"""

from __future__ import annotations

from portrayal.kinds.protocol import Kind, kind_of

__all__ = ["Kind", "kind_of"]
