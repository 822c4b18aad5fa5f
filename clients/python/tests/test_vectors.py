"""The vectors that every client is tested with."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

import httpx

from tributary_client import WebhookVerificationError, verify_webhook
from tributary_client._error import error_of
from tributary_client._query import StreamSettings, query_of

VECTORS = Path(__file__).parents[2] / "vectors"
NAMES = {"groupId": "group_id", "persistTags": "persist_tags", "matchPersistTags": "match_persist_tags"}


def vectors(name: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    return entries


class Vectors(unittest.TestCase):
    def test_queries(self) -> None:
        for entry in vectors("queries"):
            with self.subTest(entry["title"]):
                settings = {NAMES.get(name, name): value for name, value in entry["settings"].items()}
                query = [list(pair) for pair in query_of(StreamSettings(**settings))]
                self.assertEqual(query, entry["query"])

    def test_webhooks(self) -> None:
        for entry in vectors("webhooks"):
            with self.subTest(entry["title"]):
                webhook = {name: entry[name] for name in ("headers", "body", "secret", "tolerance")}
                if entry["event"]:
                    self.assertEqual(verify_webhook(**webhook), entry["event"])
                else:
                    with self.assertRaises(WebhookVerificationError):
                        verify_webhook(**webhook)

    def test_errors(self) -> None:
        for entry in vectors("errors"):
            with self.subTest(entry["title"]):
                raised = error_of(httpx.Response(entry["status"], headers=entry["headers"], text=entry["body"]))
                members = {
                    "status": raised.status,
                    "title": raised.title,
                    "message": raised.message,
                    "internalErrorName": raised.internal_error_name,
                    "nestedErrors": raised.nested_errors,
                    "correlationId": raised.correlation_id,
                    "retryAfter": raised.retry_after,
                }
                self.assertEqual(members, entry["error"])


if __name__ == "__main__":
    unittest.main()
