"""The synchronous client."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, cast

import httpx

from ._credential import Credential, Token
from ._error import TributaryError, error_of
from ._library import Library
from ._live import LIVE_PATH, LiveOptions, LiveRead, Lines
from ._query import StreamSettings, listed, query_of
from ._session import Session, open_session
from ._resumable import PROTOCOL, TUS_PATH, Resumable, opened
from ._types import AttemptTimeline, BulkRerunAccepted, ExportResult, PatchValue, RerunAccepted, RerunOption, SinkMessage, Stream, Transcript
from ._upload_body import OnProgress, UploadBody, counted, length_of

FIRST_LOOK_SECONDS = 0.1
LAST_LOOK_SECONDS = 2.0
TIMEOUT = httpx.Timeout(30, read=120)
STREAMS = "/stream-service/api/v1/streams"


class Tributary(Library):
    """A client of one server, for one user. Every method raises TributaryError if the server refuses the request. Safe for several threads."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        access_token: str | Callable[[], str] | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        realm: str = "tributary",
        http: httpx.Client | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._credential = Credential(api_key, access_token, client_id, client_secret, realm)
        self._http = http or httpx.Client(timeout=TIMEOUT)
        self._owns_http = http is None
        self._token: Token | None = None
        self._exchanging = threading.Lock()
        self._position: str | None = None

    def __enter__(self) -> Tributary:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Calls any operation of the API document. `options` are those of `httpx.Client.request`."""
        headers = {**self._headers(method), **options.pop("headers", {})}
        return self._checked(self._http.request(method, self.url + path, headers=headers, **options))

    def upload(
        self,
        body: UploadBody,
        *,
        template: str,
        id: str | None = None,
        name: str | None = None,
        file_name: str | None = None,
        labels: Sequence[str] = (),
        group_id: str | None = None,
        persist: bool | None = None,
        keep_for: str | None = None,
        persist_tags: Sequence[str] = (),
        match_persist_tags: Literal["ALL", "ANY"] | None = None,
        patches: Mapping[str, PatchValue] | None = None,
        webhooks: Mapping[str, Sequence[str]] | None = None,
        content_type: str = "application/octet-stream",
        idempotency_key: str | None = None,
        resumable: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Stream:
        """Uploads text, bytes, a path, a file or an iterable of bytes. Returns the stream once all its bytes are durable.

        `resumable` continues after a lost connection or a restart of the server (tus 1.0), except for iterables. With the same
        `idempotency_key`, another process continues what an earlier one has begun. `keep_for` keeps the results this long after the end,
        an ISO 8601 duration such as `P30D`, and implies `persist`.
        """
        settings = StreamSettings(
            template, id, name, file_name, group_id, persist, persist_tags, match_persist_tags, patches or {}, webhooks or {}, labels, keep_for
        )
        if resumable:
            return self._upload_resumably(body, query_of(settings), key_header(idempotency_key), on_progress)
        headers = upload_headers(content_type, idempotency_key, length_of(body))
        content = counted(body, on_progress)
        response = self.request(
            "POST", "/http-gateway/api/v1/upload", params=query_of(settings), headers=headers, content=content
        )
        return cast(Stream, response.json())

    def stream(self, stream_id: str) -> Stream:
        return cast(Stream, self.request("GET", f"{STREAMS}/{stream_id}").json())

    def when_ended(self, stream_id: str, *, on_state: Callable[[Stream], None] | None = None) -> Stream:
        """Waits until a stream is COMPLETED, FAILED or EXPIRED."""
        pause = FIRST_LOOK_SECONDS
        while True:
            stream = self.stream(stream_id)
            if on_state:
                on_state(stream)
            if stream["state"] != "READY":
                return stream
            time.sleep(pause)
            pause = min(pause * 1.5, LAST_LOOK_SECONDS)

    def rerun(
        self,
        stream_id: str,
        *,
        from_stage: str | None = None,
        patches: Mapping[str, PatchValue] | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> RerunAccepted:
        """Runs a stream again, from a stage or (None) the whole chain. `patches` change this attempt only."""
        body = rerun_body(from_stage, patches, reason)
        response = self.request("POST", f"{STREAMS}/{stream_id}/rerun", json=body, headers=key_header(idempotency_key))
        return cast(RerunAccepted, response.json())

    def rerun_options(self, stream_id: str) -> list[RerunOption]:
        """Lists the stages from which the stream can be run again now."""
        return cast("list[RerunOption]", self.request("GET", f"{STREAMS}/{stream_id}/rerun").json()["options"])

    def rerun_matching(
        self,
        filter: Mapping[str, str],
        *,
        from_stage: str | None = None,
        patches: Mapping[str, PatchValue] | None = None,
        reason: str | None = None,
        dry_run: bool = False,
        idempotency_key: str | None = None,
    ) -> BulkRerunAccepted:
        """Queues a rerun of every stream that matches the filter: state, since, until, streamConfigurationTemplateId, errorName, groupId."""
        body = {**rerun_body(from_stage, patches, reason), "filter": dict(filter), "dryRun": dry_run}
        response = self.request("POST", f"{STREAMS}/rerun", json=body, headers=key_header(idempotency_key))
        return cast(BulkRerunAccepted, response.json())

    def transcript(
        self, stream_id: str, *, attempt: int | None = None, revision: int | None = None, as_of: str | None = None
    ) -> Transcript:
        """Returns a revision of the transcript of a stream: the newest, or that of an attempt, a number or a time."""
        params = transcript_query(attempt, revision, as_of)
        return cast(Transcript, self.request("GET", f"{STREAMS}/{stream_id}/transcript", params=params).json())

    def edit_transcript(self, transcript: Transcript, edits: Sequence[Mapping[str, Any]]) -> Transcript:
        """Corrects a transcript, for example with `[{"op": "text", "utterance": "u0", "text": "Hello."}]`. Raises a 412 if another edit came first."""
        path, headers = f"{STREAMS}/{transcript['streamId']}/transcript", revision_header(transcript)
        return cast(Transcript, self.request("PATCH", path, json={"edits": list(edits)}, headers=headers).json())

    def undo_transcript_edit(self, transcript: Transcript) -> Transcript:
        """Takes back the newest edit that is not undone. Raises a 409 if none is left."""
        path, headers = f"{STREAMS}/{transcript['streamId']}/transcript/undo", revision_header(transcript)
        return cast(Transcript, self.request("POST", path, headers=headers).json())

    def attempts(self, stream_id: str, *, page: int = 0, size: int = 10) -> list[AttemptTimeline]:
        """Returns the attempts of a stream with their stages, newest first."""
        response = self.request("GET", f"{STREAMS}/{stream_id}/attempts", params={"page": page, "size": size})
        return cast("list[AttemptTimeline]", response.json()["content"])

    def stage_data(
        self, stream_id: str, attempt: int, stage: str, side: Literal["input", "output"] = "output", *, lines: int | None = None
    ) -> bytes:
        """Returns the input or output of a stage in one attempt. `lines` limits it to the first lines. The data are bytes, text, or one JSON message on each line."""
        params = {} if lines is None else {"lines": lines}
        return self.request("GET", f"{STREAMS}/{stream_id}/attempts/{attempt}/stages/{stage}/{side}", params=params).content

    def results(self, stream_ids: str | Iterable[str], *, tags: Sequence[str] = (), attempt: int | None = None) -> ExportResult | None:
        """Returns the merged results of streams. Waits until they have ended; `attempt` selects an earlier attempt. None if nothing was persisted, or the results have expired."""
        response = self.request("GET", "/export-service/api/v1/export/JSON", params=export_query(stream_ids, tags, attempt))
        return None if response.status_code == 204 else cast(ExportResult, response.json())

    def export(self, stream_ids: str | Iterable[str], format: Literal["TEXT", "SRT", "VTT", "MD", "CSV"], *, tags: Sequence[str] = (), attempt: int | None = None) -> str:
        """Returns the results as text, captions, Markdown or a table; an empty string if there are none."""
        return self.request("GET", f"/export-service/api/v1/export/{format}", params=export_query(stream_ids, tags, attempt)).text

    def export_file(
        self,
        stream_ids: str | Iterable[str],
        format: Literal["DOCX", "ZIP"],
        *,
        formats: Sequence[str] = (),
        media: bool = False,
        tags: Sequence[str] = (),
        attempt: int | None = None,
    ) -> bytes:
        """Returns a Word document or a ZIP; no bytes if there are no results. `formats` and `media` choose the files of a ZIP."""
        params = file_query(stream_ids, tags, attempt, formats, media)
        return self.request("GET", f"/export-service/api/v1/export/{format}", params=params).content

    def live(
        self,
        stream_ids: str | Iterable[str],
        *,
        tags: Sequence[str] = (),
        match_tags: Literal["ALL", "ANY"] | None = None,
        accept_frame_type: Literal["partial-final", "final"] | None = None,
        timeout: float | None = None,
        attempts: int = 5,
    ) -> Iterator[SinkMessage]:
        """Yields the messages of streams: the stored ones, then each as it arrives, until the streams end. Reconnects after an interruption.

        `timeout`: seconds to wait for the streams to be created. `attempts`: how many connections may fail in a row without a message.
        """
        options = LiveOptions(tags, match_tags, accept_frame_type, timeout, attempts)
        read = LiveRead(listed(stream_ids), options)
        while True:
            try:
                yield from self._live_once(read)
                return
            except Exception as error:
                pause = read.pause_after(error)
            time.sleep(pause)

    def session(
        self,
        *,
        template: str,
        id: str | None = None,
        name: str | None = None,
        file_name: str | None = None,
        labels: Sequence[str] = (),
        group_id: str | None = None,
        persist: bool | None = None,
        keep_for: str | None = None,
        patches: Mapping[str, PatchValue] | None = None,
        webhooks: Mapping[str, Sequence[str]] | None = None,
        egress: bool = True,
    ) -> AbstractContextManager[Session]:
        """Opens a session of the WebSocket gateway: sends data and receives results at the same time."""
        settings = StreamSettings(template, id, name, file_name, group_id, persist, patches=patches or {}, webhooks=webhooks or {}, labels=labels, keep_for=keep_for)
        return open_session(self.url, self._authorization(), settings, egress)

    def _live_once(self, read: LiveRead) -> Iterator[SinkMessage]:
        lines = Lines()
        timeout = httpx.Timeout(30, read=None)
        with self._http.stream(
            "GET", self.url + LIVE_PATH, params=tuple(read.query()), headers=self._headers("GET"), timeout=timeout
        ) as response:
            if response.is_error:
                response.read()
            self._checked(response)
            for piece in response.iter_bytes():
                for line in lines.add(piece):
                    yield read.take(line)

    def _upload_resumably(
        self, body: UploadBody, query: list[tuple[str, str]], key: dict[str, str], on_progress: OnProgress | None
    ) -> Stream:
        file = opened(body)
        try:
            upload = Resumable(file, on_progress)
            upload.created(self.request("POST", TUS_PATH, params=query, headers=upload.creation_headers(key)), key)
            while upload.offset != upload.total:
                try:
                    if upload.offset is None:
                        upload.offset = upload.reached(self.request("HEAD", upload.path, headers=PROTOCOL))
                    if upload.offset < upload.total:
                        upload.offset = upload.reached(self.request("PATCH", upload.path, **upload.chunk(upload.offset)))
                    upload.failures.clear()
                except (httpx.TransportError, TributaryError) as error:
                    time.sleep(upload.failed(error))
            return self.stream(upload.stream_id)
        finally:
            if file is not body:
                file.close()

    def _headers(self, method: str) -> dict[str, str]:
        after = {"Tributary-After": self._position} if method == "GET" and self._position else {}
        return {"Authorization": self._authorization(), **after}

    def _authorization(self) -> str:
        header = self._credential.header()
        if header is not None:
            return header
        with self._exchanging:
            if self._token is None or not self._token.is_valid:
                answer = self._http.post(self.url + self._credential.token_path(), data=self._credential.token_form())
                if answer.is_error:
                    raise error_of(answer)
                self._token = Token(answer.json())
            return self._token.header

    def _checked(self, response: httpx.Response) -> httpx.Response:
        if response.headers.get("Tributary-Consistency") == "pending":
            self._position = response.headers.get("Tributary-Position")
        if response.status_code == 401:
            self._token = None
        if response.is_error:
            raise error_of(response)
        return response


def upload_headers(content_type: str, idempotency_key: str | None, length: int | None) -> dict[str, str]:
    return {
        "Content-Type": content_type,
        **key_header(idempotency_key),
        **({} if length is None else {"Content-Length": str(length)}),
    }


def export_query(stream_ids: str | Iterable[str], tags: Sequence[str], attempt: int | None) -> list[tuple[str, str]]:
    asked = [] if attempt is None else [("attempt", str(attempt))]
    return [*(("streams", one) for one in listed(stream_ids)), *(("tags", tag) for tag in tags), *asked]


def file_query(
    stream_ids: str | Iterable[str], tags: Sequence[str], attempt: int | None, formats: Sequence[str], media: bool
) -> list[tuple[str, str]]:
    files = [*(("formats", one) for one in formats), *([("media", "true")] if media else [])]
    return [*export_query(stream_ids, tags, attempt), *files]


def transcript_query(attempt: int | None, revision: int | None, as_of: str | None) -> dict[str, str]:
    asked = {"attempt": attempt, "revision": revision, "asOf": as_of}
    return {name: str(value) for name, value in asked.items() if value is not None}


def revision_header(transcript: Transcript) -> dict[str, str]:
    return {"If-Match": f'"transcript-{transcript["attempt"]}-{transcript["revision"]}"'}


def key_header(idempotency_key: str | None) -> dict[str, str]:
    return {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}


def rerun_body(from_stage: str | None, patches: Mapping[str, PatchValue] | None, reason: str | None) -> dict[str, Any]:
    members = {"from": from_stage, "patches": None if patches is None else dict(patches), "reason": reason}
    return {name: value for name, value in members.items() if value is not None}
