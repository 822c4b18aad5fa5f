import { useState } from 'preact/hooks';
import { getJson } from '../../../api/request.ts';
import type { Stream } from '../../../api/types.ts';
import { type Resource, useResource } from '../../../api/useResource.ts';
import { type Attempt, type AttemptPage, attemptsPath } from './attempts.ts';

const SIZE = 10;
const LIVE_MILLISECONDS = 1_000;

export interface Attempts {
  readonly resource: Resource<AttemptPage>;
  /** `undefined` before it is read, and while an older page is shown. */
  readonly newest: Attempt | undefined;
  readonly setPage: (page: number) => void;
}

/** The attempts of a stream, newest first, page by page; read repeatedly while it runs. */
export const useAttempts = ({ streamId, state, attempt }: Stream): Attempts => {
  const [page, setPage] = useState(0);
  const path = attemptsPath(streamId);
  const resource = useResource({
    key: `${path} ${page} ${state} ${attempt}`,
    load: (signal) => getJson<AttemptPage>(path, { query: { page, size: SIZE }, signal }),
    every: () => (state === 'READY' ? LIVE_MILLISECONDS : null),
  });
  return { resource, newest: resource.data?.content.find((one) => one.attempt === attempt), setPage };
};
