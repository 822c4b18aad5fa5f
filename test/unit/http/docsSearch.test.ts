import { expect, test, vi } from 'vitest';
import { type SearchEntry, searched } from '../../../src/http/docs/search.ts';

const entry = (title: string, text: string): SearchEntry => ({ title, kind: 'Guide', href: '', summary: '', text });
const ENTRIES = [
  entry('Other', 'an upload with a webhook'),
  entry('Webhook of an upload', ''),
  entry('Upload', 'a webhook'),
  entry('Upload', ''),
];

test('the documents that have every word are found, those with most words in the title first', () => {
  expect(searched(ENTRIES, ' WEBHOOK upload ').map(({ title }) => title)).toEqual(['Webhook of an upload', 'Upload', 'Other']);
});

test('each document is put into lower case once, however many words are searched', () => {
  const lowered = vi.spyOn(String.prototype, 'toLowerCase');
  searched(ENTRIES, 'a b e h k l o p u w '.repeat(5));
  const calls = lowered.mock.calls.length;
  lowered.mockRestore();
  expect(calls).toBeLessThanOrEqual(1 + 2 * ENTRIES.length);
});
