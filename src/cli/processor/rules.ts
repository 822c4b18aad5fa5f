import { type Json, jsonObjectIn } from '../../json.ts';
import type { OutputForm } from './forms.ts';
import type { Answer } from './probe.ts';

/** Returns what is wrong with an answer and how to fix it, or `null`. */
export type Rule = (answer: Answer) => string | null;

const NDJSON = 'application/x-ndjson';
const MAX_LINE = 1_048_576;

const linesOf = ({ text }: Answer): string[] => text.split('\n').filter((line) => line.trim() !== '');

const isLines = ({ type }: Answer): boolean => type === NDJSON;

/** The payloads of an answer. A raw body counts as one. */
export const outputs = (answer: Answer | undefined): Json[] => {
  if (!answer) return [];
  if (!isLines(answer)) return [answer.text];
  return linesOf(answer).flatMap((line) => {
    const object = jsonObjectIn(line);
    return object && Object.hasOwn(object, 'output') ? [object.output ?? null] : [];
  });
};

export const isAnswerOf =
  ({ rawType }: OutputForm): Rule =>
  ({ status, type }) => {
    if (status === 202) return 'It answered with status 202 without a valid Location. Name there the address to poll for the result.';
    if (status !== 200) return `It answered with status ${status}. Answer a run with 200, or with 202 and a Location to poll.`;
    if (type === NDJSON || type === rawType) return null;
    const raw = rawType === null ? '' : `, or ${rawType} for a body that is the output itself`;
    return `It answered with the content type ${JSON.stringify(type)}. Use ${NDJSON}${raw}.`;
  };

export const outputsFit =
  ({ misfit }: OutputForm): Rule =>
  (answer) => {
    if (!isLines(answer)) return null;
    for (const output of outputs(answer)) {
      const wrong = misfit(output);
      if (wrong !== null) return wrong;
    }
    return null;
  };

export const linesAreObjects = (answer: Answer): string | null => {
  if (!isLines(answer)) return null;
  const bad = linesOf(answer).find((line) => jsonObjectIn(line) === null);
  return bad === undefined ? null : `The line ${JSON.stringify(bad.slice(0, 80))} is not a JSON object. Write one object on each line.`;
};

export const endsOnce = (answer: Answer): string | null => {
  if (!isLines(answer)) return null;
  const ends = linesOf(answer).map((line) => jsonObjectIn(line)?.end === true);
  if (!ends.includes(true)) return 'The line {"end": true} is missing. Send it last, so that a broken answer can be told from a whole one.';
  return ends.indexOf(true) === ends.length - 1 ? null : 'Lines follow {"end": true}. Send it last, and once.';
};

export const linesAreShort = (answer: Answer): string | null => {
  const long = isLines(answer) && linesOf(answer).some((line) => Buffer.byteLength(line) > MAX_LINE);
  return long ? 'A line has more than 1 MiB. Divide large outputs into several.' : null;
};

export const hasNoError = (answer: Answer): string | null => {
  if (!isLines(answer)) return null;
  const error = linesOf(answer).find((line) => Object.hasOwn(jsonObjectIn(line) ?? {}, 'error'));
  return error === undefined ? null : `It reported an error for an input that is in order: ${error.slice(0, 200)}`;
};

export const sendsNoEncoding = ({ headers }: Answer): string | null => {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  return encoding === 'identity' ? null : `It answered with content-encoding ${encoding}. Send the answer unencoded.`;
};

export const isRefused = ({ status }: Answer): string | null =>
  status >= 400 && status < 500 ? null : `It answered with status ${status}. Refuse such a request with a status of 400 to 499.`;

/** Accepts any clear error, because the request itself was wrong. */
export const survives = ({ status }: Answer): string | null =>
  status < 500 ? null : `It answered with status ${status}. Refuse what you cannot read with a status of 400 to 499.`;
