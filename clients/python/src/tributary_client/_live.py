"""Reading the messages of streams across reconnects."""

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
    """Progress of a live read: the last message returned, and the connections that failed since."""

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
        """Seconds to wait before the next connection. Raises the error if a retry would not help."""
        self._failed += 1
        repeatable = error.status == 503 if isinstance(error, TributaryError) else isinstance(error, httpx.TransportError)
        if not repeatable or self._failed > self._options.attempts:
            raise error
        return float(min(FIRST_PAUSE_SECONDS * 2 ** (self._failed - 1), LAST_PAUSE_SECONDS))


class Lines:
    """Splits text that arrives in pieces into whole lines. An incomplete last line is dropped."""

    def __init__(self) -> None:
        self._rest = b""

    def add(self, piece: bytes) -> Iterable[str]:
        *whole, self._rest = (self._rest + piece).split(b"\n")
        return [line.decode() for line in whole if line]
