import { type Logger as PinoLogger, pino } from 'pino';

/** The part of pino's logger that the code uses. `src/main.ts` passes the real one. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export const silentLogger: PinoLogger = pino({ level: 'silent' });
