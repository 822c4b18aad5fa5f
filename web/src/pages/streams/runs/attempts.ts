import type { PageOf } from '../../../api/types.ts';
import { pathOf } from '../streams.ts';

/** An attempt of a stream with the runs of its stages. */
export interface Attempt {
  /** 1 is the upload. */
  readonly attempt: number;
  /** `null`: the whole chain. */
  readonly from: string | null;
  readonly reason: string | null;
  readonly state: 'READY' | 'COMPLETED' | 'FAILED';
  readonly stateDescription: string | null;
  readonly startedTimestamp: string;
  readonly endedTimestamp: string | null;
  readonly traceId: string;
  readonly credits: string;
  readonly stages: readonly Stage[];
}

export type AttemptPage = PageOf<Attempt>;

export interface Stage {
  readonly processorId: string;
  readonly declarationId: string;
  /** WAITING: for its input. QUEUED: its input is available. CLOSED: canceled, or after a failed stage. */
  readonly state: 'WAITING' | 'QUEUED' | 'RUNNING' | 'WAITING_FOR_ENGINE' | 'COMPLETED' | 'FAILED' | 'CLOSED';
  readonly queuedTimestamp: string | null;
  readonly startedTimestamp: string | null;
  readonly endedTimestamp: string | null;
  readonly tries: readonly { readonly number: number; readonly startedTimestamp: string }[];
  /** For an engine. */
  readonly waits: readonly { readonly since: string; readonly until: string | null; readonly reason: string | null }[];
  readonly input: StageData;
  readonly output: StageData;
  readonly engine: { readonly name: string; readonly model: string | null } | null;
  readonly description: string | null;
  /** `message` is `null` once its owner has been erased. */
  readonly error: { readonly name: string; readonly message: string | null; readonly advice: string } | null;
  readonly credits: string | null;
}

/** What a stage reads or writes. */
export interface StageData {
  readonly messageSchema: string;
  readonly bytes: number | null;
  /** Whether it can be read now. */
  readonly kept: boolean;
}

export const attemptsPath = (streamId: string): string => `${pathOf(streamId)}/attempts`;

/** Where the input or output of a stage is read. */
export const dataPath = (streamId: string, attempt: number, processorId: string, side: 'input' | 'output'): string =>
  `${attemptsPath(streamId)}/${attempt}/stages/${encodeURIComponent(processorId)}/${side}`;

export const STATE_WORDS: Readonly<Record<Stage['state'], string>> = {
  WAITING: 'waits for its input',
  QUEUED: 'queued',
  RUNNING: 'running',
  WAITING_FOR_ENGINE: 'waits for an engine',
  COMPLETED: 'done',
  FAILED: 'failed',
  CLOSED: 'did not run',
};

/** A part of a stage's bar. Times in milliseconds since the epoch. */
export interface Segment {
  readonly kind: 'queued' | 'running' | 'waiting' | 'done' | 'failed';
  readonly from: number;
  readonly to: number;
}

/** The bar of a stage: queued, then running or its result, with the waits for an engine in between. `now` ends open parts. */
export const segmentsOf = (stage: Stage, now: number): readonly Segment[] => {
  const at = (time: string | null): number | null => (time === null ? null : Date.parse(time));
  const ended = at(stage.endedTimestamp);
  const until = ended ?? now;
  const started = at(stage.startedTimestamp);
  const queued = at(stage.queuedTimestamp);
  const kind = stage.state === 'COMPLETED' ? 'done' : stage.state === 'FAILED' ? 'failed' : 'running';
  const before: readonly Segment[] = queued === null ? [] : [{ kind: 'queued', from: queued, to: Math.max(queued, started ?? until) }];
  if (started === null) return before;
  const waits = stage.waits.map(({ since, until: end }): Segment => ({ kind: 'waiting', from: Date.parse(since), to: at(end) ?? until }));
  return [...before, { kind, from: started, to: Math.max(started, until) }, ...waits];
};

/** When the picture of an attempt begins and ends. Later than `now` by the server's clock is possible. */
export const rangeOf = (
  { startedTimestamp, endedTimestamp, stages }: Attempt,
  now: number,
): { readonly from: number; readonly to: number } => {
  const from = Date.parse(startedTimestamp);
  const ends = stages.flatMap((stage) => segmentsOf(stage, now).map(({ to }) => to));
  const end = endedTimestamp === null ? now : Date.parse(endedTimestamp);
  return { from, to: Math.max(from + 1, end, ...ends) };
};
