/** The edge of a day of the reader's own time zone, ISO 8601; `null` without a day. */
const dayEdge = (day: string | null, time: string): string | null => {
  const edge = new Date(`${day}T${time}`);
  return Number.isNaN(edge.getTime()) ? null : edge.toISOString();
};

export const dayStart = (day: string | null): string | null => dayEdge(day, '00:00:00.000');
export const dayEnd = (day: string | null): string | null => dayEdge(day, '23:59:59.999');
