import { isRaw, type Sink } from '../../results/sinks.ts';
import type { LiveReaders } from '../../stores/leases/liveReaders.ts';
import { sinkMessage } from '../export/sinkMessages.ts';
import type { HeldMemory } from '../limits/memoryBudget.ts';
import { type FollowDeps, followSink, type SinkFrame } from './follow.ts';
import { merged } from './merged.ts';
import type { LiveParameters } from './parameters.ts';

export interface LiveDeps extends FollowDeps {
  readonly liveReaders: Pick<LiveReaders, 'enter'>;
}

/** One live read: its sinks, and the streams that have to wait for it. */
export interface LiveRead {
  readonly attended: readonly string[];
  readonly sinks: readonly Sink[];
  readonly parameters: LiveParameters;
  readonly signal: AbortSignal;
  readonly memory: Pick<HeldMemory, 'take' | 'give'>;
}

/** Answers a live read at the pace of its reader. Retention keeps the streams meanwhile. Ends when the reader disconnects. */
export async function* liveChunks(deps: LiveDeps, read: LiveRead): AsyncGenerator<string | Uint8Array> {
  const { parameters } = read;
  for await (const item of framesOf(deps, read)) {
    const chunk = parameters.raw ? rawChunk(item, parameters) : line(item, parameters);
    if (chunk !== null) yield chunk;
  }
}

async function* framesOf(deps: LiveDeps, read: LiveRead): AsyncGenerator<SinkFrame> {
  const { sinks, parameters, signal, memory } = read;
  const leave = await attend(deps, read);
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const follow = (sink: Sink) => held(followSink(deps, sink, resumedAfter(sink, parameters), either), memory);
  try {
    yield* merged(sinks.map(follow));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    over.abort(OVER);
    await leave();
  }
}

const OVER = new Error('the live read is over');

/** Partial outputs of bytes or text have no number of their own. */
const resumedAfter = ({ processor, partials }: Sink, { resume }: LiveParameters): number =>
  partials ? -1 : (resume.get(processor.destination.topic) ?? -1);

/** Counts the last frame of each sink until the next one comes: one waits for a slow reader, and the loops on its way keep it. */
async function* held(frames: AsyncIterable<SinkFrame>, memory: Pick<HeldMemory, 'take' | 'give'>): AsyncGenerator<SinkFrame> {
  let last = 0;
  for await (const item of frames) {
    const bytes = item.frame.data.byteLength;
    memory.take(bytes);
    memory.give(last);
    last = bytes;
    yield item;
  }
}

const attend = async ({ liveReaders }: LiveDeps, { attended }: LiveRead): Promise<() => Promise<void>> => {
  const leaves = await Promise.all(attended.map((streamId) => liveReaders.enter(streamId)));
  return async () => void (await Promise.all(leaves.map((leave) => leave())));
};

const line = ({ sink, frame }: SinkFrame, parameters: LiveParameters): string | null => {
  const message = sinkMessage(sink, frame);
  if (isUnwanted(message, parameters)) return null;
  return `${JSON.stringify(parameters.omitPayload ? { ...message, payload: null } : message)}\n`;
};

/** Bytes and text unchanged; the payload of any other message as a JSON line. */
const rawChunk = ({ sink, frame }: SinkFrame, parameters: LiveParameters): string | Uint8Array | null => {
  if (isRaw(sink.processor.destination.messageSchema)) return frame.data.byteLength > 0 ? frame.data : null;
  const message = sinkMessage(sink, frame);
  return isUnwanted(message, parameters) ? null : `${JSON.stringify(message.payload)}\n`;
};

const isUnwanted = ({ frameType, payload }: ReturnType<typeof sinkMessage>, { finalOnly, excludeNoPayload }: LiveParameters): boolean =>
  (finalOnly && frameType !== 'final') || (excludeNoPayload && (payload === null || payload === ''));
