import type { JsonObject } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import { type OwnApi, Refused } from './ownApi.ts';

const STREAMS = '/stream-service/api/v1/streams';
const EXPORT = '/export-service/api/v1/export';

/** What tools show of a stream. */
export const shownStream = ({ streamId, name, state, labels, createdTimestamp, duration }: JsonObject): JsonObject => ({
  stream_id: streamId ?? null,
  name: name ?? null,
  ...(state !== undefined && { state }),
  labels: labels ?? [],
  created: createdTimestamp ?? null,
  ...(duration !== undefined && { duration_ms: duration }),
});

/** Throws `Refused` unless the stream has ended and its results are there. */
export const endedStream = async (api: OwnApi, streamId: string): Promise<JsonObject> => {
  const stream = await api.json(streamPath(streamId));
  if (stream.state === 'READY') throw new Refused('The stream is still running. Ask again in a moment.');
  if (stream.state === 'EXPIRED') throw new Refused('The results of this stream were deleted.');
  return stream;
};

export const streamPath = (streamId: string): string => `${STREAMS}/${encodeURIComponent(streamId)}`;

/** The text of an ended stream; waits for the end of a running one. Empty without a text that is kept. */
export const textOf = (api: OwnApi, streamId: string, seconds?: number): Promise<string> =>
  api.text(`${EXPORT}/TEXT`, { query: { streams: streamId }, ...(seconds !== undefined && { seconds }) });

/** What the language model made, of one attempt or of the newest of each stage. Waits for the end of a running stream. */
export const resultsOf = (api: OwnApi, streamId: string, attempt?: number): Promise<JsonObject> =>
  api.json(`${EXPORT}/JSON`, { query: { streams: streamId, attempt } });

export const contentOf = (result: unknown): string | null =>
  isJsonObject(result) && typeof result.content === 'string' ? result.content : null;
