"""Back end without an engine: cuts the audio into utterances, which a speech server transcribes."""

import importlib.metadata

from voice import RATE, CutRules, Piece
from words import Utterance, Word


class Cutting:
    one_language = False
    batch_rules = CutRules(end_silence=1.0, short_silence=0.3, enough=8.0, most=15.0)

    def __init__(self):
        self.name = f"silero-vad of faster-whisper {importlib.metadata.version('faster-whisper')}"

    def begin(self, options: dict) -> None:
        pass

    def recognise(self, piece: Piece, options: dict) -> list:
        """One word without text. Its times are the bounds of the piece."""
        return [Utterance([Word("", piece.start / RATE, piece.end / RATE)], None, word_times="estimated")]
