import fc from 'fast-check';

/** Statuses and problem names that the API documents for an invalid upload. */
export const DOCUMENTED: Readonly<Record<number, readonly string[]>> = {
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

export const alias = fc.constantFrom('summary', 'ask0', 'ask1Id', 'ask0Format', 'summaryLength', 'etVocabulary', 'enhancedTranscription');
export const path = fc.oneof(
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
/** Raw text of a query value: valid forms of a patch, and invalid ones. */
const value = fc
  .tuple(
    fc.constantFrom('', '+', '%2B', '-', '%2D', '\\', '%5C', '\\+', '\\-', '%', '%zz', '%ff', '%00'),
    fc.oneof(escaped, fc.constantFrom('true', '0', '')),
  )
  .map((parts) => parts.join(''));
const pair = fc.tuple(fc.oneof(path.map(encodeURIComponent), fc.constantFrom('%', '%c0%af')), value);
/** Of a query, undecoded. */
export const pairs = fc.array(fc.oneof(pair, fc.tuple(alias, value)), { maxLength: 4 });

const scalar = fc.oneof(
  fc.constantFrom('true', '+x', '-', '\\-', '__proto__', 1e308),
  fc.string({ maxLength: 10 }),
  fc.boolean(),
  fc.constant(null),
);
export const anyValue = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

/** Of the header and of template patches. */
export const patch = fc.record(
  { op: fc.constantFrom('add', 'replace', 'remove', 'move', 'test'), path, value: anyValue },
  { requiredKeys: [] },
);
const patchText = fc.oneof(
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
/** Header values are bytes without control characters; everything else is JSON-escaped. */
export const patchHeader = patchText.map((text) =>
  text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
);

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
const multipart = fc.record({
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

/** A body, and the `Content-Type` that it is sent under. */
export const multipartUpload = multipart.map(({ parts, boundary, announced, cut }) => {
  const whole = `${parts.map(partText(boundary)).join('')}--${boundary}--\r\n`;
  const parameter = announced === 'none' ? '' : `; boundary="${announced === 'same' ? boundary : 'other'}"`;
  return { bytes: Buffer.from(whole).subarray(0, Math.ceil(whole.length * cut)), contentType: `multipart/form-data${parameter}` };
});
