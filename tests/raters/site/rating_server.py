"""A real rating server in a process of its own, to be killed and started again."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import uvicorn
from PIL import Image, ImageDraw

from portrayal.audit import AuditFolder
from portrayal.raters.site.app import SiteSettings, create_app
from portrayal.raters.site.database import open_database
from portrayal.records import Identity, ImageRecord
from portrayal.web import LOOPBACK

SERVE = """
import json, sys
from portrayal.raters import site

def ready(page):
    print(json.dumps({"base": page.base, "admin": page.admin_link}), flush=True)

site.serve(sys.argv[1], database=sys.argv[2] or None, port=int(sys.argv[3]), on_ready=ready)
print("ended", flush=True)
"""


def image(number: int, *, size: int = 96) -> bytes:
    """A PNG that differs from every other one."""
    image = Image.new("RGB", (size, size), (40 + 37 * number % 200, 90, 120))
    ImageDraw.Draw(image).text((8, 8), str(number), fill="white")
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def make_audit(folder: Path, prompts: dict[str, dict[str, str]], *, images: int) -> AuditFolder:
    """An audit with `images` images of every prompt; the factors are given by prompt."""
    audit = AuditFolder.at(folder, Identity("test", "painter", {}))
    audit.append_images(
        [
            ImageRecord(prompt, seed, "ok", data=image(100 * i + seed), factors=factors)
            for i, (prompt, factors) in enumerate(prompts.items())
            for seed in range(images)
        ]
    )
    return audit


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class RatingServer:
    """Serves the rating of an audit; keeps its port over a kill."""

    def __init__(self, audit: Path, database: str | None) -> None:
        self._arguments = [str(audit), database or "", str(free_port())]
        self._process: subprocess.Popen[str] | None = None
        self.base = ""
        self.admin_link = ""

    def start(self) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, *self._arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        assert line, process.stderr.read()
        found = json.loads(line)
        self.base, self.admin_link = found["base"], found["admin"]
        self._process = process
        _wait_for(f"{self.base}/favicon.ico")

    def kill(self) -> None:
        """End it as a power cut would: no handler runs."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._reap()

    def stop(self) -> str:
        """Ask it to end; return what it wrote to standard error."""
        if self._process is None:
            return ""
        self._process.terminate()
        process = self._process
        errors = self._reap()
        assert process.returncode == 0, errors
        return errors

    def _reap(self) -> str:
        assert self._process is not None
        _, errors = self._process.communicate(timeout=30)
        self._process = None
        return errors


class ThreadServer:
    """The same app on a real socket, in a thread of the test: quick to start, not to be killed."""

    def __init__(self, audit: Path, database: str | None = None) -> None:
        opened = AuditFolder(audit)
        self._database = open_database(opened.path, database)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.admin_link = f"{self.base}/admin/enter/admin-token"
        settings = SiteSettings(self.base, LOOPBACK)
        app = create_app(opened, self._database, admin_token="admin-token", settings=settings)
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))

    def start(self) -> None:
        self._socket.listen(128)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
        self._database.close()


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            assert time.monotonic() < deadline, f"{address} does not answer"
            time.sleep(0.05)
