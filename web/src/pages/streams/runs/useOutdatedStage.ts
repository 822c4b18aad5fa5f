import type { Stream } from '../../../api/types.ts';
import { useResource } from '../../../api/useResource.ts';
import { type EditRecord, readHistory } from '../../../results/editing/transcript.ts';
import type { Editing } from '../../../results/editing/useEditing.ts';
import { LLM } from '../../../results/results.ts';
import type { Attempt } from './attempts.ts';

/** A name alone leaves the results as they are, and the next transcript takes it over. */
export const changesWords = ({ undone, edits }: EditRecord): boolean => !undone && (edits?.some(({ op }) => op !== 'name') ?? false);

/**
 * The stage that made summary, answers and sentiment, if the transcript was corrected after it had read it; otherwise `null`. `newest`: the newest
 * attempt of the stream.
 */
export const useOutdatedStage = ({ streamId }: Stream, newest: Attempt | undefined, editing: Editing | null): string | null => {
  const revision = editing?.transcript.revision ?? 0;
  const { data: corrected } = useResource({
    key: `${streamId} ${revision}`,
    load: async (signal) => (revision === 0 ? undefined : (await readHistory(streamId, 0, signal)).content.find(changesWords)?.time),
  });
  const stage = newest?.stages.find(({ state, output }) => state === 'COMPLETED' && output.messageSchema === LLM);
  if (!corrected || !stage?.startedTimestamp) return null;
  return Date.parse(stage.startedTimestamp) < Date.parse(corrected) ? stage.processorId : null;
};
