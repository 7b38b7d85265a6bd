"""Verifies and parses webhook deliveries."""

from __future__ import annotations

import hashlib
import hmac
import time

from .errors import SignatureError
from .models import Event

SIGNATURE_HEADER = "X-Service-Signature"


def verify(
    secret: str,
    signature: str | None,
    body: bytes,
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Event:
    """The event of a delivery, after its signature is verified.

    `signature` is the header `X-Service-Signature`, `body` the body as received, before any
    parsing. Raises `SignatureError` if the signature is missing, does not match, or is more than
    `tolerance` seconds old. A delivery can arrive more than once: ignore an `id` that is known.
    """
    parts = dict(part.strip().split("=", 1) for part in (signature or "").split(",") if "=" in part)
    timestamp, given = parts.get("t", ""), parts.get("v1", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise SignatureError(f"the header {SIGNATURE_HEADER} is missing or has no timestamp")
    age = abs((time.time() if now is None else now) - int(timestamp))
    if age > tolerance:
        raise SignatureError(f"the signature is {age:.0f} s old; {tolerance:.0f} s are accepted")
    signed = timestamp.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise SignatureError("the signature does not match: other secret, or a changed body")
    return Event.model_validate_json(body)
