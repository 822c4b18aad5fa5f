import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOwnEventStream } from '../../../src/stores/log/ownEventStreams.ts';

const DOMAIN = join(import.meta.dirname, '../../../src/domain');

test("counts every event stream of the domain as the platform's, so that it is sealed and verified", () => {
  const files = readdirSync(DOMAIN, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const categories = files.flatMap((file) =>
    [...readFileSync(join(DOMAIN, file), 'utf8').matchAll(/EventStream = \([^)]*\): string => `(\w+)-/g)].map(([, category]) => category),
  );
  expect(categories).toContain('stream');
  for (const category of categories) expect([category, isOwnEventStream(`${category}-1`)]).toEqual([category, true]);
});

test('does not count event streams of other programs', () => {
  expect(isOwnEventStream('orders-1')).toBe(false);
});
