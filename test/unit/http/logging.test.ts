import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogging } from '../../../src/logging.ts';

test('secrets are redacted at the top of a line and one level below', () => {
  const stream = new PassThrough();
  const logger = createLogging({ level: 'info', stream });
  logger.info({ clientSecret: 's1', headers: { authorization: 's2' }, credential: { secret: 's3', id: 'shown' } }, 'hello');
  logger.debug({}, 'not at this level');
  const line = String(stream.read());
  expect(JSON.parse(line)).toMatchObject({ msg: 'hello', clientSecret: '[redacted]', credential: { id: 'shown' } });
  expect(line).not.toMatch(/s1|s2|s3/);
});
