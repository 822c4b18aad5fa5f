import { EngineRubbish } from '../engineProcess.ts';
import type { HeardWord, Utterance } from './utterance.ts';

/** `<s>`, `<sil>`, `[NOISE]`, `++NSN++`: what was heard and is no word. */
const FILLER = /^(<.*>|\[.*\]|\+\+.*\+\+)$/;
/** `was(2)`: the second pronunciation of "was". */
const PRONUNCIATION = /\(\d+\)$/;
/** `word start end probability`, in seconds. The probability may be a little over 1. */
const WORD_LINE = /^(\S+) (\d{1,9}\.\d+) (\d{1,9}\.\d+) (\d{1,3}\.\d+)$/;

const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

const heard = (text: string, start: number, end: number, probability: number): HeardWord | null => {
  const sane = [start, end, probability].every(Number.isFinite) && start >= 0 && end >= start && probability >= 0;
  if (!sane) throw new EngineRubbish('a word with impossible times');
  if (FILLER.test(text)) return null;
  const word = { text: text.replace(PRONUNCIATION, ''), start: milliseconds(start), end: milliseconds(end) };
  return { ...word, confidence: Math.min(1, probability) };
};

interface OpenUtterance {
  readonly text: string;
  wordLines: number;
  /** Not given yet. */
  words: HeardWord[];
}

const wordsIn = (text: string): number => (text === '' ? 0 : text.split(/\s+/).length);

/**
 * Reads what `pocketsphinx_continuous -time yes` prints: for each utterance its text on a line (empty when nothing was understood), then a
 * line for each word. An utterance is given as soon as all the words of its text are there, so that whoever listens live does not wait for
 * the next one. Throws `EngineRubbish` for anything else.
 */
export async function* readClassicOutput(lines: AsyncIterable<string>): AsyncGenerator<Utterance> {
  let open: OpenUtterance | null = null;
  const close = (): Utterance | null => {
    if (open && open.text !== '' && open.wordLines === 0) throw new EngineRubbish('text without words');
    return open && open.words.length > 0 ? { words: open.words } : null;
  };
  for await (const line of lines) {
    const [, text, start, end, probability] = WORD_LINE.exec(line) ?? [];
    if (text === undefined) {
      const finished = close();
      open = { text: line.trim(), wordLines: 0, words: [] };
      if (finished) yield finished;
      continue;
    }
    if (!open) throw new EngineRubbish('a word outside of an utterance');
    open.wordLines++;
    const word = heard(text, Number(start), Number(end), Number(probability));
    if (word) open.words.push(word);
    if (!word || open.words.length !== wordsIn(open.text)) continue;
    yield { words: open.words };
    open.words = [];
  }
  const last = close();
  if (last) yield last;
}

const field = (value: object, name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;

const jsonWord = (value: unknown): HeardWord | null => {
  const word = typeof value === 'object' && value !== null ? value : {};
  const text = field(word, 't');
  const begin = field(word, 'b');
  const duration = field(word, 'd');
  const probability = field(word, 'p');
  if (typeof text !== 'string' || typeof begin !== 'number' || typeof duration !== 'number' || typeof probability !== 'number') {
    throw new EngineRubbish('a word that is none');
  }
  return heard(text, begin, begin + duration, probability);
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw new EngineRubbish('a line that is no JSON');
  }
};

/**
 * Reads what the newer `pocketsphinx live | single` prints: an utterance a line, `{"b", "d", "p", "t", "w": [{"b", "d", "p", "t"}]}`,
 * beginnings and durations in seconds. Throws `EngineRubbish` for anything else.
 */
export async function* readJsonOutput(lines: AsyncIterable<string>): AsyncGenerator<Utterance> {
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const value = parsed(line);
    const list = typeof value === 'object' && value !== null ? field(value, 'w') : undefined;
    if (!Array.isArray(list)) throw new EngineRubbish('an utterance without words');
    const words = list.map(jsonWord).filter((word) => word !== null);
    if (words.length > 0) yield { words };
  }
}
