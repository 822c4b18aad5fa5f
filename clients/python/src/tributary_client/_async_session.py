"""One stream over one WebSocket, asynchronously."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.asyncio.client import ClientConnection, connect

from ._query import StreamSettings
from ._session import END_OF_STREAM, PING_SECONDS, handshake_error, read_message, session_url, stream_in
from ._types import SinkMessage, Stream


class AsyncSession:
    """Send the data, call `end()`, and iterate over the results until the stream ends."""

    def __init__(self, stream: Stream, connection: ClientConnection) -> None:
        self.stream = stream
        self._connection = connection

    async def send(self, data: bytes) -> None:
        await self._connection.send(data)

    async def end(self) -> None:
        """Ends the data of the stream."""
        await self._connection.send(END_OF_STREAM)

    async def __aiter__(self) -> AsyncIterator[SinkMessage]:
        try:
            while True:
                message = read_message(await self._connection.recv())
                if message["type"] == "END_OF_STREAM":
                    return
                if message["type"] == "RESPONSE":
                    yield message["response"]
        except ConnectionClosed as error:
            raise ConnectionError("The connection ended before the stream had.") from error


@asynccontextmanager
async def open_async_session(base: str, authorization: Callable[[], Awaitable[str]], settings: StreamSettings, egress: bool) -> AsyncIterator[AsyncSession]:
    headers = {"Authorization": await authorization()}
    try:
        connection = await connect(session_url(base, settings, egress), additional_headers=headers, ping_interval=PING_SECONDS, max_size=None)
    except InvalidStatus as error:
        raise handshake_error(error) from error
    async with connection:
        yield AsyncSession(stream_in(await connection.recv()), connection)
