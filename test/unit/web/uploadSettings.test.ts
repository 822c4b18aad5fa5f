import { expect, test } from 'vitest';
import { configurationOf } from '../../../web/src/api/uploadSettings.ts';

test('escapes texts in the configuration of an upload that would be read as an operation', () => {
  expect(configurationOf({ query: {}, patches: { ask0: '+1?', ask1: '- a list', n: -1 }, webhooks: {} })).toEqual({
    patches: { ask0: '\\+1?', ask1: '\\- a list', n: -1 },
    webhook: {},
  });
});
