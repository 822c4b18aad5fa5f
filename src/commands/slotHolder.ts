/**
 * What holds a slot: an attempt of a stream. The upload holds it under the stream's id, a rerun under `<streamId>#<attempt>`, so that the end of
 * one attempt never frees the slot of the next.
 */
export const slotHolder = (streamId: string, attempt = 1): string => (attempt === 1 ? streamId : `${streamId}#${attempt}`);

export const heldFor = (holder: string): { streamId: string; attempt: number } => {
  const [streamId = '', attempt = '1'] = holder.split('#');
  return { streamId, attempt: Number(attempt) };
};
