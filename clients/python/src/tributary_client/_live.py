"""Following the messages of streams over as many connections as it takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import httpx

from ._error import TributaryError
from ._query import Pairs
from ._types import SinkMessage

LIVE_PATH = "/egress-service/api/v1/egress/live"
FIRST_PAUSE_SECONDS = 0.1
LAST_PAUSE_SECONDS = 5.0


@dataclass(frozen=True)
class LiveOptions:
    tags: Sequence[str]
    match_tags: Literal["ALL", "ANY"] | None
    accept_frame_type: Literal["partial-final", "final"] | None
    timeout: float | None
    attempts: int


class LiveRead:
    """Where a live read stands: what was given last, and how many connections have failed since."""

    def __init__(self, stream_ids: Sequence[str], options: LiveOptions) -> None:
        self._stream_ids = stream_ids
        self._options = options
        self._last: dict[str, str] = {}
        self._failed = 0

    def query(self) -> Pairs:
        options = self._options
        named = {
            "matchTags": options.match_tags,
            "acceptFrameType": options.accept_frame_type,
            "timeout": None if options.timeout is None else str(round(options.timeout * 1000)),
        }
        return [
            *(("streams", one) for one in self._stream_ids),
            *(("tags", tag) for tag in options.tags),
            *((name, value) for name, value in named.items() if value is not None),
            *(("resume", f"{sink}={message}") for sink, message in self._last.items()),
        ]

    def take(self, line: str) -> SinkMessage:
        message: SinkMessage = json.loads(line)
        self._last[message["sinkTopicName"]] = message["messageId"]
        self._failed = 0
        return message

    def pause_after(self, error: Exception) -> float:
        """Seconds to wait before the next connection. Raises the error when another is not worth it."""
        self._failed += 1
        repeatable = error.status == 503 if isinstance(error, TributaryError) else isinstance(error, httpx.TransportError)
        if not repeatable or self._failed > self._options.attempts:
            raise error
        return float(min(FIRST_PAUSE_SECONDS * 2 ** (self._failed - 1), LAST_PAUSE_SECONDS))


class Lines:
    """Whole lines of a text that comes in pieces. A line that was cut off is never given."""

    def __init__(self) -> None:
        self._rest = b""

    def add(self, piece: bytes) -> Iterable[str]:
        *whole, self._rest = (self._rest + piece).split(b"\n")
        return [line.decode() for line in whole if line]
