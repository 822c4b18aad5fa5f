import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { TRANSCRIPTION_TEMPLATE } from '../../e2e/client.ts';
import { type Attack, repeat, type Target } from '../attack.ts';

const PAUSE_MILLISECONDS = 50;
const COLONS = `x:${':'.repeat(15_000)}`;

/** The attacker's own server, which redirects every request to the longest address. */
const redirecting = createServer((_, response) => response.writeHead(302, { location: COLONS }).end());

const transcription = async ({ url, headers, signal, count }: Target, fields: Readonly<Record<string, string>>): Promise<void> => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'whisper-1', ...fields })) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(100)]), 'a.wav');
  const answer = await fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form, signal });
  await answer.arrayBuffer();
  count(`form ${answer.status}`);
};

const redirectedLink = async ({ url, headers, signal, count }: Target): Promise<void> => {
  // A listening TCP server has an address of this form.
  const { port } = redirecting.address() as AddressInfo;
  const answer = await fetch(`${url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=${TRANSCRIPTION_TEMPLATE}`, {
    ...{ method: 'POST', headers, body: `http://127.0.0.1:${port}/`, signal },
  });
  await answer.arrayBuffer();
  count(`link ${answer.status}`);
};

/** Texts that take quadratic time in a regular expression with adjacent repetitions, or when the name of a language is looked up. */
const REQUESTS: readonly ((target: Target) => Promise<void>)[] = [
  (target) => transcription(target, { temperature: `${'1'.repeat(250_000)}x` }),
  (target) => transcription(target, { language: `en${'-abcdefg'.repeat(30_000)}`, response_format: 'verbose_json' }),
  redirectedLink,
];

export const slowPatterns: Attack = {
  name: 'slow-patterns',
  by: 'a user',
  until: ['form 400'],
  prepare: () => new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve)),
  run: (target) =>
    repeat(target.signal, REQUESTS.length, async (lane) => {
      await REQUESTS[lane]?.(target);
      await wait(PAUSE_MILLISECONDS);
    }),
  check: ({ outcomes }) => {
    redirecting.closeAllConnections();
    redirecting.close();
    // 503: this machine has no engine for recordings.
    expect([...outcomes.keys()].filter((outcome) => !['form 400', 'link 200', 'link 429', 'link 503'].includes(outcome))).toEqual([]);
  },
};
