"""The query of an upload or a WebSocket session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ._types import PatchValue

Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class StreamSettings:
    """Parameters of a new stream."""

    template: str
    id: str | None = None
    name: str | None = None
    file_name: str | None = None
    group_id: str | None = None
    persist: bool | None = None
    persist_tags: Sequence[str] = ()
    match_persist_tags: Literal["ALL", "ANY"] | None = None
    patches: Mapping[str, PatchValue] = field(default_factory=dict)
    webhooks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    labels: Sequence[str] = ()
    keep_for: str | None = None


def query_of(settings: StreamSettings) -> Pairs:
    pairs: Pairs = [("streamConfigurationTemplateId", settings.template)]
    named = {
        "id": settings.id,
        "name": settings.name,
        "fileName": settings.file_name,
        "groupId": settings.group_id,
        "persist": settings.persist,
        "keepFor": settings.keep_for,
        "matchPersistTags": settings.match_persist_tags,
    }
    pairs += [(name, text_of(value)) for name, value in named.items() if value is not None]
    pairs += [("label", label) for label in settings.labels]
    pairs += [("persistTags", tag) for tag in settings.persist_tags]
    for path, value in settings.patches.items():
        pairs += [(f"patches.{path}", one) for one in _patch_values(value)]
    for url, events in settings.webhooks.items():
        pairs += [(_webhook_key(event), url) for event in events]
    return pairs


def text_of(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def listed(one_or_more: str | Iterable[str]) -> list[str]:
    return [one_or_more] if isinstance(one_or_more, str) else list(one_or_more)


def _patch_values(value: PatchValue) -> list[str]:
    if value is None:
        return ["-"]
    if isinstance(value, (str, int, float)):
        return [_escaped(text_of(value))]
    return [_escaped(text_of(item)) for item in value]


def _escaped(text: str) -> str:
    """Escapes a leading + or -, which the server would read as an operator."""
    return f"\\{text}" if text[:1] in ("+", "-") else text


def _webhook_key(event: str) -> str:
    """Name of the parameter: `webhook`, `webhook.stream` or `webhook.stream.completed`."""
    return "webhook" if event == "*" else "webhook." + re.sub(r"\.\*$", "", event)
