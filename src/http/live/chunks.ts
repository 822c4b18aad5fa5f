import type { LiveReaders } from '../../stores/leases/liveReaders.ts';
import { mapItems } from '../../supervision/items.ts';
import { givingWay, ownTurn, SMALL_STEP_BYTES } from '../../supervision/ownTurn.ts';
import { isRaw, sinkMessage } from '../export/sinkMessages.ts';
import type { Sink } from '../export/sinks.ts';
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
}

/** Answers a live read at the pace of its reader. Retention keeps the streams meanwhile. Ends when the reader disconnects. */
export const liveChunks = (deps: LiveDeps, read: LiveRead): AsyncIterable<string | Uint8Array> => {
  const { parameters } = read;
  const giveWay = givingWay();
  return mapItems(framesOf(deps, read), async (item): Promise<string | Uint8Array | null> => {
    await (item.frame.data.byteLength > SMALL_STEP_BYTES ? ownTurn() : giveWay());
    return parameters.raw ? rawChunk(item, parameters) : line(item, parameters);
  });
};

async function* framesOf(deps: LiveDeps, read: LiveRead): AsyncGenerator<SinkFrame> {
  const { sinks, parameters, signal } = read;
  const leave = await attend(deps, read);
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const follow = (sink: Sink) => followSink(deps, sink, parameters.resume.get(sink.processor.destination.topic) ?? -1, either);
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

const attend = async ({ liveReaders }: LiveDeps, { attended }: LiveRead): Promise<() => Promise<void>> => {
  const giveWay = givingWay();
  const entering: Promise<() => Promise<void>>[] = [];
  for (const streamId of attended) {
    await giveWay();
    const entered = liveReaders.enter(streamId);
    entered.catch(() => undefined);
    entering.push(entered);
  }
  const leaves = await Promise.all(entering);
  return async () => {
    const leaving: Promise<void>[] = [];
    for (const leave of leaves) {
      await giveWay();
      leaving.push(leave());
    }
    await Promise.all(leaving);
  };
};

const line = ({ sink, frame }: SinkFrame, parameters: LiveParameters): string | null => {
  const message = sinkMessage(sink.stream, sink.processor, frame);
  if (isUnwanted(message, parameters)) return null;
  return `${JSON.stringify(parameters.omitPayload ? { ...message, payload: null } : message)}\n`;
};

/** Bytes and text unchanged; the payload of any other message as a JSON line. */
const rawChunk = ({ sink, frame }: SinkFrame, parameters: LiveParameters): string | Uint8Array | null => {
  if (isRaw(sink.processor.destination.messageSchema)) return frame.data.byteLength > 0 ? frame.data : null;
  const message = sinkMessage(sink.stream, sink.processor, frame);
  return isUnwanted(message, parameters) ? null : `${JSON.stringify(message.payload)}\n`;
};

const isUnwanted = ({ frameType, payload }: ReturnType<typeof sinkMessage>, { finalOnly, excludeNoPayload }: LiveParameters): boolean =>
  (finalOnly && frameType !== 'final') || (excludeNoPayload && (payload === null || payload === ''));
