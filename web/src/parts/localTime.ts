/** The time in a `datetime-local` field, ISO 8601 in UTC. Other text, such as a revision, stays as it is. */
export const isoTime = (text: string | null): string | null => {
  const time = text === null || /^\d+$/.test(text) ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
};
