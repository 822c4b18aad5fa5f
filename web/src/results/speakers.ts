/** A speaker as people see it everywhere: the name, or `Speaker A`. The server has the same rule (`src/domain/transcript/speakers.ts`). */
export const shownSpeaker = (id: string, name: string | null | undefined): string => name ?? `Speaker ${id}`;

/** The speakers of an utterance as people see them. One without speakers was said by its channel: `0` is `Speaker A`. */
export const shownSpeakers = (
  ids: readonly string[],
  channel: string | null,
  names: ReadonlyMap<string, string | null> = new Map(),
): readonly string[] => {
  if (ids.length > 0) return ids.map((id) => shownSpeaker(id, names.get(id)));
  return channel === null ? [] : [shownSpeaker(letterOf(channel), null)];
};

const letterOf = (channel: string): string =>
  /^\d{1,2}$/.test(channel) && Number(channel) < 26 ? String.fromCharCode(65 + Number(channel)) : channel;

const COLOURS = 6;

/** A colour for each speaker, from 0 to 5, in the order in which they first speak. */
export const coloursOf = (utterances: readonly { readonly speakers: readonly string[] }[]): ReadonlyMap<string, number> =>
  new Map([...new Set(utterances.flatMap(({ speakers }) => speakers))].map((speaker, n) => [speaker, n % COLOURS]));
