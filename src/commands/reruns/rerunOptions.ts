import { notFound, Problem } from '../../domain/problem.ts';
import { checkRerun } from '../../domain/stream/rerunStream.ts';
import type { Topics } from '../../stores/topics.ts';
import type { CommandDeps } from '../handle.ts';
import { loadStream } from '../loadStream.ts';
import { checkData } from './rerunStream.ts';

export interface RerunOptionsDeps extends CommandDeps {
  readonly topics: Pick<Topics, 'manifest'>;
}

/** A stage with which a rerun may start; `null` is the whole chain. `refusal` says why it cannot. */
export interface RerunOption {
  readonly from: string | null;
  readonly refusal: Problem | null;
}

/** The stages with which a rerun could start now, given the stream's state and data. Rejects with 404 for an unknown or another's stream. */
export const rerunOptions = async (deps: RerunOptionsDeps, streamId: string, subject: string): Promise<RerunOption[]> => {
  const stream = await loadStream(deps.log, streamId);
  if (stream?.stream.creatorId !== subject) throw notFound('stream');
  const option = async (from: string | null): Promise<RerunOption> => {
    try {
      checkRerun(stream, from);
      await checkData(deps, stream, from);
      return { from, refusal: null };
    } catch (error) {
      if (error instanceof Problem && error.statusCode < 500) return { from, refusal: error };
      throw error;
    }
  };
  return Promise.all([null, ...stream.chain.map(({ processorId }) => processorId)].map(option));
};
