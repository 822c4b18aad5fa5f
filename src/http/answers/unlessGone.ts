import type { ApiRequest, ApiResponse } from '../route/route.ts';

/** Runs a handler that waits. If the client has gone, the error that ended the wait is not a failure. */
export const unlessGone = async ({ outgoing }: Pick<ApiRequest, 'outgoing'>, handle: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  try {
    return await handle();
  } catch (error) {
    if (outgoing.destroyed) return { status: 204 };
    throw error;
  }
};
