"""Typed client of Tributary, synchronous and asynchronous."""

from ._async_client import AsyncTributary
from ._async_session import AsyncSession
from ._client import Tributary
from ._error import TributaryError
from ._session import Session
from ._types import (
    AttemptTimeline,
    BulkRerunAccepted,
    ErrorResponse,
    ExportResult,
    PatchValue,
    Progress,
    RerunAccepted,
    RerunOption,
    SinkMessage,
    Stream,
    Transcript,
    TranscriptSpeaker,
    TranscriptUtterance,
    TranscriptWord,
    Utterance,
    WebhookEvent,
    Word,
)
from ._webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "AsyncSession",
    "AsyncTributary",
    "AttemptTimeline",
    "BulkRerunAccepted",
    "ErrorResponse",
    "ExportResult",
    "PatchValue",
    "Progress",
    "RerunAccepted",
    "RerunOption",
    "Session",
    "SinkMessage",
    "Stream",
    "Transcript",
    "TranscriptSpeaker",
    "TranscriptUtterance",
    "TranscriptWord",
    "Tributary",
    "TributaryError",
    "Utterance",
    "WebhookEvent",
    "WebhookVerificationError",
    "Word",
    "verify_webhook",
]
