"""Splits upload bodies into pieces, and finds their length."""

from __future__ import annotations

import io
import os
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import IO, Union

from ._types import Progress

UploadBody = Union[str, bytes, "os.PathLike[str]", IO[bytes], Iterable[bytes]]
AsyncUploadBody = Union[UploadBody, AsyncIterable[bytes]]
OnProgress = Callable[[Progress], None]

PIECE_BYTES = 65_536


def length_of(body: AsyncUploadBody) -> int | None:
    """Length of a body in bytes; None if it is unknown until the end."""
    if isinstance(body, str):
        return len(body.encode())
    if isinstance(body, bytes):
        return len(body)
    if isinstance(body, os.PathLike):
        return os.stat(body).st_size
    if not isinstance(body, io.IOBase):
        return None
    try:
        return os.fstat(body.fileno()).st_size - body.tell()
    except OSError:
        # A pipe or an in-memory file: its size is unknown.
        return None


def pieces_of(body: UploadBody) -> Iterator[bytes]:
    if isinstance(body, (str, bytes)):
        data = body.encode() if isinstance(body, str) else body
        for start in range(0, len(data), PIECE_BYTES):
            yield data[start : start + PIECE_BYTES]
    elif isinstance(body, os.PathLike):
        with open(body, "rb") as file:
            yield from _read(file)
    elif isinstance(body, io.IOBase):
        yield from _read(body)
    else:
        yield from body


def _read(file: IO[bytes] | io.IOBase) -> Iterator[bytes]:
    while piece := file.read(PIECE_BYTES):
        yield piece


def counted(body: UploadBody, on_progress: OnProgress | None) -> Iterator[bytes]:
    """Yields the pieces, and reports each one that was sent."""
    sent, total = 0, length_of(body)
    for piece in pieces_of(body):
        yield piece
        sent += len(piece)
        if on_progress:
            on_progress(Progress(sent, total))


async def counted_async(body: AsyncUploadBody, on_progress: OnProgress | None) -> AsyncIterator[bytes]:
    if not isinstance(body, AsyncIterable):
        for piece in counted(body, on_progress):
            yield piece
        return
    sent = 0
    async for piece in body:
        yield piece
        sent += len(piece)
        if on_progress:
            on_progress(Progress(sent, None))
