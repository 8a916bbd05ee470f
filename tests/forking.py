"""A process that has imported everything and forks a child for each job.

Importing torch takes seconds, and fifty killed processes would import it fifty times. The child is
a real process that is killed for real. Nothing is computed before forking, so no thread exists.

As a script it reads JSON lines from its input and answers each with one.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class Jobs:
    """The other end: starts jobs in the forking process, kills them, waits for them."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def start(self, verb: str, folder: Path, **options: Any) -> int:
        """Start a job; return its process id."""
        return int(self._ask({"verb": verb, "folder": str(folder), **options}))

    def wait(self, pid: int) -> int:
        """Wait for a job; return its exit code, negative for a signal."""
        return int(self._ask({"wait": pid}))

    def run(self, verb: str, folder: Path, **options: Any) -> int:
        """Start a job and wait for it."""
        return self.wait(self.start(verb, folder, **options))

    def kill_after(
        self, seconds: float, *, at_work: bool, folder: Path, parts: int = 0, **job: Any
    ) -> bool:
        """Start a job and kill it with SIGKILL; return False where it had finished before.

        Args:
            seconds: How long to let it run.
            at_work: Count from the first look at what is missing, not from the start.
            folder: The audit.
            parts: Count only once the folder holds so many parts.
            job: What to do.
        """
        mark = folder.with_suffix(".mark")
        mark.unlink(missing_ok=True)
        pid = self.start(folder=folder, **job)
        while at_work and not mark.exists():
            time.sleep(0.002)
        while len(list(folder.rglob("part-*"))) < parts:
            time.sleep(0.002)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return self.wait(pid) == -signal.SIGKILL

    def _ask(self, question: dict[str, Any]) -> Any:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(question) + "\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline())


@contextlib.contextmanager
def forking_process(*, with_models: bool) -> Iterator[Jobs]:
    """Run the forking process; with torch imported where models are needed."""
    paths = [str(HERE), str(HERE.parent / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    server = subprocess.Popen(
        [sys.executable, str(HERE / "forking.py"), "models" if with_models else "light"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
    )
    try:
        yield Jobs(server)
    finally:
        assert server.stdin is not None
        server.stdin.close()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


def work(job: dict[str, Any]) -> None:
    """Do a job, in the child.

    `pause` makes every batch take longer, so that a kill finds the job at work; `store_every` is
    how often measurements are stored; `file_limit` is the largest file that may be written.
    """
    from portrayal.audit import AuditFolder
    from portrayal.generators import Generator, generate, open_generator
    from portrayal.measurers import Measurer, loop, measure, open_measurer
    from toy_generators import ColourGenerator, MeanColour

    if "file_limit" in job:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_limit"], job["file_limit"]))
    loop._STORE_EVERY_S = job.get("store_every", loop._STORE_EVERY_S)
    model, settings, pause = job["model"], job.get("settings", {}), job.get("pause", 0.0)
    summary: Any
    asked = 0

    def progress(done: int, total: int) -> None:
        Path(job["folder"]).with_suffix(".mark").touch()
        time.sleep(pause)

    if job["verb"] == "generate":
        generator: Generator = (
            ColourGenerator(**settings) if model == "colours" else open_generator(model, **settings)
        )
        audit = AuditFolder.at(job["folder"], generator.identity)
        wanted = [tuple(want) for want in job["wanted"]]
        summary = generate(audit, generator, wanted, on_progress=progress)
        if isinstance(generator, ColourGenerator):
            asked = sum(len(batch) for batch in generator.batches)
    else:
        measurer: Measurer = (
            MeanColour(**settings) if model == "mean colour" else open_measurer(model, **settings)
        )
        summary = measure(
            AuditFolder(job["folder"]),
            [measurer],
            texts=job.get("texts", ()),
            on_progress=progress,
        )
    if "say" in job:
        Path(job["say"]).write_text(json.dumps(summary.as_dict() | {"asked": asked}))


def serve() -> None:
    """Fork a child for each job that is asked for."""
    for line in sys.stdin:
        job = json.loads(line)
        if "wait" in job:
            answer = os.waitstatus_to_exitcode(os.waitpid(job["wait"], 0)[1])
        elif not (answer := os.fork()):
            code = 1
            try:
                work(job)
                code = 0
            except BaseException as error:
                text = "".join(traceback.format_exception(error))
                Path(job["folder"]).with_suffix(".error").write_text(f"{error}\n{text}")
                Path(job["folder"]).with_suffix(".mark").touch()
            finally:
                os._exit(code)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    for name in ("portrayal.generators", "portrayal.measurers", "generators", "pandas"):
        importlib.import_module(name)
    if sys.argv[1] == "models":
        for name in (
            "diffusers.pipelines.auto_pipeline",
            "diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion",
            "transformers.models.clip.modeling_clip",
        ):
            importlib.import_module(name)
    serve()
