import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandOf } from '../../../web/src/pages/upload/command.ts';

const PLAIN = { origin: 'http://127.0.0.1:8080', templateId: 't1', query: {}, patches: {}, webhooks: {}, link: null };

/** The words that a shell makes of the command, without running curl. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; API_KEY=key; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

test('a file goes out as bytes, with settings in the address and the key from a variable', () => {
  expect(wordsOf(commandOf({ ...PLAIN, query: { name: 'Call 17', groupId: '', persist: true } }))).toEqual([
    ...['-X', 'POST', 'http://127.0.0.1:8080/http-gateway/api/v1/upload?streamConfigurationTemplateId=t1&name=Call+17&persist=true'],
    ...['-H', 'Authorization: Basic key', '-H', 'Content-Type: application/octet-stream', '--data-binary', '@FILE'],
  ]);
});

test('options and webhooks go out as for a link, whose address is the body', () => {
  const words = wordsOf(
    commandOf({
      ...PLAIN,
      patches: { ask0: "What's “new”?" },
      webhooks: { 'https://example.org/': ['stream.*'] },
      link: 'https://example.org/a.mp3',
    }),
  );
  expect(words[2]).toContain('&webhook.stream=https%3A%2F%2Fexample.org%2F');
  expect(words).toContain('X-Template-Patch: [{"op":"replace","path":"ask0","value":"What\'s \\u201cnew\\u201d?"}]');
  expect(words.slice(-2)).toEqual(['--data-raw', 'https://example.org/a.mp3']);
});

test('nothing that a user types leaves its word', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("'", '"', '$', '`', '\\', ';', ' ', '\n', '!', 'a', '—') }), (text) => {
      const words = wordsOf(commandOf({ ...PLAIN, query: { name: text }, patches: { ask0: text }, link: text }));
      expect(words.length).toBe(11);
      expect(words.at(-1)).toBe(text);
    }),
    { numRuns: 30 },
  );
});
