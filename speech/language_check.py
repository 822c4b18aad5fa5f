"""Whether a recording is in the language of an engine that knows only one, judged by the engine's own confidence."""

import math
import re

import numpy as np

from voice import WINDOW, Piece

# Geometric mean of the words' probabilities. Measured with moonshine on real speech of 20 s: English 0.80 to 0.94, French, Spanish, Italian and
# Russian 0.18 to 0.49; synthetic English 0.61 to 0.95, synthetic German, French and Spanish 0.17 to 0.47. Fewer words say less: of synthetic sentences
# of 5 to 14 words, 27 of 28 English ones 0.63 to 0.98, and 28 of 30 in seven other languages at most 0.53; of 2 to 4 words, English 0.44 to 0.97, others 0.20 to 0.72.
LEAST_CONFIDENCE = [(15, 0.58), (5, 0.55), (2, 0.4)]
# Decibels between loud and quiet places of a piece. With loud noise or music, the engine is unsure in any language.
LEAST_SPREAD = 10.0


class LanguageCheck:
    def __init__(self):
        self._words = 0
        self._logs = 0.0

    def hear(self, piece: Piece, words: list) -> None:
        if _spread(piece) < LEAST_SPREAD:
            return
        seen = set()
        before = ""
        for word in words:
            text = re.sub(r"\W", "", word.text.lower())
            # A model in a loop is sure of itself: repeated pairs of words do not count.
            if (before, text) not in seen and word.confidence is not None:
                self._words += 1
                self._logs += math.log(max(word.confidence, 0.001))
            seen.add((before, text))
            before = text

    @property
    def unlikely(self) -> bool:
        for words, confidence in LEAST_CONFIDENCE:
            if self._words >= words:
                return math.exp(self._logs / self._words) < confidence
        return False


def _spread(piece: Piece) -> float:
    windows = len(piece.samples) // WINDOW
    if windows == 0:
        return 0.0
    energy = np.square(piece.samples[: windows * WINDOW]).reshape(-1, WINDOW).mean(axis=1)
    loud, quiet = np.percentile(10 * np.log10(energy + 1e-9), [90, 10])
    return float(loud - quiet)
