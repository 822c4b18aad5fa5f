import { readFileSync } from 'node:fs';
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

test('every setting is in .env.example with its meaning and default, commented out', () => {
  const example = readFileSync('.env.example', 'utf8');
  const missing = describeSettings().map(({ name, shown, meaning }) => `# ${meaning}\n# ${name}=${shown}\n`);
  expect(
    missing.filter((lines) => !example.includes(lines)),
    'Add these lines to .env.example',
  ).toEqual([]);
  expect(example).not.toMatch(/^[^#\n]/m);
});
