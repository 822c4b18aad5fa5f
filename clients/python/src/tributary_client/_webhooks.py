"""Verifies webhooks. They are signed as Standard Webhooks specifies."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import time
from collections.abc import Iterable, Mapping
from typing import cast

from ._query import listed
from ._types import WebhookEvent


class WebhookVerificationError(Exception):
    """The request is not from the server, is too old, or was changed on the way. Answer 400 and ignore it."""


def verify_webhook(
    *, headers: Mapping[str, str], body: bytes | str, secret: str | Iterable[str], tolerance: float = 300
) -> WebhookEvent:
    """Verifies a webhook and returns its event. Raises WebhookVerificationError.

    `body` is the request's body, byte for byte. `secret` is `whsec_...`, or several during a rotation. `tolerance` is in seconds. Ignore an event whose `id`
    you have already handled.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp, signatures = (lower.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (identifier and timestamp and signatures):
        raise WebhookVerificationError("The request has no signature.")
    if not _is_near(timestamp, tolerance):
        raise WebhookVerificationError("The time of the signature is too far from now.")
    data = body.encode() if isinstance(body, str) else body
    signed = f"{identifier}.{timestamp}.".encode() + data
    given = [_decoded(one[3:]) for one in signatures.split(" ") if one.startswith("v1,")]
    for key in listed(secret):
        expected = hmac.new(_decoded(key.removeprefix("whsec_")), signed, hashlib.sha256).digest()
        if any(hmac.compare_digest(expected, one) for one in given):
            return cast(WebhookEvent, json.loads(data))
    raise WebhookVerificationError("The signature does not match.")


def _is_near(timestamp: str, tolerance: float) -> bool:
    try:
        age = abs(time.time() - float(timestamp))
    except ValueError:
        return False
    return math.isfinite(age) and age <= tolerance


def _decoded(text: str) -> bytes:
    """Decodes base64. Returns empty bytes for anything else, which match no signature."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
