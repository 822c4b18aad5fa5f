import { RE2JS } from 're2js';
import { Problem } from '../../domain/problem.ts';
import type { TranscribedWord, Transcription } from '../../domain/stream/messages.ts';
import { REDACTED_KINDS } from '../../domain/templates/declarations.ts';
import type { JsonObject } from '../../json.ts';
import { ProcessorError } from '../processor.ts';
import { replaceSpans, type Span } from '../spans.ts';
import { detect, type Kind } from './detectors.ts';
import { countryOf, regionOf } from './numbers.ts';

const refused = (message: string): Problem => new Problem('PROCESSOR_PROPERTIES_VALIDATION_ERROR', message);

/** Matching takes time in proportion to both, on the event loop: at most some 0.7 s together. */
const MOST_INSTRUCTIONS = 500;
const MOST_CHARACTERS = 20_000;

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);

const compiled = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is not valid';
    throw refused(`redactPatterns: ${JSON.stringify(pattern.slice(0, 100))} is not a regular expression of RE2: ${reason}.`);
  }
};

/** Replaces personal data in text and transcriptions. */
export class Redactor {
  readonly #kinds: ReadonlySet<Kind>;
  readonly #patterns: readonly RE2JS[];
  readonly #region: string | null;

  /** Throws 400 for properties that ask for nothing, an invalid pattern and an unknown country. */
  constructor({ kinds, patterns, region }: JsonObject) {
    const wanted = textsIn(kinds);
    this.#patterns = textsIn(patterns).map(compiled);
    const size = this.#patterns.reduce((sum, pattern) => sum + pattern.programSize(), 0);
    if (size > MOST_INSTRUCTIONS)
      throw refused(
        `redactPatterns: the patterns compile to ${size} instructions. The limit is ${MOST_INSTRUCTIONS}: repeat less in them.`,
      );
    this.#region = typeof region === 'string' ? region : null;
    this.#kinds = new Set(REDACTED_KINDS.filter((kind) => wanted.includes(kind) || (kind === 'custom' && this.#patterns.length > 0)));
    if (this.#kinds.size === 0) throw refused(`redact says what to replace: one or more of ${REDACTED_KINDS.join(', ')}.`);
    if (this.#kinds.has('custom') && this.#patterns.length === 0) throw refused('redact=custom needs redactPatterns.');
    if (this.#region !== null && countryOf(this.#region) === null)
      throw refused(`redactRegion: ${JSON.stringify(this.#region)} is not a country with phone numbers. Use a code such as US.`);
  }

  text(text: string, language: string | null): string {
    let redacted = '';
    let at = 0;
    for (const { from, to, by } of this.#spans(text, language)) {
      redacted += text.slice(at, from) + by;
      at = to;
    }
    return redacted + text.slice(at);
  }

  /** The members that the platform knows: others could repeat the text. */
  transcription({ transcription = '', words = [], start, end, channel, metadata = {}, utterance }: Transcription): Transcription {
    const joined = words.map(({ word }) => word).join('');
    const language = words.find((word) => word.language !== null)?.language ?? languageOf(metadata);
    const redacted = this.#words(words, joined, language);
    const text = joined === transcription ? redacted.map(({ word }) => word).join('') : this.text(transcription, language);
    return { transcription: text, words: redacted, start, end, channel, metadata, utterance };
  }

  #words(words: readonly TranscribedWord[], joined: string, language: string | null): TranscribedWord[] {
    const texts = words.map(({ word, ...others }) => ({ text: word, ...others }));
    return replaceSpans(texts, this.#spans(joined, language)).map(({ text, ...others }) => ({ word: text, ...others }));
  }

  #spans(text: string, language: string | null): Span[] {
    if (this.#patterns.length > 0 && text.length > MOST_CHARACTERS)
      throw new ProcessorError(
        'PROCESSOR_GENERAL_ERROR',
        `An utterance has ${text.length} characters. With patterns, redaction reads at most ${MOST_CHARACTERS}.`,
      );
    const country = countryOf(this.#region ?? regionOf(language));
    const found = detect(text, language, this.#kinds, { country, patterns: this.#patterns });
    return found.map(({ from, to, kind }) => ({ from, to, by: `[${kind.toUpperCase()}]` }));
  }
}

const languageOf = ({ language }: JsonObject): string | null => (typeof language === 'string' ? language : null);
