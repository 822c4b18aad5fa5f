/** Settings of the server that its page states. */

/** `null` if the page does not say. */
const stated = (name: string): number | null => {
  const value = Number(document.querySelector<HTMLMetaElement>(`meta[name=tributary-${name}]`)?.content);
  return Number.isFinite(value) && value > 0 ? value : null;
};

/** Bytes that the server takes at most. */
export const UPLOAD_MAX_BYTES = stated('upload-max-bytes');

const milliseconds = (seconds: number | null): number => (seconds ?? 0) * 1_000;

/** How long data are kept after the end of a stream, in milliseconds: `persistent` if the results are kept, 0 until they are deleted. */
export const RETENTION = {
  ephemeral: milliseconds(stated('retention-ephemeral-s')),
  persistent: milliseconds(stated('retention-persistent-s')),
  /** The longest that an owner may choose; 0 without a bound. */
  longest: milliseconds(stated('retention-max-s')),
};
