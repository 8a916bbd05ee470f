"""OpenAI's own environment variables reach OpenAI's own service, and no other.

The client puts an organisation, a project and further headers from the environment into every
request, whoever it calls.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

OFFICIAL_HOST = "api.openai.com"
_HEADERS = ("OpenAI-Organization", "OpenAI-Project")
_CUSTOM = "OPENAI_CUSTOM_HEADERS"


def official_headers_hook(base_url: str | None) -> Callable[[Any], None]:
    """Return a hook for the client's requests that takes those headers out of foreign ones.

    Args:
        base_url: Who is called; None: OpenAI.
    """
    host = urlsplit(base_url).hostname or "" if base_url else OFFICIAL_HOST
    official = host == OFFICIAL_HOST or host.endswith(f".{OFFICIAL_HOST}")
    lines = os.environ.get(_CUSTOM, "").splitlines()
    names = [*_HEADERS, *(line.partition(":")[0].strip() for line in lines)]

    def hook(request: Any) -> None:
        for name in names if not official else ():
            if name and name in request.headers:
                del request.headers[name]

    return hook
