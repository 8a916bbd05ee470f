"""The pages of the rating site."""

from __future__ import annotations

from starlette.responses import HTMLResponse

from portrayal.web import Pages

PAGES = Pages(
    "portrayal.raters.site",
    {"rating.css": "text/css; charset=utf-8", "rating.js": "text/javascript; charset=utf-8"},
)
page = PAGES.page


def message(status: int, title: str, text: str) -> HTMLResponse:
    """Return a page that only says something."""
    return page("message.html", status=status, title=title, text=text, link=None)


def forbidden() -> HTMLResponse:
    """Return the one answer to everybody without a valid link."""
    return message(403, "This link opens nothing", "Ask whoever sent it to you for a new one.")
