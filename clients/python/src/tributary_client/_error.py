"""Errors of the server."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx

from ._types import ErrorResponse


class TributaryError(Exception):
    """An error response of the server, or of its token endpoint (then `title` is the OAuth error)."""

    def __init__(self, problem: ErrorResponse, correlation_id: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(problem["message"])
        self.message = problem["message"]
        self.status = problem["statusCode"]
        """Status of the HTTP response. Over a WebSocket, the status that the request would have had."""
        self.internal_error_name = problem["internalErrorName"]
        """Code of the error, such as `GENERAL_NOT_FOUND_ERROR`."""
        self.title = problem["title"]
        self.nested_errors = problem["nestedErrors"]
        self.correlation_id = correlation_id
        """Identifies the request in the server's logs."""
        self.retry_after = retry_after
        """Seconds to wait before a retry. None if the server sent no `Retry-After`."""


def error_of(response: httpx.Response) -> TributaryError:
    """Makes the error from a response with its body. A proxy may have replaced the body."""
    retry_after = response.headers.get("Retry-After", "")
    return TributaryError(
        _problem_of(response.text, response.status_code, response.reason_phrase),
        response.headers.get("X-Correlation-Id"),
        float(retry_after) if retry_after.isdecimal() else None,
    )


def _problem_of(text: str, status: int, reason: str) -> ErrorResponse:
    problem: ErrorResponse = {
        "statusCode": status,
        "title": reason or f"HTTP {status}",
        "message": "",
        "internalErrorName": "GENERAL_INTERNAL_ERROR",
        "nestedErrors": [],
    }
    try:
        body: Any = json.loads(text)
    except ValueError:
        body = None
    if _has_text(body, "message", "internalErrorName") and isinstance(body.get("nestedErrors"), list):
        return cast(ErrorResponse, body)
    if _has_text(body, "error", "error_description"):
        return {
            **problem,
            "message": body["error_description"],
            "internalErrorName": "GENERAL_AUTHENTICATION_ERROR",
            "title": body["error"],
        }
    return {**problem, "message": text[:500] or problem["title"]}


def _has_text(body: Any, *members: str) -> bool:
    return isinstance(body, dict) and all(isinstance(body.get(member), str) for member in members)
