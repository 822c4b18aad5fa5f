import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyFile } from '../../../src/cli/verifyFile.ts';
import { systemClock } from '../../../src/clock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

const fixture = (name: string) => new URL(`../../fixtures/${name}`, import.meta.url).pathname;
const LOG = fixture('log-1.ndjson');
const KEY = fixture('log-1-key.pem');

const written = (text: string): string => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, text);
  return file;
};

/** The verdict on an exported log, and the last reported progress. */
const verified = async (file: string) => {
  const said: string[] = [];
  const verdict = await verifyFile({ file, seals: null, key: KEY }, systemClock, { progress: (line) => void said.push(line) });
  return { ...verdict, said: said.at(-1) };
};

test('fills the progress bar if the whole file verifies', async () => {
  expect(await verified(LOG)).toMatchObject({ ok: true, said: expect.stringMatching(/#{24}\] 100 % {2}11 events/) });
});

test('stops the progress bar where the log is broken', async () => {
  const { ok, said } = await verified(written(readFileSync(LOG, 'utf8').replace('"time":"', '"time":"1')));
  expect(ok).toBe(false);
  expect(said).toMatch(/\.{24}\] {3}0 % {2}1 events/);
});

test.each([
  ['what is no key', () => written('no key')],
  ['a key of another kind', () => written(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString())],
])('refuses %s with a sentence that names the file', async (_, key) => {
  const file = key();
  await expect(verifyFile({ file: LOG, seals: null, key: file }, systemClock, { progress: () => undefined })).rejects.toThrow(
    `${file} contains no public seal key`,
  );
});
