import type { Json, JsonObject } from '../json.ts';
import type { Platform } from '../platform.ts';
import type { Say } from './controlSocket.ts';

/** The server around an operation. */
export interface ServerFacts {
  /** For people. */
  readonly publicUrl: string;
  /** On this machine; `null` if none runs. */
  readonly localUrl: string | null;
  /** Whether it ends with a command that started it. */
  readonly isTemporary: boolean;
}

/** One operation of the command line. */
export interface Operation {
  /** Whether it reads the read models. On a stopped data directory they are updated first. */
  readonly readsModels?: true;
  /** Whether it needs a process that builds read models: on a stopped data directory, this one. */
  readonly buildsModels?: true;
  run(platform: Platform, input: JsonObject, say: Say, server: ServerFacts): Promise<Json>;
}

/** Safe cast: results of commands and read models are plain data. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value));

export const optionalText = (input: JsonObject, member: string): string | undefined => {
  const value = input[member];
  return typeof value === 'string' ? value : undefined;
};

export const textOf = (input: JsonObject, member: string): string => {
  const value = optionalText(input, member);
  if (value === undefined) throw new Error(`"${member}" is missing.`);
  return value;
};
