import type { ApiRequest, ApiResponse } from './route.ts';

/** For a handler that waits: what ends the wait of a client that has gone is not a failure. */
export const unlessGone = async ({ outgoing }: Pick<ApiRequest, 'outgoing'>, handle: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  try {
    return await handle();
  } catch (error) {
    if (outgoing.destroyed) return { status: 204 };
    throw error;
  }
};
