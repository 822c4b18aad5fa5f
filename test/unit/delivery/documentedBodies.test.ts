import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { bodyVersionOf, NEWEST_BODY_VERSION } from '../../../src/delivery/plan/webhookTypes.ts';
import { WEBHOOK_STREAM_MEMBERS } from '../../../src/domain/stream/streamResource.ts';
import { WEBHOOK_BODIES, webhookStreamSchema } from '../../../src/http/webhooks/webhookEventSchemas.ts';
import * as s from '../../../src/schema.ts';

const bodiesOf = (version: number): { type: string }[] =>
  readFileSync(new URL(`../../fixtures/webhookBodies/${version}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((body) => JSON.parse(body));

test.each(['full', 'slim'] as const)('%s bodies of new deliveries match their schemas in the API document', (payload) => {
  // The ids of the fixture are no UUIDs.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const bodies = bodiesOf(NEWEST_BODY_VERSION[payload]);
  expect(bodies.length).toBeGreaterThan(5);
  for (const body of bodies) {
    const { type } = body;
    // Alerts have no slim body, whatever their endpoint asks for.
    if (bodyVersionOf(type, payload) !== NEWEST_BODY_VERSION[payload]) continue;
    const schemas = WEBHOOK_BODIES.find((one) => one.type === type)?.schemas ?? [];
    const matches = ajv.compile(schemas[payload === 'full' ? 0 : schemas.length - 1] ?? false);
    matches(body);
    expect(matches.errors, type).toBeNull();
  }
});

test('the stream in webhooks has the schema of the API, or one of its own without the members that only the API shows', () => {
  const members = Object.fromEntries(WEBHOOK_STREAM_MEMBERS.map((name) => [name, s.text]));
  const stream = s.named('MediaStream', s.resource(members));
  expect(webhookStreamSchema(stream)).toBe(stream);
  const withNote = s.named('MediaStream', s.resource({ ...members, note: s.text }));
  expect(webhookStreamSchema(withNote)).toEqual({ ...stream, title: 'WebhookStream' });
});
