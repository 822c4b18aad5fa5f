import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { correlationOfRequest } from '../../src/http/route/correlation.ts';
import { newTraceparent, parseTraceparent, traceIdOf, traceparentOf } from '../../src/traceContext.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('reads a traceparent as specified', () => {
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ sampled: false });
  // Of a version to come: what is known of it.
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-03-more`)).toMatchObject({ traceId: TRACE, sampled: true });
  for (const wrong of [
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
  ])
    expect(parseTraceparent(wrong)).toBeNull();
});

test('maps any request name to one trace', () => {
  expect(traceIdOf(TRACE)).toBe(TRACE);
  expect(traceIdOf('0AF76519-16cd-43dd-8448-eb211c80319c')).toBe(TRACE);
  expect(traceIdOf('order-17')).toBe(createHash('sha256').update('order-17').digest('hex').slice(0, 32));
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (id) => {
      expect(parseTraceparent(newTraceparent(id))).toMatchObject({ traceId: traceIdOf(id), sampled: true });
    }),
  );
  expect(traceparentOf({ traceId: TRACE, spanId: SPAN, sampled: false })).toBe(`00-${TRACE}-${SPAN}-00`);
});

test('names a request by its X-Correlation-Id, its trace, or a new id', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  expect(correlationOfRequest({ traceparent })).toMatchObject({ correlationId: TRACE, parent: { spanId: SPAN } });
  expect(correlationOfRequest({ traceparent, 'x-correlation-id': 'mine' })).toMatchObject({
    correlationId: 'mine',
    parent: { traceId: TRACE },
  });
  expect(correlationOfRequest({ traceparent: 'rubbish', 'x-correlation-id': 'no blanks here' }).correlationId).toMatch(/^[0-9a-f-]{36}$/);
});
