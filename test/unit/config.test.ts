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
