import { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { createLogging } from '../src/logging.ts';

/** A line of the server's log, as operators see it. `level`: 20 debug, 30 info, 40 warn, 50 error. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly msg: string;
}

/** The server's logger, and the lines that it has written. */
export const loggedLines = (): { readonly logger: Logger; readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const stream = new Writable({
    write: (text, _encoding, done) => {
      lines.push(JSON.parse(String(text)));
      done();
    },
  });
  return { logger: createLogging({ level: 'debug', stream }), lines };
};
