import { useCallback, useState } from 'preact/hooks';
import type { ApiError } from './errors.ts';
import { apiErrorOf } from './useResource.ts';

/** An action of the user: whether it is running, and its last error. */
export interface Action<Given extends readonly unknown[]> {
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  /** `true` if it succeeded. Never rejects: the error is shown. */
  readonly run: (...given: Given) => Promise<boolean>;
  readonly clear: () => void;
}

/** One at a time: while it is busy, another click does nothing. */
export const useAction = <Given extends readonly unknown[]>(work: (...given: Given) => Promise<unknown>): Action<Given> => {
  const [{ busy, error }, set] = useState<{ busy: boolean; error: ApiError | undefined }>({ busy: false, error: undefined });
  const run = async (...given: Given): Promise<boolean> => {
    if (busy) return false;
    set({ busy: true, error: undefined });
    try {
      await work(...given);
      set({ busy: false, error: undefined });
      return true;
    } catch (thrown) {
      set({ busy: false, error: apiErrorOf(thrown) });
      return false;
    }
  };
  return { busy, error, run, clear: useCallback(() => set((now) => ({ ...now, error: undefined })), []) };
};
