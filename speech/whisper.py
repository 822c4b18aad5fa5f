"""Whisper back end: any CTranslate2 model of Whisper, in 99 languages or in English."""

import importlib.metadata

import ctranslate2
from faster_whisper import WhisperModel

from refused import Refused
from voice import RATE, CutRules, Piece
from words import Utterance, Word, utterances_of

# Whisper hears 30 s at once.
MOST_SECONDS = 28.0
# A language detected with a higher probability is kept for the rest of the run.
SURE_OF_LANGUAGE = 0.7
# Text that compresses better than this repeats itself: the model is in a loop.
MOST_COMPRESSION = 2.4
LEAST_LOG_PROBABILITY = -1.0


class Whisper:
    batch_rules = CutRules(end_silence=2.0, short_silence=0.5, enough=18.0, most=MOST_SECONDS)

    def __init__(self, folder: str, threads: int):
        self.name = f"faster-whisper {importlib.metadata.version('faster-whisper')}"
        self._model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)
        self._language = None
        self.one_language = not self._model.model.is_multilingual

    def begin(self, options: dict) -> None:
        self._language = None
        supported = self._model.supported_languages
        self._codes = [code.lower().replace("_", "-").split("-")[0] for code in options.get("languages", [])]
        for code in self._codes:
            if code not in supported:
                raise Refused(f'the model does not know the language "{code}"')
        if options.get("task") == "translate" and not self._model.model.is_multilingual:
            raise Refused("the model understands English only and cannot translate")
        # The package cuts hot words to half of what the model can read.
        vocabulary = options.get("vocabulary", "").strip()
        tokens = self._model.hf_tokenizer.encode(f" {vocabulary}", add_special_tokens=False).ids
        self.vocabulary_shortened = len(tokens) >= self._model.max_length // 2

    def recognise(self, piece: Piece, options: dict) -> list:
        language, probability = self._language_of(piece)
        # Retries at higher temperatures sample. With a fixed seed the same audio gives the same words.
        ctranslate2.set_random_seed(1)
        segments, _ = self._model.transcribe(
            piece.samples,
            language=language,
            task=options.get("task", "transcribe"),
            word_timestamps=True,
            # Earlier text makes Whisper repeat itself and invent.
            condition_on_previous_text=False,
            no_speech_threshold=options.get("noSpeechThreshold", 0.5),
            compression_ratio_threshold=MOST_COMPRESSION,
            log_prob_threshold=LEAST_LOG_PROBABILITY,
            temperature=[0.0, 0.2, 0.4],
            hotwords=options.get("vocabulary") or None,
        )
        words = [word for segment in segments if not _invented(segment) for word in _words(segment, piece)]
        heard = "en" if options.get("task") == "translate" else language
        return [
            Utterance(group, heard, probability=probability, no_speech=piece.no_speech, word_times="aligned")
            for group in utterances_of(words)
        ]

    def _language_of(self, piece: Piece):
        """The code, and its probability if it was detected."""
        if not self._model.model.is_multilingual:
            return "en", None
        if len(self._codes) == 1:
            return self._codes[0], None
        if self._language:
            return self._language
        _, _, probabilities = self._model.detect_language(piece.samples)
        allowed = [(code, share) for code, share in probabilities if not self._codes or code in self._codes]
        code, share = max(allowed, key=lambda one: one[1])
        detected = code, round(min(1.0, max(0.0, float(share))), 3)
        # With several languages to choose from, each piece may be in another one.
        if share >= SURE_OF_LANGUAGE and not self._codes:
            self._language = detected
        return detected


def _invented(segment) -> bool:
    loops = segment.compression_ratio > MOST_COMPRESSION and len(segment.text) > 60
    return loops or not any(character.isalnum() for character in segment.text)


def _words(segment, piece: Piece) -> list:
    offset = piece.start / RATE
    end = piece.end / RATE
    return [
        Word(
            word.word,
            min(end, max(offset, offset + float(word.start))),
            min(end, max(offset, offset + float(word.end))),
            confidence=round(min(1.0, max(0.0, float(word.probability))), 3),
        )
        for word in segment.words or []
    ]
