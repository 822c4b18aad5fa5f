"""The methods of `Library` for the asynchronous client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import httpx

from ._library import (
    Call,
    describe_call,
    edits_call,
    label_streams_call,
    labels_call,
    revoke_share_call,
    save_vocabulary_call,
    search_call,
    share_call,
    shares_call,
    vocabularies_call,
    vocabulary_call,
)
from ._types import FoundStream, Label, NewShare, Share, Stream, StreamsChanged, TranscriptEditRecord, Vocabulary


class AsyncLibrary:
    """Methods of the asynchronous client."""

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        raise NotImplementedError

    async def search(
        self,
        query: str,
        *,
        labels: Sequence[str] = (),
        speaker: str | None = None,
        group_id: str | None = None,
        template: str | None = None,
        since: str | None = None,
        until: str | None = None,
        page: int = 0,
        size: int = 10,
    ) -> list[FoundStream]:
        """Searches the words of your kept streams, the most relevant first. Supports `"a phrase"`, `-without` and `pref*`."""
        call = search_call(query, labels, speaker, group_id, template, since, until, page, size)
        return cast("list[FoundStream]", (await self._sent(call)).json()["content"])

    async def labels(self) -> list[Label]:
        """Returns your labels with the number of their streams, most used first."""
        return cast("list[Label]", (await self._sent(labels_call())).json())

    async def describe(self, stream_id: str, *, name: str | None = None, labels: Sequence[str] | None = None) -> Stream:
        """Renames a stream, or replaces its labels. What is None stays."""
        return cast(Stream, (await self._sent(describe_call(stream_id, name, labels))).json())

    async def label_streams(
        self,
        streams: Sequence[str] | None = None,
        *,
        filter: Mapping[str, Any] | None = None,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> StreamsChanged:
        """Adds and removes labels of many streams: those listed, or all that match the filter."""
        return cast(StreamsChanged, (await self._sent(label_streams_call(streams, filter, add, remove))).json())

    async def share(self, stream_id: str, *, expires: str | None = None, never_expires: bool = False, media: bool = True) -> NewShare:
        """Makes a link by which anyone reads the transcript, for 30 days or until `expires` (ISO 8601). Its `url` is shown only here."""
        return cast(NewShare, (await self._sent(share_call(stream_id, expires, never_expires, media))).json())

    async def shares(self, stream_id: str) -> list[Share]:
        """Returns the links to a stream, oldest first, without their URLs."""
        return cast("list[Share]", (await self._sent(shares_call(stream_id))).json())

    async def revoke_share(self, stream_id: str, share_id: str) -> None:
        """Ends a link at once."""
        await self._sent(revoke_share_call(stream_id, share_id))

    async def vocabularies(self) -> list[Vocabulary]:
        """Returns your vocabularies by name."""
        return cast("list[Vocabulary]", (await self._sent(vocabularies_call())).json())

    async def vocabulary(self, vocabulary_id: str) -> Vocabulary:
        return cast(Vocabulary, (await self._sent(vocabulary_call("GET", vocabulary_id))).json())

    async def save_vocabulary(
        self, name: str, *, terms: Sequence[str] = (), replacements: Mapping[str, str] | None = None, id: str | None = None
    ) -> Vocabulary:
        """Saves a vocabulary: a new one, or with `id` the next content of yours. An upload takes it with the patch `vocabulary`: `"@name"`."""
        return cast(Vocabulary, (await self._sent(save_vocabulary_call(name, terms, replacements, id))).json())

    async def delete_vocabulary(self, vocabulary_id: str) -> None:
        await self._sent(vocabulary_call("DELETE", vocabulary_id))

    async def transcript_edits(
        self, stream_id: str, *, attempt: int | None = None, page: int = 0, size: int = 10
    ) -> list[TranscriptEditRecord]:
        """Returns who corrected a transcript, when and how, newest first."""
        return cast("list[TranscriptEditRecord]", (await self._sent(edits_call(stream_id, attempt, page, size))).json()["content"])

    async def _sent(self, call: Call) -> httpx.Response:
        return await self.request(call.method, call.path, **call.options)
