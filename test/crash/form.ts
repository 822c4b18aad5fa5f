import type { Death } from './killing.ts';

/** What is killed, and when. */
export interface Victim {
  readonly name: string;
  /** Resolves when it is gone. */
  killed(): Promise<Death>;
}

/** A platform that is killed piece by piece and started again on what it had stored. */
export interface Form {
  /** What finds its stores: settings of `readConfig`. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long what was left undone may stand still before it is taken for stuck, milliseconds. */
  readonly patience: number;
  /** Starts whatever is not running and not being started; resolves when all of it answers. */
  start(): Promise<void>;
  /** Where it can be asked now. */
  urls(): readonly string[];
  /** Chooses what dies next, and at which moment; resolves when that runs. */
  victim(turn: number): Promise<Victim>;
  /** In order: rejects when a process ends with anything but 0. */
  stop(): Promise<void>;
  /** Kills what runs still, and removes the stores. */
  close(passed: boolean): Promise<void>;
}
