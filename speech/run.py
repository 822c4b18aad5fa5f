"""One run after another: audio in, utterances out."""

import time

from language_check import LanguageCheck
from memory import give_back
from messages import Messages, samples_of
from refused import Refused
from speakers import Speakers
from voice import RATE, CutRules, Cutter, Piece
from words import utterances_of

# Seconds of new audio between two partial results.
PARTIAL_EVERY = 0.5
# Partial results take at most this share of the time. On a busy machine each takes longer, so they become rarer and no session falls behind.
PARTIAL_SHARE = 0.25
# After this many seconds of silence a partial result no longer changes.
SETTLED = 0.2
LEAST_END_SILENCE = 0.1


def serve(engine, messages: Messages) -> None:
    while True:
        message = messages.receive()
        if message["type"] != "begin":
            continue
        try:
            Run(engine, messages, message).listen()
        except Refused as refused:
            messages.send({"type": "failed", "reason": str(refused)})


class Run:
    def __init__(self, engine, messages: Messages, begin: dict):
        self._engine = engine
        self._messages = messages
        self._options = begin
        self._live = begin["mode"] == "live"
        rules = self._rules()
        self._channels = [Channel(number, rules) for number in range(begin["channels"])]
        self._speakers = Speakers() if begin.get("speakers") else None
        self._language = LanguageCheck()
        self._partials = begin.get("partials", False)
        self._reported = 0
        engine.begin(begin)

    def _rules(self) -> CutRules:
        if self._live:
            silence = max(LEAST_END_SILENCE, self._options["utteranceEnd"] / 1000)
            return CutRules(end_silence=silence, short_silence=min(0.3, silence), enough=10.0, most=15.0)
        rules = self._engine.batch_rules
        return CutRules(rules.end_silence, rules.short_silence, rules.enough, rules.most, self._options.get("vad", True))

    def listen(self) -> None:
        while (message := self._messages.receive())["type"] == "audio":
            for channel, samples in zip(self._channels, samples_of(message, len(self._channels))):
                for piece in channel.cutter.add(samples):
                    self._final(channel, piece)
                if self._live:
                    self._partial(channel)
            self._progress()
        for channel in self._channels:
            for piece in channel.cutter.end():
                self._final(channel, piece)
        if self._speakers:
            self._speakers.close()
        self._messages.send({"type": "done"})

    def _progress(self) -> None:
        milliseconds = self._channels[0].cutter.heard * 1000 // RATE
        # One a second is enough. Silence is progress too.
        if milliseconds - self._reported >= 1000:
            self._reported = milliseconds
            settled = [channel.cutter.start * 1000 // RATE for channel in self._channels]
            self._messages.send({"type": "progress", "milliseconds": milliseconds, "settled": settled})

    def _final(self, channel, piece: Piece) -> None:
        utterances = channel.recognised(piece, lambda: self._recognise(piece))
        words = [word for utterance in utterances for word in utterance.words]
        if self._engine.one_language:
            self._language.hear(piece, words)
        if self._speakers and utterances:
            self._speakers.name(piece, words)
        if self._live:
            self._send_whole("final", channel, utterances)
        else:
            for utterance in utterances:
                for words in utterances_of(utterance.words):
                    self._send("final", channel, utterance, words)
        # A piece without words sends an empty final, which replaces its partial results.
        if self._live and channel.shown and not utterances:
            self._messages.send({"type": "final", "channel": channel.number, "words": []})
        channel.shown = False
        give_back()

    def _partial(self, channel) -> None:
        if not self._partials:
            return
        opened = channel.cutter.open()
        if opened is None:
            return
        piece, silence = opened
        if not channel.is_due(piece, silence):
            return
        utterances = channel.recognised(piece, lambda: self._recognise(piece))
        channel.shown = channel.shown or len(utterances) > 0
        self._send_whole("partial", channel, utterances)

    def _recognise(self, piece: Piece) -> list:
        if piece.no_speech > self._options.get("noSpeechThreshold", 0.5):
            return []
        return self._engine.recognise(piece, self._options)

    def _send_whole(self, kind: str, channel, utterances: list) -> None:
        """Live, silence alone ends an utterance, however many sentences it has."""
        if utterances:
            self._send(kind, channel, utterances[0], [word for utterance in utterances for word in utterance.words])

    def _send(self, kind: str, channel, utterance, words: list) -> None:
        self._messages.send(
            {
                "type": kind,
                "channel": channel.number,
                "words": [_word(word) for word in words],
                "language": utterance.language,
                "languageProbability": utterance.probability,
                "wordTimes": utterance.word_times,
                "languageUnlikely": self._language.unlikely,
                "vocabularyShortened": getattr(self._engine, "vocabulary_shortened", False),
            }
        )


class Channel:
    def __init__(self, number: int, rules: CutRules):
        self.number = number
        self.cutter = Cutter(rules)
        # Whether a partial result was sent that no final one has replaced.
        self.shown = False
        self._last = None
        self._result = []
        # Seconds that the last result took.
        self._took = 0.0

    def is_due(self, piece: Piece, silence: float) -> bool:
        """A partial result is due after enough new audio, and once more when the speaker falls silent."""
        start, end = self._last or (None, 0)
        if end == piece.end and start == piece.start:
            return False
        if silence >= SETTLED:
            return True
        since = piece.end - (end if start == piece.start else piece.start)
        return since >= max(PARTIAL_EVERY, self._took / PARTIAL_SHARE) * RATE

    def recognised(self, piece: Piece, recognise) -> list:
        """The final result is the last partial one when nothing was said in between."""
        if self._last != (piece.start, piece.end):
            began = time.monotonic()
            self._result = recognise()
            self._took = time.monotonic() - began
            self._last = (piece.start, piece.end)
        return self._result


def _word(word) -> dict:
    return {
        "text": word.text,
        "start": round(word.start * 1000),
        "end": round(word.end * 1000),
        "confidence": word.confidence,
        "speaker": word.speaker,
    }
