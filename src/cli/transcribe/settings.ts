import { createHash } from 'node:crypto';
import type { StreamSettings } from '#client';
import type { Format } from './formats.ts';
import { WrongUse } from './wrongUse.ts';

/** The options of the command as the command line gives them. */
export interface TranscribeOptions {
  readonly server?: string;
  readonly key?: string;
  readonly format: readonly Format[];
  readonly output?: string;
  readonly stdout?: true;
  readonly language?: string;
  /** The number of speakers that is expected; `true` without one. */
  readonly speakers?: number | true;
  readonly summary?: true;
  readonly template?: string;
  readonly set: readonly (readonly [string, string])[];
  readonly label: readonly string[];
  /** An ISO 8601 duration; `true` for the time of the server. */
  readonly keep?: string | true;
  readonly jobs: number;
  readonly force?: true;
  readonly json?: true;
  readonly watch?: true;
  readonly done?: string;
  readonly failed?: string;
}

/** Throws `WrongUse` for options that exclude each other. */
export const checkOptions = (options: TranscribeOptions, words: readonly string[]): void => {
  const { stdout, output, json, format, watch, done, failed, force, template, speakers } = options;
  const toStdout = writesToStdout(options, words);
  const refuse = (wrong: unknown, message: string): void => {
    if (wrong) throw new WrongUse(message);
  };
  refuse(stdout && output !== undefined, '--stdout and --output exclude each other.');
  refuse(toStdout && json, 'Texts and --json would both go to standard output. Give --output.');
  refuse(toStdout && format.length > 1, 'Standard output takes one format. Give --output for several.');
  refuse(speakers !== undefined && template !== undefined, '--speakers has a template of its own. Leave out --template, or --speakers.');
  refuse(!watch && (done !== undefined || failed !== undefined), '--done and --failed need --watch.');
  refuse(watch && stdout, '--watch and --stdout exclude each other.');
  refuse(watch && force, '--watch and --force exclude each other: every restart would transcribe everything again.');
  refuse(words.includes('-') && (words.length > 1 || watch), 'Standard input (-) goes alone.');
};

/** Whether results are written to standard output instead of files. */
export const writesToStdout = ({ stdout, output }: Pick<TranscribeOptions, 'stdout' | 'output'>, words: readonly string[]): boolean =>
  stdout === true || (words.includes('-') && output === undefined);

/** The server that the options or the environment name. `null`: the one of this machine. */
export const remoteOf = ({ server, key }: TranscribeOptions, env: NodeJS.ProcessEnv): { url: string; key: string } | null => {
  const url = server ?? env.TRIBUTARY_URL;
  if (!url) {
    if (key !== undefined) throw new WrongUse('--key needs --server.');
    return null;
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new WrongUse(`${url} is not the URL of a server. Give one such as https://tributary.example.com.`);
  const given = key ?? env.TRIBUTARY_API_KEY;
  if (!given)
    throw new WrongUse(`${url} needs an API key: --key, or better TRIBUTARY_API_KEY, which other users of this machine do not see.`);
  return { url, key: given };
};

/** Without `--keep`, results that the command could not fetch, because it was killed, are kept this long for the next try. */
const SPARE = 'P7D';

/** The part of an upload's parameters that is the same for every source. */
export type CommonSettings = Pick<StreamSettings, 'template' | 'patches' | 'labels' | 'persist' | 'keepFor'>;

export const commonSettings = ({ template, speakers, language, summary, set, label, keep }: TranscribeOptions): CommonSettings => ({
  template: template ?? (speakers === undefined ? 'transcribe' : 'diarize'),
  patches: {
    ...(language !== undefined && { language }),
    ...(typeof speakers === 'number' && { speakersNumber: speakers }),
    ...(summary && { summary: true }),
    ...setValues(set),
  },
  labels: label,
  ...(keep === true ? { persist: true } : { keepFor: keep ?? SPARE }),
});

/** A name that is given several times has a list of values. */
const setValues = (set: TranscribeOptions['set']): Record<string, string | string[]> => {
  const values = new Map<string, string[]>();
  for (const [name, value] of set) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]));
};

/**
 * The `Idempotency-Key` of a try: the same content with the same settings has the same key. `content`: hex SHA-256 of a file, or a link, whose content is
 * not known here.
 */
export const uploadKey = (content: string, settings: CommonSettings, attempt: number): string => {
  const { template, patches = {}, labels = [], persist, keepFor } = settings;
  const sorted = Object.entries(patches).sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = JSON.stringify([content, template, sorted, [...labels].sort(), persist ?? null, keepFor ?? null]);
  return `transcribe-${createHash('sha256').update(asked).digest('hex')}-${attempt}`;
};
