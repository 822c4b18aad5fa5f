import { expect, test } from 'vitest';
import { userAgentOf } from '../../src/userAgent.ts';
import { VERSION } from '../../src/version.ts';

test.each([
  ['PUBLIC_URL', { publicUrl: 'https://speech.example.org', host: '0.0.0.0', port: 8080 }, ' (+https://speech.example.org)'],
  ['HOST and PORT', { publicUrl: null, host: '127.0.0.1', port: 8080 }, ' (+http://127.0.0.1:8080)'],
  ['localhost for every address', { publicUrl: null, host: '::', port: 8080 }, ' (+http://localhost:8080)'],
  ['no address while the port is unknown', { publicUrl: null, host: '127.0.0.1', port: 0 }, ''],
])('the User-Agent names the version and %s', (_, reached, address) => {
  expect(userAgentOf(reached)).toBe(`Tributary/${VERSION}${address}`);
});
