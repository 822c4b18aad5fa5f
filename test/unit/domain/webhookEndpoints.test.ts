import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/domain/problem.ts';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  MAX_ENDPOINTS,
  requestDelivery,
  rotateAccountSecret,
  rotateEndpointSecret,
  toggleEndpoint,
  updateEndpoint,
} from '../../../src/domain/webhookEndpoints/decisions.ts';
import {
  type EndpointSettings,
  WEBHOOK_ENDPOINTS_EVENTS,
  type WebhookEndpointsEvent,
} from '../../../src/domain/webhookEndpoints/events.ts';
import {
  DISABLED_BY_OWNER,
  findEndpoint,
  type WebhookEndpointsState,
  webhookEndpointsDecider,
} from '../../../src/domain/webhookEndpoints/state.ts';
import { listensTo, TRANSCRIPT_EDITED, WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhookEndpoints/webhookEventTypes.ts';

const at = (i: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString();
const given = (...events: WebhookEndpointsEvent[]): WebhookEndpointsState =>
  events.reduce((state, event, i) => webhookEndpointsDecider.evolve(state, event, at(i)), webhookEndpointsDecider.initialState());

const settings: EndpointSettings & { headers: Record<string, string> } = {
  url: 'https://example.org/hook',
  events: ['stream.*'],
  enabled: true,
  description: null,
  payload: 'full',
  headers: {},
  filter: null,
  retryWindow: null,
};
const created = (endpointId = 'a', changes: Partial<EndpointSettings> = {}): WebhookEndpointsEvent => ({
  type: 'EndpointCreated',
  data: { endpointId, ...settings, ...changes },
});
const toggled = (enabled: boolean, endpointId = 'a'): WebhookEndpointsEvent => ({ type: 'EndpointToggled', data: { endpointId, enabled } });
const disabled = (endpointId = 'a', reason = 'It answered 410'): WebhookEndpointsEvent => ({
  type: 'EndpointDisabled',
  data: { endpointId, reason },
});
const REPORT = { since: at(0), lastSuccess: null, failures: 1 };
const deleted: WebhookEndpointsEvent = { type: 'EndpointDeleted', data: { endpointId: 'a' } };
const rotated = (generation: number, previousValidUntil: string): WebhookEndpointsEvent => ({
  type: 'EndpointSecretRotated',
  data: { endpointId: 'a', generation, previousValidUntil },
});
const twenty = Array.from({ length: MAX_ENDPOINTS }, (_, i) => created(String(i), { enabled: i % 2 === 0 }));

interface Row {
  promise: string;
  given: WebhookEndpointsEvent[];
  when: (state: WebhookEndpointsState) => readonly WebhookEndpointsEvent[];
  /** Types of the events, or the name of the refusal. */
  answer: string | string[];
}

const FORBIDDEN = 'GENERAL_AUTHORIZATION_ERROR';
const NOT_FOUND = 'GENERAL_NOT_FOUND_ERROR';
const CONFLICT = 'GENERAL_CONFLICT_ERROR';

describe('decisions about a set of endpoints', () => {
  test.each<Row>([
    { promise: 'the first is created', given: [], when: (s) => createEndpoint(s, 'a', settings, null), answer: ['EndpointCreated'] },
    {
      promise: 'the 21st is refused, though half of them are disabled',
      given: twenty,
      when: (s) => createEndpoint(s, 'x', settings, null),
      answer: 'WEBHOOK_ENDPOINTS_DEFINITION_LIMIT_REACHED',
    },
    {
      promise: 'after a deletion there is room again',
      given: [...twenty, { type: 'EndpointDeleted', data: { endpointId: '3' } }],
      when: (s) => createEndpoint(s, 'x', settings, null),
      answer: ['EndpointCreated'],
    },
    { promise: 'what is not there yet matches no tag', given: [], when: (s) => createEndpoint(s, 'a', settings, '*'), answer: CONFLICT },
    {
      promise: 'an update replaces all',
      given: [created()],
      when: (s) => updateEndpoint(s, 'a', { ...settings, description: 'mine' }, null),
      answer: ['EndpointUpdated'],
    },
    {
      promise: 'an update that changes nothing appends nothing',
      given: [created()],
      when: (s) => updateEndpoint(s, 'a', settings, null),
      answer: [],
    },
    {
      promise: 'an update to a slim payload is a change',
      given: [created()],
      when: (s) => updateEndpoint(s, 'a', { ...settings, payload: 'slim' }, null),
      answer: ['EndpointUpdated'],
    },
    {
      promise: 'an update without a payload keeps the slim one',
      given: [created('a', { payload: 'slim' })],
      when: (s) => updateEndpoint(s, 'a', { ...settings, payload: null }, null),
      answer: [],
    },
    {
      promise: 'other events in another order are a change',
      given: [created('a', { events: ['stream.*', 'group.*'] })],
      when: (s) => updateEndpoint(s, 'a', { ...settings, events: ['group.*', 'stream.*'] }, null),
      answer: ['EndpointUpdated'],
    },
    {
      promise: 'an unknown one is not updated',
      given: [created()],
      when: (s) => updateEndpoint(s, 'b', settings, null),
      answer: FORBIDDEN,
    },
    {
      promise: 'a deleted one is not updated',
      given: [created(), deleted],
      when: (s) => updateEndpoint(s, 'a', settings, null),
      answer: FORBIDDEN,
    },
    { promise: 'the right tag passes', given: [created()], when: (s) => toggleEndpoint(s, 'a', false, ['1']), answer: ['EndpointToggled'] },
    {
      promise: 'an old tag does not',
      given: [created(), toggled(false)],
      when: (s) => toggleEndpoint(s, 'a', true, ['1']),
      answer: CONFLICT,
    },
    { promise: 'toggling to what it is appends nothing', given: [created()], when: (s) => toggleEndpoint(s, 'a', true, null), answer: [] },
    { promise: 'an unknown one is not toggled', given: [], when: (s) => toggleEndpoint(s, 'a', true, null), answer: FORBIDDEN },
    { promise: 'one is deleted', given: [created()], when: (s) => deleteEndpoint(s, 'a', null), answer: ['EndpointDeleted'] },
    { promise: 'a deleted one is not deleted', given: [created(), deleted], when: (s) => deleteEndpoint(s, 'a', null), answer: FORBIDDEN },
    { promise: 'an old tag deletes nothing', given: [created()], when: (s) => deleteEndpoint(s, 'a', ['0']), answer: CONFLICT },
    {
      promise: 'the platform disables one',
      given: [created()],
      when: (s) => disableEndpoint(s, { endpointId: 'a', reason: 'r', dynamic: false, report: REPORT }),
      answer: ['EndpointDisabled', 'EndpointHealthChanged'],
    },
    {
      promise: 'once',
      given: [created(), disabled()],
      when: (s) => disableEndpoint(s, { endpointId: 'a', reason: 'r', dynamic: false, report: REPORT }),
      answer: [],
    },
    {
      promise: 'not one that is deleted',
      given: [created(), deleted],
      when: (s) => disableEndpoint(s, { endpointId: 'a', reason: 'r', dynamic: false, report: REPORT }),
      answer: [],
    },
    {
      promise: 'not one that was enabled after it began to fail',
      given: [created(), toggled(false), toggled(true)],
      when: (s) => disableEndpoint(s, { endpointId: 'a', reason: 'r', dynamic: false, failingSince: at(1), report: REPORT }),
      answer: [],
    },
    {
      promise: 'one that has failed ever since it was enabled',
      given: [created(), toggled(false), toggled(true)],
      when: (s) => disableEndpoint(s, { endpointId: 'a', reason: 'r', dynamic: false, failingSince: at(3), report: REPORT }),
      answer: ['EndpointDisabled', 'EndpointHealthChanged'],
    },
    {
      promise: 'one whose URL has answered 410',
      given: [created()],
      when: (s) => disableEndpoint(s, { endpointId: 'a', reason: 'r', dynamic: false, url: settings.url ?? '', report: REPORT }),
      answer: ['EndpointDisabled', 'EndpointHealthChanged'],
    },
    {
      promise: 'not one that has another URL by now',
      given: [created()],
      when: (s) => disableEndpoint(s, { endpointId: 'a', reason: 'r', dynamic: false, url: 'https://before.example.org/', report: REPORT }),
      answer: [],
    },
    {
      promise: 'a dynamic one is disabled without being in the set',
      given: [],
      when: (s) => disableEndpoint(s, { endpointId: 'd', reason: 'r', dynamic: true }),
      answer: ['EndpointDisabled'],
    },
    {
      promise: 'a dynamic one is disabled once',
      given: [disabled('d')],
      when: (s) => disableEndpoint(s, { endpointId: 'd', reason: 'r', dynamic: true }),
      answer: [],
    },
    { promise: "an unknown one's secret is not rotated", given: [], when: (s) => rotateEndpointSecret(s, 'a', at(9)), answer: NOT_FOUND },
    {
      promise: 'an unknown one is not pinged',
      given: [],
      when: (s) => requestDelivery(s, { type: 'PingRequested', data: { endpointId: 'a', deliveryId: 'x' } }),
      answer: NOT_FOUND,
    },
    {
      promise: 'a disabled one is pinged',
      given: [created(), toggled(false)],
      when: (s) => requestDelivery(s, { type: 'PingRequested', data: { endpointId: 'a', deliveryId: 'x' } }),
      answer: ['PingRequested'],
    },
    {
      promise: 'a disabled one is not recovered',
      given: [created(), toggled(false)],
      when: (s) => requestDelivery(s, { type: 'RecoveryRequested', data: { endpointId: 'a', since: at(0), after: null } }),
      answer: CONFLICT,
    },
    {
      promise: 'one that is enabled again is',
      given: [created(), toggled(false), toggled(true)],
      when: (s) => requestDelivery(s, { type: 'RecoveryRequested', data: { endpointId: 'a', since: at(0), after: null } }),
      answer: ['RecoveryRequested'],
    },
  ])('$promise', ({ given: events, when, answer }) => {
    const state = given(...events);
    const outcome = (): string | string[] => {
      try {
        return when(state).map(({ type }) => type);
      } catch (error) {
        if (error instanceof Problem) return error.internalErrorName;
        throw error;
      }
    };
    expect(outcome()).toEqual(answer);
  });
});

describe('a set of endpoints folded from its events', () => {
  const a = (...events: WebhookEndpointsEvent[]) => findEndpoint(given(created(), ...events), 'a');

  test('shows that an owner disabled an endpoint until it is enabled again', () => {
    expect(a(toggled(false))).toMatchObject({ enabled: false, disabledReason: DISABLED_BY_OWNER, disabledTimestamp: at(1) });
    expect(a(toggled(false), toggled(true))).toMatchObject({
      enabled: true,
      disabledReason: null,
      disabledTimestamp: null,
      enabledTimestamp: at(2),
    });
  });

  test('shows that an endpoint was created disabled', () => {
    expect(findEndpoint(given(created('a', { enabled: false })), 'a')).toMatchObject({
      enabled: false,
      disabledReason: DISABLED_BY_OWNER,
      disabledTimestamp: at(0),
    });
  });

  test("keeps the platform's reason if an update leaves the endpoint disabled", () => {
    const update: WebhookEndpointsEvent = { type: 'EndpointUpdated', data: { endpointId: 'a', ...settings, enabled: false } };
    expect(a(disabled(), update)).toMatchObject({ enabled: false, disabledReason: 'It answered 410', disabledTimestamp: at(1) });
  });

  test('raises the version with every visible change, but not with a new secret', () => {
    expect(a()?.version).toBe(1);
    expect(a(toggled(false), disabled('b'), rotated(2, at(9)))?.version).toBe(2);
    expect(a({ type: 'EndpointUpdated', data: { endpointId: 'a', ...settings } })?.version).toBe(2);
  });

  test('keeps up to four earlier secrets until they expire', () => {
    expect(a(rotated(2, at(3)))?.secret).toEqual({ generation: 2, previous: [{ generation: 1, validUntil: at(3) }] });
    expect(a(rotated(2, at(30)), rotated(3, at(40)))?.secret.previous).toEqual([
      { generation: 2, validUntil: at(40) },
      { generation: 1, validUntil: at(30) },
    ]);
    expect(a(rotated(2, at(2)), rotated(3, at(40)))?.secret.previous).toEqual([{ generation: 2, validUntil: at(40) }]);
    const often = [2, 3, 4, 5, 6, 7].map((generation) => rotated(generation, at(50 + generation)));
    expect(a(...often)?.secret.previous.map(({ generation }) => generation)).toEqual([6, 5, 4, 3]);
  });

  test("rotates the account's secret separately", () => {
    const [event] = rotateAccountSecret(given(), at(9));
    expect(event).toEqual({ type: 'AccountSecretRotated', data: { generation: 2, previousValidUntil: at(9) } });
    expect(given(created(), event as WebhookEndpointsEvent).accountSecret).toEqual({
      generation: 2,
      previous: [{ generation: 1, validUntil: at(9) }],
    });
  });

  test('omits endpoints whose owner was erased', () => {
    expect(given(created('a', { url: null }), created('b')).endpoints.map(({ endpointId }) => endpointId)).toEqual(['b']);
    expect(given(created(), { type: 'EndpointUpdated', data: { endpointId: 'a', ...settings, url: null } }).endpoints).toEqual([]);
  });

  test('remembers the newest thousand disabled dynamic endpoints', () => {
    const state = given(...Array.from({ length: 1_002 }, (_, i) => disabled(`d${i}`)));
    expect(state.disabledDynamic.size).toBe(1_000);
    expect([state.disabledDynamic.has('d1'), state.disabledDynamic.has('d2')]).toEqual([false, true]);
  });

  test('leaves the previous state unchanged', () => {
    const before = given(created());
    const copy = structuredClone(before);
    for (const event of [toggled(false), disabled(), rotated(2, at(9)), deleted, created('b'), disabled('d')])
      webhookEndpointsDecider.evolve(before, event, at(1));
    expect(before).toEqual(copy);
  });
});

test.each([
  [['*'], WEBHOOK_EVENT_TYPES.length],
  [['stream.*'], 4],
  [['group.*', 'group.created'], 5],
  [['gateway.*', 'processor.*'], 7],
  [['stream.ready', 'processor.error'], 2],
  [['stream'], 0],
])('an endpoint with the filters %j receives %i types', (filters, count) => {
  expect(WEBHOOK_EVENT_TYPES.filter((type) => listensTo(filters, type))).toHaveLength(count);
});

test('an endpoint receives corrections of transcripts only if it names them', () => {
  expect(['*', 'stream.*', 'transcript.*', TRANSCRIPT_EDITED].map((filter) => listensTo([filter], TRANSCRIPT_EDITED))).toEqual([
    ...[false, false, false, true],
  ]);
});

test('reads an endpoint stored before payloads existed as full', () => {
  const { payload: _, ...stored } = { endpointId: 'a', ...settings };
  for (const form of [WEBHOOK_ENDPOINTS_EVENTS.EndpointCreated, WEBHOOK_ENDPOINTS_EVENTS.EndpointUpdated])
    expect(form.upcast?.[1]?.(stored)).toEqual({ ...stored, payload: 'full' });
});

test('creates an endpoint without a payload as full', () => {
  const [event] = createEndpoint(given(), 'a', { ...settings, payload: null }, null);
  expect(event?.data).toMatchObject({ payload: 'full' });
});
