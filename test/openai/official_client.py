"""The official openai client of PyPI, unmodified, against a server of ours.

The stub engine answers at once, except for the languages "de" (never) and "es" (an error).
"""

import asyncio
import base64
import io
import os
import unittest

import openai

URL = os.environ["TRIBUTARY_URL"] + "/v1"
KEY = os.environ["API_KEY"]
TEXT = "Hello there. Good to see you."
WAV = base64.b64decode(os.environ["WAV"]) if "WAV" in os.environ else b""


def client(**options):
    return openai.OpenAI(**{"base_url": URL, "api_key": KEY, "max_retries": 0, **options})


def recording(size=None):
    file = io.BytesIO(WAV if size is None else WAV[:44] + bytes(size))
    file.name = "speech.wav"
    return file


def transcribe(to=None, **fields):
    return (to or client()).audio.transcriptions.create(**{"file": recording(), "model": "whisper-1", **fields})


class Transcriptions(unittest.TestCase):
    def test_answers_in_every_format(self):
        plain = transcribe()
        self.assertEqual((plain.text, plain.usage.type, plain.usage.seconds), (TEXT, "duration", 90))
        self.assertEqual(transcribe(response_format="text"), TEXT + "\n")
        self.assertIn("00:00:02,000 --> 00:00:04,000\nGood to see you.", transcribe(response_format="srt"))
        self.assertTrue(transcribe(response_format="vtt").startswith("WEBVTT\n"))

    def test_gives_segments_and_words(self):
        verbose = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
        self.assertEqual((verbose.language, verbose.duration, len(verbose.segments)), ("english", 90, 2))
        self.assertEqual((verbose.words[1].word, verbose.words[1].start, verbose.words[1].end), ("there.", 0.6, 1.5))

    def test_names_the_speakers(self):
        diarized = transcribe(model="gpt-4o-transcribe-diarize", response_format="diarized_json")
        self.assertEqual([(s.speaker, s.text) for s in diarized.segments], [("A", "Hello there."), ("B", "Good to see you.")])

    def test_translates(self):
        self.assertEqual(client().audio.translations.create(file=recording(), model="whisper-1").text, TEXT)

    def test_streams_deltas_that_join_to_the_text(self):
        events = list(transcribe(stream=True))
        deltas = [event.delta for event in events if event.type == "transcript.text.delta"]
        self.assertEqual(("".join(deltas), events[-1].type, events[-1].text), (TEXT, "transcript.text.done", TEXT))

    def test_raises_the_failure_of_a_streamed_transcription(self):
        with self.assertRaises(openai.APIError):
            list(transcribe(stream=True, language="es"))

    def test_works_asynchronously(self):
        async def run():
            async with openai.AsyncOpenAI(base_url=URL, api_key=KEY) as to:
                return (await to.audio.transcriptions.create(file=recording(), model="whisper-1")).text

        self.assertEqual(asyncio.run(run()), TEXT)

    def test_takes_a_file_of_100_mb(self):
        self.assertEqual(transcribe(file=recording(100_000_000)).text, TEXT)


class Refusals(unittest.TestCase):
    def test_a_wrong_key(self):
        with self.assertRaises(openai.AuthenticationError) as raised:
            transcribe(client(api_key="wrong"))
        self.assertEqual(raised.exception.code, "invalid_api_key")

    def test_a_wrong_model(self):
        with self.assertRaises(openai.NotFoundError) as raised:
            transcribe(model="no-such-model")
        self.assertEqual((raised.exception.code, raised.exception.param), ("model_not_found", "model"))

    def test_an_empty_file(self):
        with self.assertRaises(openai.BadRequestError) as raised:
            transcribe(file=("empty.wav", b""))
        self.assertEqual(raised.exception.param, "file")

    def test_a_wait_that_is_too_long_is_not_repeated(self):
        with self.assertRaises(openai.InternalServerError) as raised:
            transcribe(client(max_retries=2), language="de")
        self.assertEqual(raised.exception.status_code, 504)
        self.assertIn(raised.exception.response.headers["x-stream-id"], raised.exception.message)

    def test_a_time_limit_of_the_client(self):
        with self.assertRaises(openai.APITimeoutError):
            transcribe(client(timeout=0.5), language="de")


class Models(unittest.TestCase):
    def test_are_listed_and_found(self):
        ids = [model.id for model in client().models.list()]
        self.assertIn("whisper-1", ids)
        self.assertEqual(client().models.retrieve("whisper-1").owned_by, "tributary")


class Realtime(unittest.TestCase):
    def test_transcribes_what_is_committed(self):
        loud = base64.b64encode(b"\xa0\x0f" * 12_000).decode()
        with client().realtime.connect(model="gpt-4o-transcribe") as connection:
            connection.session.update(session={"type": "transcription", "audio": {"input": {"turn_detection": None}}})
            connection.input_audio_buffer.append(audio=loud)
            connection.input_audio_buffer.commit()
            for event in connection:
                if event.type == "conversation.item.input_audio_transcription.completed":
                    self.assertEqual(event.transcript, "Word 1.")
                    return
                self.assertNotEqual(event.type, "error", event)


if __name__ == "__main__":
    unittest.main(verbosity=2)
