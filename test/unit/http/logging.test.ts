import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogging } from '../../../src/logging.ts';

test('redacts secrets at the top of a line and one level below', () => {
  const stream = new PassThrough();
  const logger = createLogging({ level: 'info', stream });
  logger.info({ clientSecret: 's1', headers: { authorization: 's2' }, credential: { secret: 's3', id: 'shown' } }, 'hello');
  logger.debug({}, 'not at this level');
  const line = String(stream.read());
  expect(JSON.parse(line)).toMatchObject({ msg: 'hello', clientSecret: '[redacted]', credential: { id: 'shown' } });
  expect(line).not.toMatch(/s1|s2|s3/);
});

test("shows an error's kind, message and stack, without its secrets", () => {
  const stream = new PassThrough();
  const logger = createLogging({ level: 'info', stream }).child({ consumer: 'c', password: 's1' });
  const error = Object.assign(new TypeError('broken'), { code: 'E_BROKEN', token: 's2', cause: new Error('underneath') });
  logger.warn({ err: error, error }, 'hello');
  const line = String(stream.read());
  const shown = { type: 'TypeError', message: expect.stringContaining('broken'), stack: expect.any(String), code: 'E_BROKEN' };
  expect(JSON.parse(line)).toMatchObject({ consumer: 'c', password: '[redacted]', err: shown, error: shown });
  expect(line).not.toMatch(/s1|s2/);
  expect(error.token).toBe('s2');
});
