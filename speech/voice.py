"""Finds speech, and cuts the audio at silences."""

from dataclasses import dataclass

import numpy as np
from faster_whisper.vad import get_vad_model

RATE = 16_000
# The detector judges windows of 512 samples, with the last 64 samples of the window before.
WINDOW = 512
CONTEXT = 64
WINDOW_SECONDS = WINDOW / RATE
SPEECH_BEGINS = 0.5
SPEECH_HOLDS = 0.35


class VoiceDetector:
    """Silero's voice-activity detector, fed piece by piece."""

    def __init__(self):
        self._session = get_vad_model().session
        self._state = [np.zeros((1, 1, 128), dtype=np.float32) for _ in range(2)]
        self._context = np.zeros(CONTEXT, dtype=np.float32)

    def __call__(self, samples: np.ndarray) -> np.ndarray:
        """Probability of speech for each window; the length is a multiple of WINDOW."""
        windows = samples.reshape(-1, WINDOW)
        before = np.vstack([self._context, windows[:-1, -CONTEXT:]])
        self._context = windows[-1, -CONTEXT:].copy()
        inputs = {"input": np.hstack([before, windows]), "h": self._state[0], "c": self._state[1]}
        output, *self._state = self._session.run(None, inputs)
        return np.asarray(output).reshape(-1)


@dataclass
class Piece:
    """A stretch of audio with speech in it. `start` counts samples from the beginning of the audio."""

    start: int
    samples: np.ndarray
    voice: np.ndarray

    @property
    def end(self) -> int:
        return self.start + len(self.samples)

    @property
    def no_speech(self) -> float:
        """1 minus the probability of the surest 100 ms."""
        if len(self.voice) == 0:
            return 1.0
        return float(1 - np.convolve(self.voice, np.ones(3) / 3, "same").max())

    @property
    def has_speech(self) -> bool:
        return bool((self.voice >= SPEECH_BEGINS).any())


@dataclass(frozen=True)
class CutRules:
    """Seconds. A piece ends after `end_silence`; from `enough` on after `short_silence`; at `most` at its quietest place."""

    end_silence: float
    short_silence: float
    enough: float
    most: float
    # False keeps silence and noise too.
    only_speech: bool = True


# Kept before and after speech, because words begin and end softly.
MARGIN = round(0.2 / WINDOW_SECONDS)


class Cutter:
    """Cuts the audio of one channel into pieces at silences. Memory is bounded by the longest piece."""

    def __init__(self, rules: CutRules):
        self._rules = rules
        self._detector = VoiceDetector()
        self._rest = np.zeros(0, dtype=np.float32)
        self._samples = np.zeros(0, dtype=np.float32)
        self._voice = np.zeros(0, dtype=np.float32)
        self._start = 0
        self._heard = 0

    @property
    def heard(self) -> int:
        """Samples taken so far."""
        return self._heard

    @property
    def start(self) -> int:
        """No later piece begins before this sample."""
        return self._start

    def add(self, samples: np.ndarray) -> list:
        """Takes audio, returns the pieces that are complete."""
        self._heard += len(samples)
        rest = np.concatenate([self._rest, samples])
        whole = len(rest) // WINDOW * WINDOW
        self._rest = rest[whole:]
        pieces = []
        # Second by second, so that large blocks are cut at the same places as small ones.
        for at in range(0, whole, 32 * WINDOW):
            self._judge(rest[at : min(whole, at + 32 * WINDOW)])
            pieces.extend(self._complete())
        return pieces

    def end(self) -> list:
        """The pieces that the end of the audio completes."""
        if len(self._rest) > 0:
            short = len(self._rest)
            self._judge(np.pad(self._rest, (0, WINDOW - short)))
            self._rest = np.zeros(0, dtype=np.float32)
        pieces = self._complete()
        last = self._take(len(self._voice)) if len(self._voice) > 0 else None
        return pieces + ([last] if last else [])

    def open(self):
        """The piece under way, and the seconds of silence at its end; None while nobody speaks."""
        span = self._span()
        if span is None:
            return None
        first, last = span
        end = min(len(self._voice), last + 1 + MARGIN)
        begin = max(0, first - MARGIN)
        piece = Piece(self._start + begin * WINDOW, self._samples[begin * WINDOW : end * WINDOW], self._voice[begin:end])
        return piece, (len(self._voice) - last - 1) * WINDOW_SECONDS

    def _judge(self, samples: np.ndarray) -> None:
        self._samples = np.concatenate([self._samples, samples])
        self._voice = np.concatenate([self._voice, self._detector(samples)])

    def _span(self):
        """First and last window with speech."""
        begins = np.flatnonzero(self._voice >= SPEECH_BEGINS)
        if len(begins) == 0:
            return None
        holds = np.flatnonzero(self._voice >= SPEECH_HOLDS)
        first = begins[0]
        while first > 0 and self._voice[first - 1] >= SPEECH_HOLDS:
            first -= 1
        return int(first), int(holds[-1])

    def _complete(self) -> list:
        pieces = []
        while (cut := self._next_cut()) is not None:
            piece = self._take(cut)
            if piece:
                pieces.append(piece)
        return pieces

    def _next_cut(self):
        """The window at which to cut the audio so far; None while the piece is open."""
        windows = len(self._voice)
        most = round(self._rules.most / WINDOW_SECONDS)
        span = self._span()
        if span is None:
            if self._rules.only_speech and windows > 2 * MARGIN:
                return windows - MARGIN
            return most if windows > most else None
        first, _ = span
        spoken = np.flatnonzero(self._voice >= SPEECH_HOLDS)
        gaps = np.append(np.diff(spoken), windows - spoken[-1]) - 1
        for place, gap in zip(spoken, gaps):
            if place < first:
                continue
            long = (place - first) * WINDOW_SECONDS >= self._rules.enough
            silence = self._rules.short_silence if long else self._rules.end_silence
            if gap * WINDOW_SECONDS >= silence:
                return int(place + 1 + min(MARGIN, gap // 2))
        if windows - first > most:
            return self._quietest(first, first + most)
        return None

    def _quietest(self, first: int, end: int) -> int:
        """The quietest 100 ms in the last half of a piece that is too long."""
        begin = first + (end - first) // 2
        energy = np.square(self._samples[begin * WINDOW : end * WINDOW]).reshape(-1, WINDOW).mean(axis=1)
        smooth = np.convolve(np.log(energy + 1e-7) + 2 * self._voice[begin:end], np.ones(3) / 3, "same")
        return int(begin + 1 + np.argmin(smooth[1:-1]) + 1)

    def _take(self, windows: int):
        """Removes the first windows. Returns None if they hold no speech and only speech is wanted."""
        span = self._span_before(windows)
        samples, voice = self._samples[: windows * WINDOW], self._voice[:windows]
        start = self._start
        self._samples, self._voice = self._samples[windows * WINDOW :], self._voice[windows:]
        self._start += windows * WINDOW
        if not self._rules.only_speech:
            return Piece(start, samples, voice)
        if span is None:
            return None
        begin, end = max(0, span[0] - MARGIN), min(windows, span[1] + 1 + MARGIN)
        return Piece(start + begin * WINDOW, samples[begin * WINDOW : end * WINDOW], voice[begin:end])

    def _span_before(self, windows: int):
        voice = self._voice
        self._voice = voice[:windows]
        span = self._span()
        self._voice = voice
        return span
