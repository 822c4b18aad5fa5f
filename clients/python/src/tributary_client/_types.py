"""The resources of the API. A test compares their members with the API document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional, TypedDict, Union

PatchValue = Union[str, int, float, bool, None, Sequence[Union[str, int, float, bool]]]


class ErrorResponse(TypedDict):
    statusCode: int
    title: str
    message: str
    internalErrorName: str
    nestedErrors: list[ErrorResponse]


class Stream(TypedDict):
    streamId: str
    name: str | None
    labels: list[str]
    groupId: str
    configuration: dict[str, Any]
    createdTimestamp: str
    creatorId: str
    groupCreatorId: str
    state: Literal["READY", "COMPLETED", "FAILED", "EXPIRED"]
    stateDescription: str | None
    finalizedTimestamp: str | None
    attempt: int
    """1 is the upload; each rerun counts up."""


class SinkMessage(TypedDict):
    streamId: str
    groupId: str
    tags: list[str]
    sinkTopicName: str
    messageId: str
    processorId: str
    sequenceId: int
    publishTimestamp: int
    """Milliseconds since the epoch."""
    frameType: Literal["final", "partial"]
    payloadSchema: str
    payload: Any
    headers: dict[str, Any]


class RerunAccepted(TypedDict):
    streamId: str
    attempt: int


# `from` is a Python keyword, so these types cannot be written as classes.
RerunOption = TypedDict("RerunOption", {"from": Optional[str], "refusal": Optional[dict[str, Any]]})
"""One possible start of a rerun: a stage, or None for the whole chain. `refusal` gives the reason if the rerun cannot start there, else None."""

AttemptTimeline = TypedDict(
    "AttemptTimeline",
    {
        "attempt": int,
        "from": Optional[str],
        "reason": Optional[str],
        "state": Literal["READY", "COMPLETED", "FAILED"],
        "stateDescription": Optional[str],
        "startedTimestamp": str,
        "endedTimestamp": Optional[str],
        "traceId": str,
        "correlationId": str,
        "credits": str,
        "stages": list[dict[str, Any]],
    },
)
"""One attempt of a stream, with its stages in the order of the chain."""


class BulkRerunAccepted(TypedDict):
    requestId: str | None
    """None for a dry run."""
    matched: int
    started: int
    """Number of queued streams."""


class Word(TypedDict, total=False):
    """Times in milliseconds. Joined without separator, the words give the text."""

    word: str
    start: float
    end: float
    confidence: float
    language: str
    speakers: list[str]
    speakersOverlap: bool
    channel: str


class Utterance(TypedDict, total=False):
    speakerIds: list[str]
    overlap: bool
    channel: str
    start: float
    end: float
    text: str
    words: list[Word]


class TranscriptionResult(TypedDict):
    text: str
    words: list[Word]


class ExportResult(TypedDict, total=False):
    """Members that do not apply are absent."""

    transcription: TranscriptionResult
    utterances: list[Utterance]
    speakerNames: dict[str, str]
    """Names of speakers by their ids; of several streams by `<streamId>/<id>`."""
    summary: dict[str, str]
    askAnything: dict[str, Any]
    sentimentAnalysis: dict[str, Any]
    enhancedTranscription: dict[str, Any]


class TranscriptWord(TypedDict):
    word: str
    start: float | None
    end: float | None
    confidence: float | None


class TranscriptUtterance(TypedDict):
    id: str
    """Stays the same over edits."""
    speaker: str | None
    channel: str | None
    start: float | None
    end: float | None
    text: str
    words: list[TranscriptWord]
    edited: bool


class TranscriptSpeaker(TypedDict):
    id: str
    name: str | None


class Transcript(TypedDict):
    """One revision of the transcript of a stream. Times in milliseconds."""

    streamId: str
    attempt: int
    revision: int
    """0: as the machine wrote it."""
    language: str | None
    duration: float
    speakers: list[TranscriptSpeaker]
    utterances: list[TranscriptUtterance]


class SearchPassage(TypedDict):
    """A part of a stream in which the words occur. Times in milliseconds."""

    kind: Literal["transcript", "summary", "answer", "text", "name"]
    utterance: str | None
    speaker: str | None
    start: int | None
    end: int | None
    text: str
    marks: list[list[int]]
    """Where the words are in `text`, as pairs [start, end) in UTF-16 units."""


class FoundStream(TypedDict):
    streamId: str
    name: str | None
    labels: list[str]
    createdTimestamp: str
    duration: int | None
    hits: int
    passages: list[SearchPassage]


class Label(TypedDict):
    label: str
    streams: int


class StreamsChanged(TypedDict):
    matched: int
    changed: int


class Share(TypedDict):
    """A link to a transcript."""

    id: str
    expires: str | None
    media: bool
    createdTimestamp: str
    views: int
    lastViewed: str | None


class NewShare(TypedDict):
    id: str
    expires: str | None
    media: bool
    createdTimestamp: str
    url: str


class Vocabulary(TypedDict):
    id: str
    name: str
    terms: list[str]
    replacements: dict[str, str]
    createdTimestamp: str
    updatedTimestamp: str


class TranscriptEditRecord(TypedDict):
    revision: int
    time: str
    actor: str
    actorName: str | None
    edits: list[dict[str, Any]] | None
    undone: bool


class WebhookEvent(TypedDict):
    """`payload` by `type`: see the API document."""

    id: str
    type: str
    timestamp: str
    payloadSchema: str
    payload: dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """Bytes sent so far. `total` is None if the length of the body is unknown."""

    sent: int
    total: int | None
