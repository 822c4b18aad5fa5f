import * as s from '../../schema.ts';
import { type EventOf, event, guardOf } from '../eventForms.ts';

export const IMPORTS_EVENTS = {
  /** A log was imported from another store. Event stream `imports`, one event per import. */
  LogImported: event(
    s.object({
      exportId: s.id,
      /** Number of imported events and topics. */
      events: s.count,
      topics: s.count,
      /** Position, in this store, of the last event whose webhooks the former store had scheduled. `null`: no webhooks are sent for earlier events. */
      deliveredThrough: s.nullable(s.text),
    }),
  ),
};

export type ImportsEvent = EventOf<typeof IMPORTS_EVENTS>;
export const isImportsEvent = guardOf(IMPORTS_EVENTS);

export const IMPORTS = 'imports';

/** The number of imports, and the newest one. */
export interface ImportsState {
  moves: number;
  last: (ImportsEvent['data'] & { time: string }) | null;
}

export const imports = {
  initialState: (): ImportsState => ({ moves: 0, last: null }),
  evolve: ({ moves }: ImportsState, { data }: ImportsEvent, time: string): ImportsState => ({ moves: moves + 1, last: { ...data, time } }),
};
