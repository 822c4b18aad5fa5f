"""Resumable uploads (tus 1.0): what the synchronous and the asynchronous client have in common."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

import httpx

from ._error import TributaryError
from ._types import Progress
from ._upload_body import AsyncUploadBody, OnProgress, PIECE_BYTES

TUS_PATH = "/http-gateway/api/v1/tus"
PROTOCOL = {"Tus-Resumable": "1.0.0"}
CHUNK_BYTES = 33_554_432
"""Largest body of one request, below the limits of most proxies."""
MOST_TRIES = 20
"""Tries in a row without progress: about four minutes."""
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 15.0


def opened(body: AsyncUploadBody) -> IO[bytes]:
    """The body as a file that can be read from any place. Close it with `closing`."""
    if isinstance(body, (str, bytes)):
        return io.BytesIO(body.encode() if isinstance(body, str) else body)
    if isinstance(body, os.PathLike):
        return open(body, "rb")
    if isinstance(body, io.IOBase) and body.seekable():
        return body  # type: ignore[return-value]
    raise TypeError("A resumable upload needs text, bytes, a path or a seekable file: an iterable cannot be sent twice.")


@dataclass
class Resumable:
    """One resumable upload: what it has sent, and what it waits for."""

    file: IO[bytes]
    on_progress: OnProgress | None
    start: int = 0
    total: int = 0
    path: str = ""
    stream_id: str = ""
    offset: int | None = 0
    failures: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = self.file.tell()
        self.total = self.file.seek(0, os.SEEK_END) - self.start

    def creation_headers(self, key: Mapping[str, str]) -> dict[str, str]:
        return {**PROTOCOL, **key, "Upload-Length": str(self.total)}

    def created(self, response: httpx.Response, key: Mapping[str, str]) -> None:
        # A proxy may serve the platform below a path that the server does not know.
        self.path = f"{TUS_PATH}/{response.headers['Location'].split('/')[-1]}"
        self.stream_id = response.headers["Tributary-Stream-Id"]
        # An earlier upload with the same key may have sent some.
        self.offset = None if key else 0

    def chunk(self, offset: int) -> dict[str, Any]:
        """The options of the next PATCH."""
        length = min(CHUNK_BYTES, self.total - offset)
        headers = {
            **PROTOCOL,
            "Content-Type": "application/offset+octet-stream",
            "Upload-Offset": str(offset),
            "Content-Length": str(length),
        }
        return {"headers": headers, "content": self._pieces(offset, length)}

    def reached(self, response: httpx.Response) -> int:
        return int(response.headers["Upload-Offset"])

    def failed(self, error: Exception) -> float:
        """Seconds to wait before the offset is asked for. Raises the error if another try is useless."""
        self.failures.append(error)
        if not _may_pass(error) or len(self.failures) > MOST_TRIES:
            # The reason of a refused upload, which the server has forgotten at the next request.
            raise next((one for one in self.failures if isinstance(one, TributaryError) and one.status < 500), error)
        self.offset = None
        return min(FIRST_PAUSE_SECONDS * float(1 << (len(self.failures) - 1)), LONGEST_PAUSE_SECONDS)

    def _pieces(self, offset: int, length: int) -> Iterator[bytes]:
        self.file.seek(self.start + offset)
        sent = 0
        while piece := self.file.read(min(PIECE_BYTES, length - sent)):
            yield piece
            sent += len(piece)
            if self.on_progress:
                self.on_progress(Progress(offset + sent, self.total))


def _may_pass(error: Exception) -> bool:
    """A conflict may only mean that the server has more bytes than the last answer said."""
    return not isinstance(error, TributaryError) or error.status in (409, 429) or error.status >= 500
