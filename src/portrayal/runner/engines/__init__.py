"""Where batches run: in this process, in one process per device, or on a Ray cluster.

    here       one generator in this process; the default
    local      one process per device of this machine; they share the work through the folder
    ray        long-lived workers of a Ray cluster, fed batch by batch from here

All of them make the same images under the same keys and store them as parts; one may continue
what another began.
"""

from __future__ import annotations

from portrayal.runner.engines.choice import EngineSettings, open_engine
from portrayal.runner.engines.local import InProcess
from portrayal.runner.engines.protocol import Engine

__all__ = ["Engine", "EngineSettings", "InProcess", "open_engine"]
