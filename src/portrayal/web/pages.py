"""Templates filled in: everything is escaped, nothing comes from elsewhere."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import Any

import jinja2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route


class Pages:
    """The pages of a site: templates and static files of its package.

    Args:
        package: The package with the folders `templates` and `static`.
        static: The static files that may be asked for, with their media types.
        filters: What templates can apply, by name.
    """

    def __init__(
        self, package: str, static: Mapping[str, str], *, filters: Mapping[str, Any] | None = None
    ) -> None:
        self._package = package
        self._static = static
        self._filters = filters or {}
        self._read: dict[str, bytes] = {}

    def page(self, template: str, /, *, status: int = 200, **content: Any) -> HTMLResponse:
        """Return a page."""
        return HTMLResponse(self._templates.get_template(template).render(**content), status)

    def routes(self) -> list[Route]:
        """Return the addresses of the static files, and of the icon that there is not."""
        return [Route("/static/{name}", self._file), Route("/favicon.ico", _nothing)]

    @functools.cached_property
    def _templates(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader(self._package, "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals["static"] = self._address
        environment.filters.update(self._filters)
        return environment

    def _bytes(self, name: str) -> bytes:
        if name not in self._read:
            self._read[name] = (files(self._package) / "static" / name).read_bytes()
        return self._read[name]

    def _address(self, name: str) -> str:
        """Return a file's address; another one for every version, so that browsers may keep it."""
        version = hashlib.sha256(self._bytes(name)).hexdigest()[:12]
        return f"/static/{name}?v={version}"

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._static:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return Response(
            self._bytes(name),
            media_type=self._static[name],
            headers={"cache-control": "public, max-age=86400"},
        )


async def _nothing(request: Request) -> Response:
    return Response(status_code=HTTPStatus.NO_CONTENT)
