"""A real server that speaks the protocol of S3, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

KEY, SECRET = "AKIAPORTRAYALTESTS01", "a-secret-that-nobody-may-see"


@dataclass(frozen=True)
class S3Server:
    """Where the server is, and how to ask it.

    Attributes:
        port: On this machine.
        credentials: What a client must have in its environment besides the address.
    """

    port: int
    credentials: Mapping[str, str] = field(
        default_factory=lambda: {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    )

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """What processes need to use the server, and nothing of this machine's own settings."""
        nowhere = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
        return {
            **nowhere,
            **self.credentials,
            "AWS_ENDPOINT_URL": self.address,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def client(self) -> Any:
        """A client of S3 that is not ours."""
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=self.address,
            region_name="us-east-1",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
        )

    def objects(self, bucket: str, prefix: str = "") -> dict[str, int]:
        """Return all names in a bucket with their sizes."""
        pages = (
            self.client().get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        )
        return {one["Key"]: one["Size"] for page in pages for one in page.get("Contents", [])}

    def read(self, bucket: str, name: str) -> bytes:
        return bytes(self.client().get_object(Bucket=bucket, Key=name)["Body"].read())


@contextlib.contextmanager
def running_s3(*, free_calls: int | None = None) -> Iterator[S3Server]:
    """Run a server with a bucket called `bucket`.

    Args:
        free_calls: From this number of calls on nobody may do anything; None: everybody may.
    """
    for module in ("s3fs", "moto", "flask", "flask_cors"):
        pytest.importorskip(module, reason='pip install s3fs "moto[s3]" flask flask-cors')
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    rules = {} if free_calls is None else {"INITIAL_NO_AUTH_ACTION_COUNT": str(free_calls)}
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        env={**os.environ, **rules},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        server = S3Server(port)
        server.client().create_bucket(Bucket="bucket")
        yield server
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, "the server has ended"
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.05)
    raise AssertionError("the server does not answer")
