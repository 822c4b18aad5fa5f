import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSettings, readConfig } from '../../src/config.ts';

test('every numeric setting has bounds', () => {
  const unbounded = describeSettings()
    .filter(({ shown }) => /^\d+$/.test(shown))
    .filter(({ name }) => {
      try {
        readConfig({ [name]: '9007199254740991' });
        return true;
      } catch {
        return false;
      }
    });
  expect(unbounded).toEqual([]);
});

test('every setting is read', () => {
  const words = globSync('src/**/*.ts').flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []);
  // The first use is its own row.
  const rows = new Set<string>();
  const used = new Set<string>();
  for (const word of words) (rows.has(word) ? used : rows).add(word);
  const unread = Object.keys(readConfig({})).filter((key) => !used.has(key));
  expect(unread, 'No part of src uses the value of these settings').toEqual([]);
});

test('every setting is in .env.example with its meaning and default, commented out', () => {
  const example = readFileSync('.env.example', 'utf8');
  const missing = describeSettings().map(({ name, shown, meaning }) => `# ${meaning}\n# ${name}=${shown}\n`);
  expect(
    missing.filter((lines) => !example.includes(lines)),
    'Add these lines to .env.example',
  ).toEqual([]);
  expect(example).not.toMatch(/^[^#\n]/m);
});

test.each([
  ['MASTER_KEY', 'short'],
  ['BOOTSTRAP_API_KEY', 'too-short'],
  ['LOG_LEVEL', 'loud'],
  ['ROLES', 'http,juggling'],
  ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/99'],
  ['ENGINE_TIMEOUT_MS', 'ten'],
])('a malformed %s is refused by name', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(expect.objectContaining({ name: 'BadSetting', setting: name }));
});
