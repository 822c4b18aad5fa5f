import { count, type EventOf, event, guardOf, id, nullable, object, text } from '../eventForms.ts';

export const IMPORTS_EVENTS = {
  /** A log was moved here from another store. Event stream `imports`, one event for each move. */
  LogImported: event(
    object({
      /** Of the export. */
      exportId: id,
      /** Events and topics that came with it. */
      events: count,
      topics: count,
      /** Position, here, of the last event whose webhooks the former store had scheduled. `null`: nothing before this event is sent. */
      deliveredThrough: nullable(text),
    }),
  ),
};

export type ImportsEvent = EventOf<typeof IMPORTS_EVENTS>;
export const isImportsEvent = guardOf(IMPORTS_EVENTS);

export const IMPORTS = 'imports';

/** The moves so far, and the newest. */
export interface ImportsState {
  moves: number;
  last: (ImportsEvent['data'] & { time: string }) | null;
}

export const imports = {
  initialState: (): ImportsState => ({ moves: 0, last: null }),
  evolve: ({ moves }: ImportsState, { data }: ImportsEvent, time: string): ImportsState => ({ moves: moves + 1, last: { ...data, time } }),
};
