import type { Platform } from '../../src/platform.ts';
import type { StoredDocument } from '../../src/stores/documents.ts';
import type { Death } from './killing.ts';
import type { Interruptions } from './steps.ts';

/** The process to kill, and when. */
export interface Victim {
  readonly name: string;
  /** Resolves when it has ended. */
  killed(): Promise<Death>;
}

/** A platform that is killed in parts and restarted on its stored data. */
export interface Form {
  /** Settings of `readConfig` that find its stores. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds without progress after which unfinished work counts as stuck. */
  readonly patience: number;
  readonly interrupted: Interruptions;
  /** Starts everything that is not running or starting; resolves when all of it answers. */
  start(): Promise<void>;
  /** Addresses for requests at the moment. */
  urls(): readonly string[];
  /** Chooses the next process to kill and the moment; resolves when it runs. */
  victim(turn: number): Promise<Victim>;
  /** Stops in order: rejects if a process ends with an exit code other than 0. */
  stop(): Promise<void>;
  /** All documents of a collection, in any order, in one reading of a store that `platform` has open. */
  documents(platform: Pick<Platform, 'documents'>, collection: string): AsyncIterable<StoredDocument>;
  /** Kills running processes, and removes the stores. */
  close(passed: boolean): Promise<void>;
}
