"""The library of a user: search, labels, links and vocabularies. Each request is described once, for both clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import httpx

from ._types import FoundStream, Label, NewShare, Share, Stream, StreamsChanged, TranscriptEditRecord, Vocabulary

STREAMS = "/stream-service/api/v1/streams"
VOCABULARIES = "/stream-configuration-service/api/v1/vocabularies"


@dataclass(frozen=True)
class Call:
    """Arguments of `request`."""

    method: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)


class Library:
    """Methods of the synchronous client."""

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        raise NotImplementedError

    def search(
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
        return cast("list[FoundStream]", self._sent(call).json()["content"])

    def labels(self) -> list[Label]:
        """Returns your labels with the number of their streams, most used first."""
        return cast("list[Label]", self._sent(labels_call()).json())

    def describe(self, stream_id: str, *, name: str | None = None, labels: Sequence[str] | None = None) -> Stream:
        """Renames a stream, or replaces its labels. What is None stays."""
        return cast(Stream, self._sent(describe_call(stream_id, name, labels)).json())

    def label_streams(
        self,
        streams: Sequence[str] | None = None,
        *,
        filter: Mapping[str, Any] | None = None,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> StreamsChanged:
        """Adds and removes labels of many streams: those listed, or all that match the filter."""
        return cast(StreamsChanged, self._sent(label_streams_call(streams, filter, add, remove)).json())

    def share(self, stream_id: str, *, expires: str | None = None, never_expires: bool = False, media: bool = True) -> NewShare:
        """Makes a link by which anyone reads the transcript, for 30 days or until `expires` (ISO 8601). Its `url` is shown only here."""
        return cast(NewShare, self._sent(share_call(stream_id, expires, never_expires, media)).json())

    def shares(self, stream_id: str) -> list[Share]:
        """Returns the links to a stream, oldest first, without their URLs."""
        return cast("list[Share]", self._sent(shares_call(stream_id)).json())

    def revoke_share(self, stream_id: str, share_id: str) -> None:
        """Ends a link at once."""
        self._sent(revoke_share_call(stream_id, share_id))

    def vocabularies(self) -> list[Vocabulary]:
        """Returns your vocabularies by name."""
        return cast("list[Vocabulary]", self._sent(vocabularies_call()).json())

    def vocabulary(self, vocabulary_id: str) -> Vocabulary:
        return cast(Vocabulary, self._sent(vocabulary_call("GET", vocabulary_id)).json())

    def save_vocabulary(
        self, name: str, *, terms: Sequence[str] = (), replacements: Mapping[str, str] | None = None, id: str | None = None
    ) -> Vocabulary:
        """Saves a vocabulary: a new one, or with `id` the next content of yours. An upload takes it with the patch `vocabulary`: `"@name"`."""
        return cast(Vocabulary, self._sent(save_vocabulary_call(name, terms, replacements, id)).json())

    def delete_vocabulary(self, vocabulary_id: str) -> None:
        self._sent(vocabulary_call("DELETE", vocabulary_id))

    def transcript_edits(
        self, stream_id: str, *, attempt: int | None = None, page: int = 0, size: int = 10
    ) -> list[TranscriptEditRecord]:
        """Returns who corrected a transcript, when and how, newest first."""
        return cast("list[TranscriptEditRecord]", self._sent(edits_call(stream_id, attempt, page, size)).json()["content"])

    def _sent(self, call: Call) -> httpx.Response:
        return self.request(call.method, call.path, **call.options)


def search_call(
    query: str,
    labels: Sequence[str],
    speaker: str | None,
    group_id: str | None,
    template: str | None,
    since: str | None,
    until: str | None,
    page: int,
    size: int,
) -> Call:
    named = {"speaker": speaker, "group": group_id, "streamConfigurationTemplateId": template, "since": since, "until": until}
    given = [(name, value) for name, value in named.items() if value is not None]
    params = [("q", query), *(("label", label) for label in labels), *given, ("page", str(page)), ("size", str(size))]
    return Call("GET", "/export-service/api/v1/search", {"params": params})


def labels_call() -> Call:
    return Call("GET", "/stream-service/api/v1/labels")


def describe_call(stream_id: str, name: str | None, labels: Sequence[str] | None) -> Call:
    members = {"name": name, "labels": None if labels is None else list(labels)}
    return Call("PATCH", f"{STREAMS}/{stream_id}", {"json": {key: value for key, value in members.items() if value is not None}})


def label_streams_call(
    streams: Sequence[str] | None, filter: Mapping[str, Any] | None, add: Sequence[str], remove: Sequence[str]
) -> Call:
    listed = {} if streams is None else {"streams": list(streams)}
    matching = {} if filter is None else {"filter": dict(filter)}
    return Call("POST", f"{STREAMS}/labels", {"json": {**listed, **matching, "add": list(add), "remove": list(remove)}})


def share_call(stream_id: str, expires: str | None, never_expires: bool, media: bool) -> Call:
    end = {"expires": expires} if expires is not None or never_expires else {}
    return Call("POST", f"{STREAMS}/{stream_id}/shares", {"json": {**end, "media": media}})


def shares_call(stream_id: str) -> Call:
    return Call("GET", f"{STREAMS}/{stream_id}/shares")


def revoke_share_call(stream_id: str, share_id: str) -> Call:
    return Call("DELETE", f"{STREAMS}/{stream_id}/shares/{share_id}")


def vocabularies_call() -> Call:
    return Call("GET", VOCABULARIES)


def vocabulary_call(method: str, vocabulary_id: str) -> Call:
    return Call(method, f"{VOCABULARIES}/{vocabulary_id}")


def save_vocabulary_call(name: str, terms: Sequence[str], replacements: Mapping[str, str] | None, id: str | None) -> Call:
    own = {} if id is None else {"id": id}
    return Call("PUT", VOCABULARIES, {"json": {**own, "name": name, "terms": list(terms), "replacements": dict(replacements or {})}})


def edits_call(stream_id: str, attempt: int | None, page: int, size: int) -> Call:
    asked = {} if attempt is None else {"attempt": attempt}
    return Call("GET", f"{STREAMS}/{stream_id}/transcript/edits", {"params": {**asked, "page": page, "size": size}})
