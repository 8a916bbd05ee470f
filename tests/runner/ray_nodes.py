"""A Ray cluster of several nodes on this machine, in a process of its own.

Reads words from its input, one a line: "add" starts a node of one processor, "kill" ends the oldest
one without warning. Answers each with a line; the first line that it says is the address.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PATHS = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "src")]
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "OMP_NUM_THREADS": "1"}
STORE = 80 * 2**20


def environment() -> dict[str, str]:
    """What processes of a cluster and of its users need."""
    return {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(PATHS)}


class Nodes:
    """The other end of a cluster's process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._line()

    def tell(self, word: str) -> str:
        """Say "add" or "kill"; return when it is done."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline()
            assert line, "the cluster has ended"
            if line.startswith("> "):
                return line[2:].strip()


@contextlib.contextmanager
def running_nodes(count: int) -> Iterator[Nodes]:
    """Run a cluster with a head that does no work and some nodes of one processor each."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
    )
    try:
        nodes = Nodes(process)
        for _ in range(count):
            nodes.tell("add")
        yield nodes
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


def serve() -> None:
    """Be the process."""
    from ray.cluster_utils import Cluster

    options: dict[str, Any] = {"include_dashboard": False, "object_store_memory": STORE}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **options})
    nodes: list[Any] = []
    print(f"> {cluster.address}", flush=True)
    for word in map(str.strip, sys.stdin):
        if word == "add":
            nodes.append(cluster.add_node(num_cpus=1, object_store_memory=STORE))
            cluster.wait_for_nodes()
        elif word == "kill":
            cluster.remove_node(nodes.pop(0), allow_graceful=False)
        print(f"> {len(nodes)}", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    serve()
