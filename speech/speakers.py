"""Who speaks when, from the speaker model inside moonshine-voice."""

from moonshine import lines_of, open_transcriber
from voice import RATE, Piece
from words import Word


class Speakers:
    """Tells the speakers of one run apart. Numbers count from 0 in the order of their first words."""

    def __init__(self):
        # It remembers the voices of a run, so each run opens its own. Without transcription this takes some 40 ms.
        self._transcriber = open_transcriber(skip_transcription="true", identify_speakers="true")
        self._numbers = {}

    def name(self, piece: Piece, words: list) -> None:
        """Writes each word's speaker into it."""
        offset = piece.start / RATE
        turns = [
            (offset + line.start_time, offset + line.start_time + line.duration, line.speaker_id)
            for line in lines_of(self._transcriber, piece.samples)
            if line.has_speaker_id
        ]
        for word in words:
            speaker = _speaker_at(turns, word)
            if speaker is not None:
                word.speaker = str(self._numbers.setdefault(speaker, len(self._numbers)))

    def close(self) -> None:
        self._transcriber.close()


def _speaker_at(turns: list, word: Word):
    """The turn that shares most time with the word, else the nearest one."""
    if not turns:
        return None

    def distance(turn) -> float:
        begin, end, _ = turn
        return max(begin, word.start) - min(end, word.end)

    return min(turns, key=distance)[2]


