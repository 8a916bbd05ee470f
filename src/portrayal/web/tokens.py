"""Unguessable links, and the token that a form carries.

A link's token has 256 random bits; the database keeps only its hash, so a stolen database opens no
link, and a lost link is replaced, not looked up.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

LONGEST = 128
"""No token of ours is longer: nothing longer is hashed or looked up."""


def new_token() -> str:
    """Return a token for a personal link."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """Return a name for a task that says nothing about it."""
    return secrets.token_urlsafe(9)


def hashed(token: str) -> str:
    """Return what the database keeps of a token. No salt: the token itself is random."""
    return hashlib.sha256(token[:LONGEST].encode("utf-8", "replace")).hexdigest()


def form_token(token: str, form: str) -> str:
    """Return what a form must send back: known only to whom the page was shown, good for one form.

    Args:
        token: The token of the link that the page was opened with.
        form: Which form.
    """
    return hmac.new(token.encode("utf-8", "replace"), form.encode(), "sha256").hexdigest()


def matches(given: str, expected: str) -> bool:
    """Compare two secrets in a time that does not tell how far they agree."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())
