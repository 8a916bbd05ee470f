"""Templates filled in: everything is escaped, nothing comes from elsewhere."""

from __future__ import annotations

import functools
import hashlib
from importlib.resources import files
from typing import Any

import jinja2
from starlette.responses import HTMLResponse, Response

STATIC = {"rating.css": "text/css; charset=utf-8", "rating.js": "text/javascript; charset=utf-8"}


@functools.cache
def static_file(name: str) -> bytes:
    """Return one of our two files."""
    return (files("portrayal.raters.site") / "static" / name).read_bytes()


@functools.cache
def static_address(name: str) -> str:
    """Return the address of a file; another one for every version, so browsers may keep it."""
    version = hashlib.sha256(static_file(name)).hexdigest()[:12]
    return f"/static/{name}?v={version}"


@functools.cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("portrayal.raters.site", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["static"] = static_address
    return environment


def page(template: str, /, *, status: int = 200, **content: Any) -> HTMLResponse:
    """Return a page."""
    return HTMLResponse(_templates().get_template(template).render(**content), status)


def message(status: int, title: str, text: str) -> HTMLResponse:
    """Return a page that only says something."""
    return page("message.html", status=status, title=title, text=text, link=None)


def forbidden() -> HTMLResponse:
    """Return the one answer to everybody without a valid link."""
    return message(403, "This link opens nothing", "Ask whoever sent it to you for a new one.")


def static_response(name: str) -> Response:
    """Return one of our files, to be kept by the browser for a day."""
    return Response(
        static_file(name),
        media_type=STATIC[name],
        headers={"cache-control": "public, max-age=86400"},
    )
