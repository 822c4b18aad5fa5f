import { expect, test } from 'vitest';
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
