"""Moonshine back end: English, with the model that comes inside the package."""

import ctypes
import importlib.metadata
import zlib

import numpy as np
from moonshine_voice import ModelArch, Transcriber, get_model_path
from moonshine_voice.errors import check_error
from moonshine_voice.moonshine_api import TranscriptC

from voice import RATE, CutRules, Piece
from words import Utterance, estimated, utterances_of

MODEL = "tiny-en"
# Text that compresses better than this repeats itself: the model is in a loop.
MOST_COMPRESSION = 2.4
LEAST_SECONDS = 1.0


def open_transcriber(**options) -> Transcriber:
    texts = {"return_audio_data": "false", **options}
    return Transcriber(str(get_model_path(MODEL)), ModelArch.TINY, options=texts)


def lines_of(transcriber: Transcriber, samples: np.ndarray) -> list:
    """The lines of a transcript as C structures, read at once: the next call overwrites them."""
    samples = np.ascontiguousarray(samples, dtype=np.float32)
    pointer = samples.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    transcript = ctypes.POINTER(TranscriptC)()
    call = transcriber._lib.moonshine_transcribe_without_streaming
    check_error(call(transcriber._handle, pointer, len(samples), RATE, 0, ctypes.byref(transcript)))
    return [transcript.contents.lines[n] for n in range(transcript.contents.line_count)] if transcript else []


class Moonshine:
    # The model hears some 15 s at once well; longer pieces make it repeat itself.
    batch_rules = CutRules(end_silence=1.0, short_silence=0.3, enough=8.0, most=15.0)
    word_times = "estimated"

    def __init__(self):
        self.name = f"moonshine-voice {importlib.metadata.version('moonshine-voice')}"
        # The pieces are cut before they come here: a threshold of 0 turns the package's own cutting off.
        self._transcriber = open_transcriber(identify_speakers="false", vad_threshold="0")

    def begin(self, options: dict) -> None:
        pass

    def recognise(self, piece: Piece, options: dict) -> list:
        words = estimated(self._text(piece.samples), piece)
        return [Utterance(group, "en", no_speech=piece.no_speech, word_times="estimated") for group in utterances_of(words)]

    def _text(self, samples: np.ndarray) -> str:
        text = " ".join(ctypes.string_at(line.text).decode("utf-8", "ignore") for line in lines_of(self._transcriber, samples) if line.text)
        if not any(character.isalnum() for character in text):
            return ""
        if not repeats_itself(text):
            return text
        if len(samples) < 2 * LEAST_SECONDS * RATE:
            return ""
        middle = len(samples) // 2
        return f"{self._text(samples[:middle])} {self._text(samples[middle:])}".strip()


def repeats_itself(text: str) -> bool:
    data = text.encode()
    return len(data) > 60 and len(data) / len(zlib.compress(data)) > MOST_COMPRESSION
