import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIfMatch } from '../../../../src/domain/ifMatch.ts';
import { BUILTIN_TEMPLATES } from '../../../../src/domain/templates/builtinTemplates.ts';
import { patchesOfJson } from '../../../../src/domain/templates/patches.ts';
import { patchedTemplate } from '../../../../src/domain/templates/patchTemplate.ts';
import { byteRange } from '../../../../src/http/answers/byteRange.ts';
import { fromAuthorization, presentedCredential } from '../../../../src/http/auth/presentedCredential.ts';
import { configurationPart } from '../../../../src/http/gateway/configurationPart.ts';
import { openQuery } from '../../../../src/http/gateway/openQuery.ts';
import { UPLOAD_PARAMETERS, uploadParameters } from '../../../../src/http/gateway/uploadParameters.ts';
import { clientMessage } from '../../../../src/http/gateway/webSocket/messages.ts';
import { formFields, parseJson } from '../../../../src/http/input/body.ts';
import { queryCheck } from '../../../../src/http/input/parameters.ts';
import { checkedParameters, targetOf } from '../../../../src/http/input/target.ts';
import { clientAddress } from '../../../../src/http/limits/clientAddress.ts';
import { RawQuery } from '../../../../src/http/query/rawQuery.ts';
import { correlationOfRequest } from '../../../../src/http/route/correlation.ts';
import { shownQuery } from '../../../../src/http/server/requestLog.ts';
import { DEFAULT_LIMITS } from '../../../../src/limits.ts';
import { operationsOf } from './countedOperations.ts';

/** `#` becomes the number of the repetition, so that names may differ. */
const numbered = (unit: string, count: number, between: string): string =>
  Array.from({ length: count }, (_, index) => unit.replaceAll('#', String(index))).join(between);

const check = queryCheck({
  ids: { schema: { type: 'string' }, list: 'comma', description: '' },
  page: { schema: { type: 'integer' }, description: '' },
});
const UPLOAD = { streamConfigurationTemplateId: 'a', persist: false, matchPersistTags: 'ANY' } as const;
const names = new Set(Object.keys(UPLOAD_PARAMETERS));
const header = (value: string) => (name: string) => (name === 'X-Template-Patch' ? value : undefined);
const from = (forwarded: string): IncomingMessage => {
  const incoming = new IncomingMessage(new Socket());
  Object.defineProperty(incoming.socket, 'remoteAddress', { value: '127.0.0.1' });
  incoming.headers['x-forwarded-for'] = forwarded;
  return incoming;
};
const template = BUILTIN_TEMPLATES.find(({ processors }) => processors.some(({ patchAliases }) => 'summary' in patchAliases));
if (!template) throw new Error('no built-in template has the alias summary');

interface Parser {
  /** What its input is repeated from. */
  readonly pieces: readonly string[];
  readonly between: string;
  /** Put around the repetition. */
  readonly around?: readonly [string, string];
  /** Repetitions at most, where a limit on their number would hide how the work grows. */
  readonly most?: number;
  parse(text: string): unknown;
}

const QUERY = [
  'a#=b',
  'client_id=a',
  'access_token=x#',
  'a=%',
  'ids=a#,b',
  'ids=a',
  'webhook=http://h#',
  'webhook.stream=',
  '',
  '+',
  '%61=#',
  'page=1',
];
const FORM = ['a#=b', 'client_id=a', 'a', '=', '%', 'b=#'];
const MEMBERS = ['"a#":1', '"a#":[1,2]', '"a":{}', '"__proto__":1', '"processors.#":"+"', '"#":null'];
/** Padded: the values of short JSON are not counted. */
const jsonOf = (text: string): Buffer => Buffer.from(text.padEnd(20_001));
const PATCHES = [
  '{"op":"add","path":"a#","value":1}',
  '{"op":"remove","path":"/a/b/c"}',
  '"{}"',
  '[]',
  '{"op":"replace","path":"a.b.#","value":[1]}',
];
const HEADER = ['text/html;q=0.#', 'application/x-ndjson', '*/*', '"#"', 'W/"a"', ' ', ';', '=', 'basic', 'a#'];

const PARSERS: Readonly<Record<string, Parser>> = {
  'a form body': { pieces: FORM, between: '&', parse: (text) => formFields(text, 20) },
  'credentials in the query': { pieces: QUERY, between: '&', parse: (text) => presentedCredential({}, new RawQuery(text)) },
  'documented query parameters': { pieces: QUERY, between: '&', parse: (text) => check(new RawQuery(text)) },
  'patches and webhooks in the query': { pieces: QUERY, between: '&', parse: (text) => openQuery(new RawQuery(text), names) },
  'a query in the log': { pieces: QUERY, between: '&', parse: (text) => shownQuery(new RawQuery(text), UPLOAD_PARAMETERS) },
  'a JSON body': { pieces: MEMBERS, between: ',', around: ['{', '}'], parse: (text) => parseJson(jsonOf(text), 20_000) },
  'a configuration part': {
    pieces: MEMBERS,
    between: ',',
    around: ['{"patches":{', '}}'],
    parse: (text) => configurationPart(jsonOf(text), 20_000),
  },
  'a WebSocket message': {
    pieces: MEMBERS,
    between: ',',
    around: ['{', '}'],
    parse: (text) => clientMessage(jsonOf(text), false, DEFAULT_LIMITS),
  },
  'patches in a header': {
    pieces: PATCHES,
    between: ',',
    around: ['[', ']'],
    parse: (text) => uploadParameters({ query: UPLOAD, rawQuery: new RawQuery(''), header: header(text) }),
  },
  'patches of a template': {
    pieces: [
      '{"op":"add","path":"summary","value":true}',
      '{"op":"replace","path":"/processors/llm/properties/summary/enabled","value":false}',
    ],
    between: ',',
    around: ['[', ']'],
    most: 240,
    parse: (text) => patchedTemplate(template, patchesOfJson(JSON.parse(text))),
  },
  'the If-Match header': { pieces: HEADER, between: ',', parse: parseIfMatch },
  'the Range header': { pieces: ['1', '-', ','], between: '', around: ['bytes=', ''], parse: (text) => byteRange(text, 10) },
  'the Authorization header': { pieces: HEADER, between: ' ', parse: fromAuthorization },
  'the X-Forwarded-For header': {
    pieces: ['10.0.0.#', '::1', '', 'a'],
    between: ',',
    parse: (text) => clientAddress(from(text), () => true),
  },
  'the traceparent header': { pieces: ['00-', 'a', '#'], between: '', parse: (text) => correlationOfRequest({ traceparent: text }) },
  'a path': { pieces: ['a', '/', '%41', '#'], between: '', parse: (text) => checkedParameters({ id: targetOf(`/${text}`).path }) },
};

const MOST = 800;
/** How much longer the long input is than the short one. */
const TIMES = 8;
/** Room for what a call costs whatever its input is. */
const CONSTANT = 2_000;
const SLACK = 1.5;

// Counts operations, not time: a busy machine may take long for them.
describe('every parser of caller input takes linear time', { timeout: 60_000 }, () => {
  test.each(Object.entries(PARSERS))('%s', (_, { pieces, between, around = ['', ''], most = MOST, parse }) => {
    const work = (unit: readonly string[], count: number) =>
      operationsOf(() => parse(around[0] + numbered(unit.join(between), count, between) + around[1]));
    // The first call loads and compiles what later ones reuse.
    work(pieces, 1);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 }), (unit) => {
        expect(work(unit, most)).toBeLessThan(SLACK * TIMES * work(unit, most / TIMES) + CONSTANT);
      }),
      { numRuns: 15 + pieces.length, examples: pieces.map((piece) => [[piece]]) },
    );
  });

  test('is measured by a test that detects a quadratic parser', () => {
    const quadratic = (count: number) =>
      operationsOf(() => {
        let all: number[] = [];
        for (let index = 0; index < count; index += 1) all = [...all, index];
      });
    expect(quadratic(MOST)).toBeGreaterThan(SLACK * TIMES * quadratic(MOST / TIMES) + CONSTANT);
  });
});
