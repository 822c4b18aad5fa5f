import { Problem } from '../../domain/problem.ts';
import type { ChosenEngine } from './engineChoice.ts';

/** Codes of Whisper's tokenizer (`faster_whisper/tokenizer.py` 1.2.1); `yue` only in the newest models. */
const WHISPER_LANGUAGES: ReadonlySet<string> = new Set(
  (
    'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw ka kk km kn ko la lb ' +
    'ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi ' +
    'yi yo yue zh'
  ).split(' '),
);

const baseOf = (code: string): string => code.toLowerCase().split(/[-_]/)[0] ?? '';

/** Throws `Problem` for a language that the chosen engine can never understand: Whisper refuses a run with an unknown code. */
export const checkLanguages = ({ engine }: ChosenEngine, languages: readonly string[]): void => {
  if (engine.engine !== 'whisper') return;
  const unknown = languages.find((code) => !WHISPER_LANGUAGES.has(baseOf(code)));
  if (unknown === undefined) return;
  throw new Problem(
    'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
    `Whisper does not know the language "${unknown}". Use a code such as "en" or "ro", or leave the language out to have it detected.`,
  );
};
