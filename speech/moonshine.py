"""Moonshine back end: English, with the model that comes inside the package."""

import importlib.metadata
import zlib

from moonshine_model import MoonshineModel
from voice import RATE, CutRules, Piece
from words import Utterance, estimated, utterances_of

# Text that compresses better than this repeats itself: the model is in a loop.
MOST_COMPRESSION = 2.4
LEAST_SECONDS = 1.0


class Moonshine:
    one_language = True
    # The model hears some 15 s at once well; longer pieces make it repeat itself.
    batch_rules = CutRules(end_silence=1.0, short_silence=0.3, enough=8.0, most=15.0)

    def __init__(self, threads: int):
        self.name = f"moonshine-voice {importlib.metadata.version('moonshine-voice')}"
        self._model = MoonshineModel(threads)

    def begin(self, options: dict) -> None:
        pass

    def recognise(self, piece: Piece, options: dict) -> list:
        words = estimated(self._words(piece.samples), piece)
        return [Utterance(group, "en", no_speech=piece.no_speech, word_times="estimated") for group in utterances_of(words)]

    def _words(self, samples) -> list:
        """Pairs of text and confidence."""
        words = self._model.words(samples, RATE)
        text = "".join(word for word, _ in words)
        if not any(character.isalnum() for character in text):
            return []
        if not repeats_itself(text):
            return words
        if len(samples) < 2 * LEAST_SECONDS * RATE:
            return []
        middle = len(samples) // 2
        return self._words(samples[:middle]) + self._words(samples[middle:])


def repeats_itself(text: str) -> bool:
    data = text.encode()
    return len(data) > 60 and len(data) / len(zlib.compress(data)) > MOST_COMPRESSION
