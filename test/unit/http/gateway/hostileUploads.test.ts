import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorResponse } from '../../../../src/domain/problem.ts';
import { type Gateway, startGateway } from './gatewayServer.ts';

const TEXT = '7472696275746172790a7478';

let dataDir: string;
let gateway: Gateway;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-hostile-'));
  gateway = await startGateway(dataDir, { maxStreams: 100_000 });
});
afterAll(async () => {
  await gateway.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** What section 3 of the contract has for an upload that is not as it must be. */
const DOCUMENTED: Readonly<Record<number, readonly string[]>> = {
  400: [
    'GENERAL_VALIDATION_ERROR',
    'GENERAL_BAD_REQUEST_ERROR',
    'STREAM_CONFIGURATION_BAD_PATCH',
    'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
    'PROCESSOR_FEATURE_ERROR',
    'WEBHOOK_CONFIGURATION_ERROR',
    'HTTP_STREAM_CONFIGURATION_ERROR',
  ],
  413: ['GENERAL_BAD_REQUEST_ERROR'],
  415: ['GENERAL_BAD_REQUEST_ERROR'],
};

const send = async (query: string, body: Buffer, headers: Readonly<Record<string, string>>) => {
  const response = await fetch(`${gateway.url}/http-gateway/api/v1/upload?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body,
  });
  const answer = (await response.json()) as ErrorResponse;
  if (response.status !== 200) {
    expect(DOCUMENTED[response.status] ?? [`${response.status}`]).toContain(answer.internalErrorName);
    expect(answer).toMatchObject({ statusCode: response.status, nestedErrors: expect.any(Array) });
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
  return response.status;
};

/** Everything that there is on disk of streams. */
const stored = async () => ({ head: await gateway.log.head(), topics: readdirSync(join(dataDir, 'topics'), { recursive: true }).sort() });

const alias = fc.constantFrom('summary', 'ask0', 'ask1Id', 'ask0Format', 'summaryLength', 'etVocabulary', 'enhancedTranscription');
const path = fc.oneof(
  alias,
  fc
    .array(
      fc.constantFrom(
        'processors',
        'llm',
        '0',
        '1',
        'properties',
        'summary',
        'enabled',
        'askAnything',
        '__proto__',
        'constructor',
        '-',
        '',
        '~1',
      ),
      {
        maxLength: 7,
      },
    )
    .chain((parts) => fc.constantFrom('/', '.').map((by) => parts.join(by))),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'patches.', 'webhook.', 'webhook.x', 'name', 'persist', 'id '),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const escaped = fc.string({ unit: 'grapheme', maxLength: 12 }).map(encodeURIComponent);
/** Raw text of a query value: the forms of section 5, and what is none. */
const value = fc
  .tuple(
    fc.constantFrom('', '+', '%2B', '-', '%2D', '\\', '%5C', '\\+', '\\-', '%', '%zz', '%ff', '%00'),
    fc.oneof(escaped, fc.constantFrom('true', '0', '')),
  )
  .map((parts) => parts.join(''));
const pair = fc.tuple(fc.oneof(path.map(encodeURIComponent), fc.constantFrom('%', '%c0%af')), value);
const pairs = fc.array(fc.oneof(pair, fc.tuple(alias, value)), { maxLength: 4 });

const scalar = fc.oneof(
  fc.constantFrom('true', '+x', '-', '\\-', '__proto__', 1e308),
  fc.string({ maxLength: 10 }),
  fc.boolean(),
  fc.constant(null),
);
const anyValue = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

describe('patches of an upload, whatever they are', () => {
  test('in the query: applied, or refused with a documented error and nothing stored', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(pairs, async (given) => {
        const query = given.map((one) => one.join('=')).join('&');
        const before = await stored();
        const status = await send(`streamConfigurationTemplateId=${TEXT}&${query}`, Buffer.from('text'), {});
        statuses.add(status);
        if (status !== 200) expect(await stored()).toEqual(before);
      }),
      { numRuns: 150 },
    );
    expect([...statuses].sort()).toEqual([200, 400]);
  });

  test('in the header: applied, or refused with a documented error and nothing stored', async () => {
    const patch = fc.record(
      { op: fc.constantFrom('add', 'replace', 'remove', 'move', 'test'), path, value: anyValue },
      { requiredKeys: [] },
    );
    const header = fc.oneof(
      fc
        .oneof(
          patch,
          fc.array(
            fc.oneof(
              patch,
              alias.map((one) => ({ op: 'replace', path: one, value: true })),
            ),
            { maxLength: 3 },
          ),
        )
        .map((one) => JSON.stringify(one)),
      fc.json(),
    );
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(header, fc.constantFrom('X-Vat-Meta-Template-Patch', 'X-Template-Patch'), async (text, name) => {
        const before = await stored();
        // Header values are bytes without controls; JSON escapes do for all else.
        const ascii = text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
        const status = await send(`streamConfigurationTemplateId=${TEXT}`, Buffer.from('text'), { [name]: ascii });
        statuses.add(status);
        if (status !== 200) expect(await stored()).toEqual(before);
      }),
      { numRuns: 100 },
    );
    expect([...statuses].sort()).toEqual([200, 400]);
  });
});

describe('a multipart upload, whatever it is', () => {
  const disposition = fc.constantFrom(
    'Content-Disposition: form-data; name="configuration"',
    'Content-Disposition: form-data; name="file"; filename="../../etc/passwd"',
    'Content-Disposition: form-data; name="__proto__"',
    'Content-Disposition: form-data',
    'Content-Disposition: attachment',
    'X-Nothing: here',
    '',
  );
  const type = fc.constantFrom(
    '\r\nContent-Type: application/json',
    '\r\nContent-Type: application/octet-stream',
    '\r\nContent-Type: text/plain; charset=utf-16',
    '',
  );
  const configuration = fc
    .record(
      {
        patches: fc.oneof(
          fc.dictionary(path, anyValue, { maxKeys: 3 }),
          fc.dictionary(alias, scalar, { maxKeys: 2 }),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        webhook: fc.oneof(
          fc.dictionary(fc.constantFrom('https://example.org', 'x', '__proto__'), fc.jsonValue({ maxDepth: 1 })),
          fc.jsonValue({ maxDepth: 1 }),
        ),
        type: fc.jsonValue({ maxDepth: 1 }),
        other: fc.jsonValue({ maxDepth: 1 }),
      },
      { requiredKeys: [] },
    )
    .map((one) => JSON.stringify(one));
  const content = fc.oneof(
    configuration,
    fc.constantFrom('', '{}', '{', 'text', '[]', 'null', '{"patches":{"summary":"true"}}'),
    fc.string(),
  );
  const part: fc.Arbitrary<readonly string[]> = fc.tuple(disposition, type, content);
  const WELL_FORMED = ['Content-Disposition: form-data; name="file"', '\r\nContent-Type: application/octet-stream', 'text'];
  const body = fc.record({
    parts: fc.oneof<fc.Arbitrary<(readonly string[])[]>[]>(
      fc.array(part, { maxLength: 3 }),
      configuration.map((one) => [['Content-Disposition: form-data; name="c"', '\r\nContent-Type: application/json', one], WELL_FORMED]),
    ),
    boundary: fc.constantFrom('b', 'x y', '--', 'x'.repeat(70)),
    announced: fc.constantFrom('same', 'same', 'same', 'other', 'none'),
    cut: fc.oneof(fc.constant(1), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  });

  const partText =
    (boundary: string) =>
    ([named = '', typed = '', held = '']: readonly string[]): string =>
      `--${boundary}\r\n${named}${typed}\r\n\r\n${held}\r\n`;

  test('is stored, or refused with a documented error; a file that had begun leaves a FAILED stream, all else nothing', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(body, async ({ parts, boundary, announced, cut }) => {
        const whole = `${parts.map(partText(boundary)).join('')}--${boundary}--\r\n`;
        const bytes = Buffer.from(whole).subarray(0, Math.ceil(whole.length * cut));
        const parameter = announced === 'none' ? '' : `; boundary="${announced === 'same' ? boundary : 'other'}"`;
        const id = randomUUID();
        const before = await stored();
        const status = await send(`streamConfigurationTemplateId=${TEXT}&id=${id}`, bytes, {
          'content-type': `multipart/form-data${parameter}`,
        });
        statuses.add(status);
        const stream = await gateway.streamOf(id);
        if (status === 200) expect(stream?.upload.state).toBe('completed');
        else if (stream === null) expect(await stored()).toEqual(before);
        else expect([stream.stream.state, (await stored()).topics]).toEqual(['FAILED', before.topics]);
      }),
      { numRuns: 150 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  });
});
