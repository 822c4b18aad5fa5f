/** A log was moved here from another store. Event stream `imports`, one event a move. */
export type ImportsEvent = {
  type: 'LogImported';
  data: {
    /** Of the export. */
    exportId: string;
    /** Events and topics that came with it. */
    events: number;
    topics: number;
    /** Position, here, of the last event whose webhooks had been scheduled in the store before; `null`: nothing before this event is to be told any more. */
    deliveredThrough: string | null;
  };
};

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

/** Whether an event of the log is one of these. Its data were checked against the type's schema when it was appended. */
export const isImportsEvent = <T extends { type: string; data: object }>(event: T): event is T & ImportsEvent =>
  event.type === 'LogImported';
