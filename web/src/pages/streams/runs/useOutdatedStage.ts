import { useMemo } from 'preact/hooks';
import type { Stream } from '../../../api/types.ts';
import { useResource } from '../../../api/useResource.ts';
import { saysTheSame, transcriptThen } from '../../../results/editing/transcript.ts';
import type { Editing } from '../../../results/editing/useEditing.ts';
import { LLM } from '../../../results/results.ts';
import type { Attempt } from './attempts.ts';

/**
 * The stage that made summary, answers and sentiment, if the transcript has changed since the stage read it; otherwise `null`. A name alone does
 * not count. `newest`: the newest attempt of the stream.
 */
export const useOutdatedStage = ({ streamId }: Stream, newest: Attempt | undefined, editing: Editing | null): string | null => {
  const transcript = editing?.transcript;
  const stage = newest?.stages.find(({ state, output }) => state === 'COMPLETED' && output.messageSchema === LLM);
  const asOf = stage?.startedTimestamp;
  const then = newest && asOf && transcript && transcript.revision > 0 ? { attempt: newest.attempt, asOf } : null;
  const { data: former } = useResource({
    key: then ? `${streamId} ${then.attempt} ${then.asOf}` : '',
    load: async (signal) => then && transcriptThen(streamId, then, signal),
  });
  const isOutdated = useMemo(() => former && transcript && !saysTheSame(former, transcript), [former, transcript]);
  return isOutdated && stage ? stage.processorId : null;
};
