"""The client against a running server: TRIBUTARY_URL, API_KEY, CLIENT_ID and CLIENT_SECRET say which."""

from __future__ import annotations

import asyncio
import io
import os
import tempfile
import time
import unittest
import uuid
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from tributary_client import AsyncTributary, Progress, Tributary, TributaryError
from tributary_client import _types as types

URL = os.environ["TRIBUTARY_URL"]
KEY = os.environ["API_KEY"]
CLIENT: dict[str, Any] = {"client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}
PING = "65f46430c6d8985974ff9c9d"
TEXT_TEMPLATE = "7472696275746172790a7478"
TEXT = "The food was wonderful. The waiter was rude. We will come again."
BYTES = b"abc" * 100_000
UNKNOWN = "00000000-0000-4000-8000-000000000000"


class CutOnce(httpx.HTTPTransport):
    """Cuts each of the first live answers in the middle of its second line."""

    cuts = 2

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if "/egress/live" not in request.url.path or self.cuts == 0:
            return response
        self.cuts -= 1
        first, second, *_ = response.read().split(b"\n")
        return httpx.Response(200, stream=CutStream(first + b"\n" + second[:20]))


class CutUploads(httpx.HTTPTransport):
    """Loses the answers to the first two requests to resumable uploads."""

    cuts = 2

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if "/api/v1/tus/" in request.url.path and self.cuts > 0:
            self.cuts -= 1
            raise httpx.ReadError("cut")
        return response


class CutStream(httpx.SyncByteStream):
    def __init__(self, data: bytes) -> None:
        self.data = data

    def __iter__(self) -> Iterator[bytes]:
        yield self.data
        raise httpx.ReadError("cut")


class Synchronous(unittest.TestCase):
    def setUp(self) -> None:
        self.tributary = Tributary(URL + "/", api_key=KEY)
        self.addCleanup(self.tributary.close)

    def test_uploads_every_kind_of_body_with_its_progress(self) -> None:
        path = Path(tempfile.mkdtemp()) / "body"
        path.write_bytes(BYTES)
        with open(path, "rb") as file:
            bodies: list[tuple[Any, int | None]] = [
                (BYTES.decode(), len(BYTES)),
                (BYTES, len(BYTES)),
                (path, len(BYTES)),
                (file, len(BYTES)),
                (io.BytesIO(BYTES), None),
                ((BYTES[n : n + 1000] for n in range(0, len(BYTES), 1000)), None),
            ]
            for body, total in bodies:
                with self.subTest(type(body).__name__):
                    seen: list[Progress] = []
                    stream = self.tributary.upload(body, template=PING, persist=True, on_progress=seen.append)
                    self.assertEqual((seen[-1].sent, seen[-1].total), (len(BYTES), total))
                    self.assertGreater(len(seen), 2)
                    self.tributary.when_ended(stream["streamId"])
                    usage = self.tributary.request("GET", f"/usage-service/api/v1/usage/streams/{stream['streamId']}").json()
                    self.assertEqual(usage["processors"][0]["ingressSize"], len(BYTES))

    def test_continues_a_resumable_upload_after_cuts(self) -> None:
        path = Path(tempfile.mkdtemp()) / "body"
        path.write_bytes(BYTES)
        with httpx.Client(transport=CutUploads()) as http:
            for body in (path, BYTES):
                seen: list[Progress] = []
                client = Tributary(URL, api_key=KEY, http=http)
                stream = client.upload(body, template=PING, persist=True, resumable=True, on_progress=seen.append)
                self.assertEqual((seen[-1].sent, seen[-1].total), (len(BYTES), len(BYTES)))
                source = self.tributary.request("GET", f"/stream-service/api/v1/streams/{stream['streamId']}/data-source")
                self.assertEqual(source.content, BYTES)
        with self.assertRaises(TypeError):
            self.tributary.upload(iter([b"x"]), template=PING, resumable=True)

    def test_makes_one_stream_of_two_resumable_uploads_with_one_key(self) -> None:
        key = str(uuid.uuid4())
        ids = {self.tributary.upload(b"abc", template=PING, idempotency_key=key, resumable=True)["streamId"] for _ in range(2)}
        self.assertEqual(len(ids), 1)
        with self.assertRaises(TributaryError) as raised:
            self.tributary.upload(b"abX", template=PING, idempotency_key=key, resumable=True)
        self.assertEqual(raised.exception.status, 422)

    def test_waits_for_the_end_and_gives_the_results(self) -> None:
        stream = self.tributary.upload(TEXT, template=TEXT_TEMPLATE, persist=True, patches={"sentimentAnalysis": True})
        states: list[str] = []
        ended = self.tributary.when_ended(stream["streamId"], on_state=lambda one: states.append(one["state"]))
        self.assertEqual((ended["state"], states[-1]), ("COMPLETED", "COMPLETED"))
        results = self.tributary.results(stream["streamId"])
        self.assertEqual(len((results or {})["sentimentAnalysis"]["segments"]), 3)
        nothing_kept = self.tributary.upload(b"x", template=PING)
        self.assertIsNone(self.tributary.results(nothing_kept["streamId"]))

    def test_gives_the_results_as_files(self) -> None:
        stream = self.tributary.upload(TEXT, template=TEXT_TEMPLATE, persist=True, file_name="review.txt", patches={"summary": True})
        self.assertIn("# Stream", self.tributary.export(stream["streamId"], "MD"))
        with zipfile.ZipFile(io.BytesIO(self.tributary.export_file(stream["streamId"], "ZIP", formats=["TEXT"], media=True))) as files:
            names = [name.split("/")[-1] for name in files.namelist()]
            self.assertEqual(names, [f"{stream['name']}.txt", "review.txt"])
            self.assertEqual(files.read(files.namelist()[1]).decode(), TEXT)

    def test_runs_a_stream_again_and_shows_its_attempts(self) -> None:
        stream_id = self.tributary.upload(TEXT, template=TEXT_TEMPLATE, persist=True, patches={"sentimentAnalysis": True})["streamId"]
        self.tributary.when_ended(stream_id)
        self.assertEqual(self.tributary.rerun_options(stream_id)[-1], {"from": "llm", "refusal": None})
        key = str(uuid.uuid4())
        for _ in range(2):
            rerun = self.tributary.rerun(stream_id, from_stage="llm", patches={"summary": True}, reason="test", idempotency_key=key)
            self.assertEqual(rerun, {"streamId": stream_id, "attempt": 2})
        self.assertEqual(self.tributary.when_ended(stream_id)["state"], "COMPLETED")
        second, first = self.tributary.attempts(stream_id)
        self.assertEqual((second["attempt"], second["from"], second["reason"], first["from"]), (2, "llm", "test", None))
        self.assertIn(b'"payload"', self.tributary.stage_data(stream_id, 2, "llm", lines=1))
        self.assertEqual(self.tributary.stage_data(stream_id, 2, "llm", "input").decode(), TEXT)
        self.assertNotIn("summary", self.tributary.results(stream_id, attempt=1) or {})
        self.assertIn("summary", self.tributary.results(stream_id) or {})
        found = self.tributary.rerun_matching({"groupId": stream_id}, dry_run=True)
        self.assertEqual(found, {"requestId": None, "matched": 1, "started": 0})

    def test_searches_and_labels_streams(self) -> None:
        word, mark = f"kiln{uuid.uuid4().hex}", f"Mark {uuid.uuid4().hex}"
        stream_id = self.tributary.upload(f"The {word} fired.", template=TEXT_TEMPLATE, labels=[mark], keep_for="P1D", patches={"summary": True})["streamId"]
        self.assertEqual(self.tributary.when_ended(stream_id)["labels"], [mark])
        deadline = time.monotonic() + 20
        # A search finds a stream soon after its end.
        while not (hits := self.tributary.search(word, labels=[mark])) and time.monotonic() < deadline:
            time.sleep(0.05)
        (found,) = hits
        self.assertEqual((found["streamId"], found["hits"] > 0), (stream_id, True))
        self.assertIn(word, found["passages"][0]["text"])
        self.assertEqual(self.tributary.search(word, until="2020-01-01"), [])
        other = f"Other {uuid.uuid4().hex}"
        self.assertEqual(self.tributary.label_streams([stream_id], add=[other], remove=[mark]), {"matched": 1, "changed": 1})
        self.assertEqual(self.tributary.label_streams(filter={"label": [other]}, add=[other])["changed"], 0)
        self.assertIn({"label": other, "streams": 1}, self.tributary.labels())
        self.assertEqual(self.tributary.describe(stream_id, name="Kiln", labels=[])["labels"], [])
        self.assertEqual(self.tributary.stream(stream_id)["name"], "Kiln")

    def test_shares_a_transcript(self) -> None:
        stream_id = self.tributary.upload(TEXT, template=TEXT_TEMPLATE, persist=True)["streamId"]
        self.tributary.when_ended(stream_id)
        link = self.tributary.share(stream_id, media=False)
        self.assertEqual(httpx.get(link["url"]).status_code, 200)
        self.assertIsNone(self.tributary.share(stream_id, never_expires=True)["expires"])
        end = self.tributary.share(stream_id, expires="2099-01-01T00:00:00Z")["expires"] or ""
        self.assertTrue(end.startswith("2099-01-01"))
        first = self.tributary.shares(stream_id)[0]
        self.assertEqual((first["id"], first["media"]), (link["id"], False))
        self.tributary.revoke_share(stream_id, link["id"])
        self.assertEqual(httpx.get(link["url"]).status_code, 404)

    def test_saves_vocabularies(self) -> None:
        name = f"Products {uuid.uuid4().hex[:8]}"
        saved = self.tributary.save_vocabulary(name, terms=["Tributary"], replacements={"tribute airy": "Tributary"})
        changed = self.tributary.save_vocabulary(name, terms=["Kurrent"], id=saved["id"])
        self.assertEqual((changed["terms"], changed["replacements"]), (["Kurrent"], {}))
        self.assertIn(changed, self.tributary.vocabularies())
        self.assertEqual(self.tributary.vocabulary(saved["id"]), changed)
        self.tributary.delete_vocabulary(saved["id"])
        with self.assertRaises(TributaryError):
            self.tributary.vocabulary(saved["id"])

    def test_makes_one_stream_of_two_uploads_with_one_key(self) -> None:
        key = str(uuid.uuid4())
        ids = {self.tributary.upload(b"x", template=PING, idempotency_key=key)["streamId"] for _ in range(2)}
        self.assertEqual(len(ids), 1)

    def test_raises_what_the_platform_refuses(self) -> None:
        with self.assertRaises(TributaryError) as raised:
            self.tributary.stream(UNKNOWN)
        self.assertEqual((raised.exception.status, raised.exception.internal_error_name), (404, "GENERAL_NOT_FOUND_ERROR"))
        self.assertTrue(raised.exception.correlation_id)
        with self.assertRaises(TributaryError) as raised:
            self.tributary.upload(TEXT, template=TEXT_TEMPLATE, patches={"nonsense": True})
        self.assertEqual(raised.exception.internal_error_name, "STREAM_CONFIGURATION_BAD_PATCH")

    def test_exchanges_client_credentials_once(self) -> None:
        asked: list[str] = []
        hooks: dict[str, list[Callable[..., Any]]] = {"request": [lambda request: asked.append(request.url.path)]}
        with httpx.Client(event_hooks=hooks) as http:
            tributary = Tributary(URL, **CLIENT, http=http)
            for _ in range(3):
                tributary.request("GET", "/stream-service/api/v1/streams")
        self.assertEqual(sum("openid-connect/token" in path for path in asked), 1)
        with self.assertRaises(TributaryError) as raised:
            Tributary(URL, client_id=CLIENT["client_id"], client_secret="wrong").request("GET", "/stream-service/api/v1/streams")
        self.assertEqual((raised.exception.status, raised.exception.title), (401, "invalid_client"))

    def test_refuses_no_credential_and_two(self) -> None:
        wrong: list[dict[str, Any]] = [{}, {"api_key": "a", "access_token": "b"}, {"client_id": "a"}]
        for credential in wrong:
            with self.assertRaises(TypeError):
                Tributary(URL, **credential)

    def test_continues_live_results_after_a_cut(self) -> None:
        patches: dict[str, types.PatchValue] = {"summary": True, "sentimentAnalysis": True, "ask0": "Who?"}
        stream = self.tributary.upload(TEXT, template=TEXT_TEMPLATE, persist=True, patches=patches)
        whole = list(self.tributary.live(stream["streamId"]))
        self.assertGreater(len(whole), 2)
        with httpx.Client(transport=CutOnce()) as http:
            self.assertEqual(list(Tributary(URL, api_key=KEY, http=http).live(stream["streamId"])), whole)
        with self.assertRaises(TributaryError):
            list(self.tributary.live(UNKNOWN, timeout=0))

    def test_holds_a_session(self) -> None:
        with self.tributary.session(template=TEXT_TEMPLATE, name="Live", patches={"summary": True}) as session:
            self.assertEqual(session.stream["name"], "Live")
            session.send(TEXT.encode())
            session.end()
            self.assertIn("llm", [message["processorId"] for message in session])
        with self.assertRaises(TributaryError) as raised:
            with self.tributary.session(template="none"):
                pass
        self.assertEqual(raised.exception.status, 404)
        with self.assertRaises(TributaryError) as raised:
            with Tributary(URL, api_key="wrong").session(template=PING):
                pass
        self.assertEqual(raised.exception.status, 401)

    def test_knows_the_members_of_the_api_document(self) -> None:
        schemas = self.tributary.request("GET", "/openapi.json").json()["components"]["schemas"]
        kinds: list[tuple[Any, str]] = [
            (types.Stream, "MediaStream"),
            (types.SinkMessage, "SinkMessage"),
            (types.ErrorResponse, "ErrorResponse"),
            (types.RerunAccepted, "RerunAccepted"),
            (types.Transcript, "StreamTranscript"),
            (types.TranscriptUtterance, "TranscriptUtterance"),
            (types.TranscriptWord, "TranscriptWord"),
            (types.TranscriptSpeaker, "TranscriptSpeaker"),
            (types.RerunOption, "RerunOption"),
            (types.AttemptTimeline, "AttemptTimeline"),
            (types.BulkRerunAccepted, "BulkRerunAccepted"),
            (types.FoundStream, "FoundStream"),
            (types.SearchPassage, "SearchPassage"),
            (types.Label, "Label"),
            (types.StreamsChanged, "StreamsChanged"),
            (types.Share, "Share"),
            (types.NewShare, "NewShare"),
            (types.Vocabulary, "Vocabulary"),
            (types.TranscriptEditRecord, "TranscriptEditRecord"),
        ]
        for kind, schema in kinds:
            with self.subTest(schema):
                self.assertEqual(set(kind.__annotations__), set(schemas[schema]["properties"]))
        self.assertLessEqual(set(types.ExportResult.__annotations__), set(schemas["ExportResult"]["properties"]))


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.tributary = AsyncTributary(URL, **CLIENT)
        self.addAsyncCleanup(self.tributary.close)

    async def test_uploads_resumably(self) -> None:
        stream = await self.tributary.upload(BYTES, template=PING, persist=True, resumable=True)
        source = await self.tributary.request("GET", f"/stream-service/api/v1/streams/{stream['streamId']}/data-source")
        self.assertEqual(source.content, BYTES)

    async def test_uploads_waits_and_gives_the_results(self) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in TEXT.encode().split(b" "):
                yield piece + b" "
                await asyncio.sleep(0)

        seen: list[Progress] = []
        stream = await self.tributary.upload(
            pieces(), template=TEXT_TEMPLATE, persist=True, patches={"summary": True}, on_progress=seen.append
        )
        self.assertEqual((seen[-1].sent, seen[-1].total), (len(TEXT) + 1, None))
        self.assertEqual((await self.tributary.when_ended(stream["streamId"]))["state"], "COMPLETED")
        results = await self.tributary.results(stream["streamId"])
        self.assertTrue((results or {})["summary"]["content"])
        messages = [message async for message in self.tributary.live(stream["streamId"])]
        self.assertEqual(messages[-1]["processorId"], "llm")

    async def test_sends_many_requests_at_once_with_one_token(self) -> None:
        pages = await asyncio.gather(*(self.tributary.request("GET", "/stream-service/api/v1/streams") for _ in range(5)))
        self.assertEqual([page.status_code for page in pages], [200] * 5)

    async def test_runs_streams_again_and_shows_their_attempts(self) -> None:
        stream_id = (await self.tributary.upload(TEXT, template=TEXT_TEMPLATE, persist=True))["streamId"]
        await self.tributary.when_ended(stream_id)
        self.assertEqual((await self.tributary.rerun_options(stream_id))[0], {"from": None, "refusal": None})
        await self.tributary.rerun(stream_id, patches={"summary": True})
        await self.tributary.when_ended(stream_id)
        self.assertEqual([attempt["attempt"] for attempt in await self.tributary.attempts(stream_id)], [2, 1])
        self.assertTrue(await self.tributary.stage_data(stream_id, 2, "llm"))
        queued = await self.tributary.rerun_matching({"groupId": stream_id}, reason="test")
        self.assertEqual((queued["matched"], queued["started"]), (1, 1))

    async def test_keeps_a_library(self) -> None:
        word = f"kiln{uuid.uuid4().hex}"
        stream_id = (await self.tributary.upload(f"The {word} fired.", template=TEXT_TEMPLATE, persist=True, patches={"summary": True}))["streamId"]
        await self.tributary.when_ended(stream_id)
        deadline = time.monotonic() + 20
        while not (hits := await self.tributary.search(word)) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        self.assertEqual([found["streamId"] for found in hits], [stream_id])
        self.assertEqual(await self.tributary.label_streams([stream_id], add=[word]), {"matched": 1, "changed": 1})
        self.assertIn({"label": word, "streams": 1}, await self.tributary.labels())
        self.assertEqual((await self.tributary.describe(stream_id, name="Kiln"))["name"], "Kiln")
        link = await self.tributary.share(stream_id)
        self.assertEqual([one["id"] for one in await self.tributary.shares(stream_id)], [link["id"]])
        await self.tributary.revoke_share(stream_id, link["id"])
        saved = await self.tributary.save_vocabulary(word, terms=["Kiln"])
        self.assertEqual(await self.tributary.vocabulary(saved["id"]), saved)
        self.assertIn(saved, await self.tributary.vocabularies())
        await self.tributary.delete_vocabulary(saved["id"])
        with self.assertRaises(TributaryError) as raised:
            await self.tributary.transcript_edits(stream_id)
        self.assertIn(raised.exception.status, (404, 409))

    async def test_raises_what_the_platform_refuses(self) -> None:
        with self.assertRaises(TributaryError) as raised:
            await self.tributary.stream(UNKNOWN)
        self.assertEqual(raised.exception.status, 404)

    async def test_holds_a_session(self) -> None:
        async with self.tributary.session(template=TEXT_TEMPLATE, patches={"summary": True}) as session:
            await session.send(TEXT.encode())
            await session.end()
            self.assertIn("llm", [message["processorId"] async for message in session])


if __name__ == "__main__":
    unittest.main()
