import type { StreamAggregate } from '../../domain/stream/state.ts';
import { type Corrections, correctionsOf } from '../../domain/transcript/corrections.ts';
import { transcriptSource } from '../../domain/transcript/source.ts';
import type { EventLog } from '../../stores/log/eventLog.ts';
import { loadRevisions } from './readTranscript.ts';

/** The corrections of a stream's transcript as of an attempt, with the id of the topic that they correct; `null` if there are none. */
export const findCorrections = async (
  log: EventLog,
  aggregate: StreamAggregate,
  attempt: number | undefined,
): Promise<{ readonly topic: string; readonly corrections: Corrections } | null> => {
  const state = await loadRevisions(log, aggregate.stream.streamId);
  if (state.size === 0) return null;
  const source = transcriptSource(aggregate, attempt);
  const corrections = correctionsOf(state, source.attempt);
  return corrections && { topic: source.topic, corrections };
};
