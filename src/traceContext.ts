import { createHash } from 'node:crypto';
import { pooledRandomBytes } from './randomPool.ts';

/** Where a span stands: W3C Trace Context. Ids are lower-case hex. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** `null` for what is no `traceparent`. Versions to come are read as far as this one goes, as the specification asks. */
export const parseTraceparent = (header: string | undefined): TraceContext | null => {
  const [, version = '', traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === '' || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
};

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string => `00-${traceId}-${spanId}-0${sampled ? SAMPLED : 0}`;

/** The trace that a correlation id stands for, the same on every node: itself when it is one, a UUID's digits, else the start of its SHA-256. */
export const traceIdOf = (correlationId: string): string => {
  const digits = correlationId.replaceAll('-', '').toLowerCase();
  if (/^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits)) return digits;
  return createHash('sha256').update(correlationId).digest('hex').slice(0, 32);
};

/** What is passed on with work that no span of ours stands for. */
export const newTraceparent = (correlationId: string): string =>
  traceparentOf({ traceId: traceIdOf(correlationId), spanId: pooledRandomBytes(8).toString('hex'), sampled: true });
