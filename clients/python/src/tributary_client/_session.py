"""One stream over one WebSocket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from ._error import TributaryError
from ._query import StreamSettings, query_of
from ._types import ErrorResponse, SinkMessage, Stream

PING_SECONDS = 4
"""The platform closes a connection after 10 seconds without a message or ping."""

END_OF_STREAM = json.dumps({"type": "END_OF_STREAM"})


class Session:
    """Send the data, call `end()`, and iterate over the results until the stream ends."""

    def __init__(self, stream: Stream, connection: ClientConnection) -> None:
        self.stream = stream
        self._connection = connection

    def send(self, data: bytes) -> None:
        self._connection.send(data)

    def end(self) -> None:
        """Ends the data of the stream."""
        self._connection.send(END_OF_STREAM)

    def __iter__(self) -> Iterator[SinkMessage]:
        try:
            while True:
                message = read_message(self._connection.recv())
                if message["type"] == "END_OF_STREAM":
                    return
                if message["type"] == "RESPONSE":
                    yield message["response"]
        except ConnectionClosed as error:
            raise ConnectionError("The connection ended before the stream had.") from error


@contextmanager
def open_session(base: str, authorization: str, settings: StreamSettings, egress: bool) -> Iterator[Session]:
    headers = {"Authorization": authorization}
    try:
        connection = connect(session_url(base, settings, egress), additional_headers=headers, ping_interval=PING_SECONDS, max_size=None)
    except InvalidStatus as error:
        raise handshake_error(error) from error
    with connection:
        yield Session(stream_in(connection.recv()), connection)


def session_url(base: str, settings: StreamSettings, egress: bool) -> str:
    query = query_of(settings) + ([] if egress else [("egress", "false")])
    return f"{base.replace('http', 'ws', 1)}/ws-gateway/api/v1?{urlencode(query)}"


def read_message(data: str | bytes) -> dict[str, Any]:
    """Parses a message of the gateway. Raises TributaryError for an error message."""
    message: dict[str, Any] = json.loads(data)
    if message["type"] == "ERROR":
        raise TributaryError(message["error"])
    return message


def stream_in(data: str | bytes) -> Stream:
    stream: Stream = read_message(data)["stream"]
    return stream


def handshake_error(error: InvalidStatus) -> Exception:
    """Makes the error from a refused handshake."""
    try:
        problem: ErrorResponse = json.loads(error.response.body or b"")
        return TributaryError(problem, error.response.headers.get("X-Correlation-Id"))
    except (ValueError, KeyError, TypeError):
        return error
