/**
 * The holder of a slot is an attempt of a stream: the stream's id for the upload, `<streamId>#<attempt>` for a rerun, so that the end of one
 * attempt never frees the slot of the next.
 */
export const slotHolder = (streamId: string, attempt = 1): string => (attempt === 1 ? streamId : `${streamId}#${attempt}`);

export const heldFor = (holder: string): { streamId: string; attempt: number } => {
  const [streamId = '', attempt = '1'] = holder.split('#');
  return { streamId, attempt: Number(attempt) };
};
