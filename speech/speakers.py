"""Who speaks when, from the speaker model inside moonshine-voice."""

import ctypes

import numpy as np
from moonshine_voice import ModelArch, Transcriber, get_model_path
from moonshine_voice.errors import check_error
from moonshine_voice.moonshine_api import TranscriptC

from voice import RATE, Piece
from words import Word

OPTIONS = {"skip_transcription": "true", "identify_speakers": "true", "return_audio_data": "false"}


class Speakers:
    """Tells the speakers of one run apart. Numbers count from 0 in the order of their first words."""

    def __init__(self):
        # A transcriber remembers the voices it has heard, so each run opens its own. Without transcription this takes 40 ms.
        self._transcriber = Transcriber(str(get_model_path("tiny-en")), ModelArch.TINY, options=OPTIONS)
        self._numbers = {}

    def name(self, piece: Piece, words: list) -> None:
        """Sets the speaker of each word."""
        offset = piece.start / RATE
        turns = [
            (offset + line.start_time, offset + line.start_time + line.duration, line.speaker_id)
            for line in self._lines(piece.samples)
            if line.has_speaker_id
        ]
        for word in words:
            speaker = _speaker_at(turns, word)
            if speaker is not None:
                word.speaker = str(self._numbers.setdefault(speaker, len(self._numbers)))

    def close(self) -> None:
        self._transcriber.close()

    def _lines(self, samples: np.ndarray) -> list:
        """The stretches of speech as C structures. The next call overwrites them."""
        samples = np.ascontiguousarray(samples, dtype=np.float32)
        pointer = samples.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        transcript = ctypes.POINTER(TranscriptC)()
        call = self._transcriber._lib.moonshine_transcribe_without_streaming
        check_error(call(self._transcriber._handle, pointer, len(samples), RATE, 0, ctypes.byref(transcript)))
        return [transcript.contents.lines[n] for n in range(transcript.contents.line_count)] if transcript else []


def _speaker_at(turns: list, word: Word):
    """Speaker of the turn that overlaps the word most, else of the nearest turn."""
    if not turns:
        return None

    def distance(turn) -> float:
        begin, end, _ = turn
        return max(begin, word.start) - min(end, word.end)

    return min(turns, key=distance)[2]
