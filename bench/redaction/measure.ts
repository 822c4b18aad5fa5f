import { readFileSync } from 'node:fs';
import { detect, type Kind } from '../../src/processors/redaction/detectors.ts';
import { countryOf, regionOf } from '../../src/processors/redaction/numbers.ts';

/** The sentences the rules were made with, and those written afterwards. */
export const TEST_SETS = ['known', 'unseen'] as const;
type TestSet = (typeof TEST_SETS)[number];

const KINDS: ReadonlySet<Kind> = new Set(['email', 'phone', 'card', 'iban', 'ssn', 'ip', 'url']);

interface Sentence {
  readonly language: string;
  readonly text: string;
  /** `kind from to` of what has to be replaced. */
  readonly marked: readonly string[];
}

/** What was found in a test set, and what was not. */
interface Score {
  right: number;
  wrong: number;
  missed: number;
}

const sentence = (language: string, line: string): Sentence => {
  const marked: string[] = [];
  let text = '';
  let at = 0;
  for (const { 0: mark, 1: kind = '', 2: content = '', index } of line.matchAll(/\{(\w+):([^}]*)\}/g)) {
    text += line.slice(at, index);
    marked.push(`${kind} ${text.length} ${text.length + content.length}`);
    text += content;
    at = index + mark.length;
  }
  return { language, text: text + line.slice(at), marked };
};

/** `folder`: of the test sets. */
export const sentencesOf = (set: TestSet, folder: URL): Sentence[] => {
  const sentences: Sentence[] = [];
  let language = 'en';
  for (const line of readFileSync(new URL(`${set}.txt`, folder), 'utf8').split('\n')) {
    if (line.startsWith('== ')) language = line.slice(3);
    else if (line !== '' && !line.startsWith('#')) sentences.push(sentence(language, line));
  }
  return sentences;
};

const foundIn = ({ language, text }: Pick<Sentence, 'language' | 'text'>): string[] =>
  detect(text, language, KINDS, { country: countryOf(regionOf(language)), patterns: [] }).map(
    ({ kind, from, to }) => `${kind} ${from} ${to}`,
  );

const scoresOf = (sentences: readonly Sentence[]): Map<string, Score> => {
  const scores = new Map<string, Score>([...KINDS].map((kind) => [kind, { right: 0, wrong: 0, missed: 0 }]));
  const count = (found: string, as: keyof Score) => {
    const score = scores.get(found.split(' ')[0] ?? '');
    if (score) score[as] += 1;
  };
  for (const one of sentences) {
    const found = foundIn(one);
    for (const piece of found) count(piece, one.marked.includes(piece) ? 'right' : 'wrong');
    for (const piece of one.marked) if (!found.includes(piece)) count(piece, 'missed');
  }
  return scores;
};

const share = (part: number, rest: number): string => (part + rest === 0 ? '–' : (part / (part + rest)).toFixed(2));

const cells = ({ right, wrong, missed }: Score): string => `${right + missed} | ${share(right, wrong)} | ${share(right, missed)}`;

const total = (scores: Iterable<Score>): Score => {
  const sum = { right: 0, wrong: 0, missed: 0 };
  for (const { right, wrong, missed } of scores) {
    sum.right += right;
    sum.wrong += wrong;
    sum.missed += missed;
  }
  return sum;
};

/** Precision and recall of each kind as a table in Markdown. A piece counts as found only with exactly the marked letters and kind. */
export const redactionTable = (folder: URL): string => {
  const sets = TEST_SETS.map((set) => scoresOf(sentencesOf(set, folder)));
  const row = (name: string, scores: readonly Score[]) => `| ${name} | ${scores.map(cells).join(' | ')} |`;
  const none: Score = { right: 0, wrong: 0, missed: 0 };
  return [
    `| Kind | ${TEST_SETS.map((set) => `in ${set}.txt | precision | recall`).join(' | ')} |`,
    '|---|---|---|---|---|---|---|',
    ...[...KINDS].map((kind) =>
      row(
        `\`${kind}\``,
        sets.map((scores) => scores.get(kind) ?? none),
      ),
    ),
    row(
      'all',
      sets.map((scores) => total(scores.values())),
    ),
  ].join('\n');
};
