"""Words and utterances: what an engine understood, with times."""

import re
from dataclasses import dataclass, field

import numpy as np

from voice import RATE, SPEECH_HOLDS, WINDOW

SENTENCE_END = re.compile(r"[.?!。？！…][\"'”’)\]]*$")
CLAUSE_END = re.compile(r"[,;:\-–—.?!。？！…][\"'”’)\]]*$")
# A pause that ends an utterance in the middle of a sentence, in seconds.
LONG_PAUSE = 1.0
MOST_WORDS = 60


@dataclass
class Word:
    """`text` keeps the space before the word. Seconds from the beginning of the audio."""

    text: str
    start: float
    end: float
    confidence: float | None = None
    speaker: str | None = None


@dataclass
class Utterance:
    words: list
    language: str | None
    probability: float | None = None
    no_speech: float | None = None
    word_times: str = "aligned"
    warnings: list = field(default_factory=list)


def utterances_of(words: list) -> list:
    """Lists of words, cut at ends of sentences, at long pauses and where the speaker changes."""
    groups = []
    for word in words:
        group = groups[-1] if groups else None
        before = group[-1] if group else None
        if before is None or _ends(before, word) or len(group) >= MOST_WORDS:
            groups.append([word])
        else:
            group.append(word)
    return groups


def _ends(before: Word, word: Word) -> bool:
    if SENTENCE_END.search(before.text) or word.start - before.end >= LONG_PAUSE:
        return True
    return before.speaker != word.speaker


def estimated(heard: list, piece) -> list:
    """Words with times estimated from where the piece has voice. `heard`: pairs of text and confidence.

    The voiced stretches share the words in order: each word gets room by its length, and ends of clauses are drawn to pauses.
    """
    if not heard:
        return []
    texts = [text for text, _ in heard]
    stretches = _stretches(piece)
    weights = np.array([_weight(one) for one in texts], dtype=float)
    shares = _share(texts, weights, stretches)
    words = []
    at = 0
    for (begin, end), count in zip(stretches, shares):
        own = weights[at : at + count]
        edges = begin + (end - begin) * np.concatenate([[0], np.cumsum(own) / own.sum()]) if count else []
        for n in range(count):
            text, confidence = heard[at + n]
            words.append(Word(text, float(edges[n]), float(edges[n + 1]), round(confidence, 3)))
        at += count
    return words


def _weight(word: str) -> float:
    """Roughly how long a word takes to say. Groups of vowels count most; a digit counts as a word."""
    bare = re.sub(r"[^\w']", "", word.lower())
    digits = sum(character.isdigit() for character in bare)
    vowels = len(re.findall(r"[aeiouy]+", re.sub(r"e$", "", bare))) if digits < len(bare) else 0
    return 0.5 + max(1, vowels) + 0.15 * len(bare) + 1.2 * digits


def _stretches(piece) -> list:
    """Seconds of each stretch with voice; pauses of under 100 ms are part of speech."""
    offset, second = piece.start / RATE, WINDOW / RATE
    places = np.flatnonzero(piece.voice >= SPEECH_HOLDS)
    if len(places) == 0:
        return [(offset, piece.end / RATE)]
    stretches = []
    for place in places:
        begin, end = offset + place * second, min(offset + (place + 1) * second, piece.end / RATE)
        if stretches and begin - stretches[-1][1] < 0.1:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((begin, end))
    return stretches


def _share(texts: list, weights: np.ndarray, stretches: list) -> list:
    """Number of words in each stretch: the split that fits their lengths best and puts pauses after ends of clauses."""
    words, parts = len(texts), len(stretches)
    rate = sum(end - begin for begin, end in stretches) / weights.sum()
    sums = np.concatenate([[0], np.cumsum(weights)])
    best = np.full((parts + 1, words + 1), np.inf)
    chosen = np.zeros((parts + 1, words + 1), dtype=int)
    best[0, 0] = 0
    for part, (begin, end) in enumerate(stretches, 1):
        room = end - begin
        pause = stretches[part][0] - end if part < parts else 0.0
        for upto in range(words + 1):
            # A pause that follows no end of a clause costs more the longer it is, up to half a second.
            unmarked = 0.0 if part == parts or upto == 0 or CLAUSE_END.search(texts[upto - 1]) else min(pause, 0.5) * 2
            costs = best[part - 1, : upto + 1] + ((sums[upto] - sums[: upto + 1]) * rate - room) ** 2 / (0.05 + room) * 4
            # A stretch without a word is most likely a breath or a click.
            costs[upto] += 0.2
            before = int(np.argmin(costs))
            best[part, upto] = costs[before] + unmarked
            chosen[part, upto] = before
    shares = []
    upto = words
    for part in range(parts, 0, -1):
        before = int(chosen[part, upto])
        shares.append(upto - before)
        upto = before
    return shares[::-1]
