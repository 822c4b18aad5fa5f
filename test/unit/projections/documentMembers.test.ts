import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CredentialsEvent } from '../../../src/domain/credentials/events.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/events.ts';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import type { PeopleEvent } from '../../../src/domain/people/events.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { WebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import type { Json } from '../../../src/json.ts';
import { allProjections } from '../../../src/projections/all.ts';
import { completed, failed, link, OWNER, STREAM, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { at, documentsAfter, recorded } from './given.ts';

const FIXTURES = new URL('../../fixtures/documentMembers/', import.meta.url);

const ofStream: StreamEvent[] = [
  streamCreated([link('transcriber', null), link('llm', 'transcriber')], { persist: true }),
  uploaded,
  started('transcriber'),
  completed('transcriber'),
  started('llm'),
  failed('llm'),
  { type: 'StreamFailed', data: { reason: 'no speech' } },
];

const ofGroup: GroupEvent[] = [
  { type: 'GroupCreated', data: { groupId: 'g', creatorId: OWNER } },
  { type: 'StreamJoined', data: { groupId: 'g', streamId: STREAM, streamSubject: OWNER, webhooks: [] } },
];

const ofCredentials: CredentialsEvent[] = [
  {
    type: 'CredentialIssued',
    data: {
      ...{ credentialId: 'c', subject: OWNER, kind: 'client', label: 'laptop', role: 'user', clientId: 'client' },
      ...{ secretHash: 'hash', expiresTimestamp: null },
    },
  },
  {
    type: 'SessionStarted',
    data: { credentialId: 's', subject: OWNER, personId: OWNER, device: 'Firefox on Linux', role: 'user', secretHash: 'hash' },
  },
];

const ofPeople: PeopleEvent[] = [
  {
    type: 'PersonIdentified',
    data: { personId: OWNER, issuer: 'https://login', name: 'Ada', email: 'ada@example.com', claimedRole: null, defaultRole: 'user' },
  },
];

const ofDelivery: DeliveryEvent[] = [
  {
    type: 'DeliveriesScheduled',
    data: {
      ...{ sourceEventId: 'e', sourceEventStream: `stream-${STREAM}`, sourceRevision: '0', sourcePosition: '0' },
      ...{ renderer: 2, deadline: at(100) },
      deliveries: [
        {
          ...{ deliveryId: 'd', endpointId: 'endpoint', eventId: 'e', type: 'stream.ready', sequence: 1 },
          ...{ dynamicStreamId: null, url: null },
        },
      ],
    },
  },
];

const ofEndpoints: WebhookEndpointsEvent[] = [
  {
    type: 'EndpointCreated',
    data: {
      endpointId: 'endpoint',
      url: 'https://a.test/',
      events: ['*'],
      enabled: true,
      description: null,
      payload: 'full',
      headers: {},
      filter: null,
      retryWindow: null,
    },
  },
];

const STORY = recorded(
  ...ofStream.map((event) => [`stream-${STREAM}`, event] as const),
  ...ofGroup.map((event) => ['group-g', event] as const),
  ...ofCredentials.map((event) => [`credentials-${OWNER}`, event] as const),
  ...ofPeople.map((event) => [`person-${OWNER}`, event] as const),
  ...ofEndpoints.map((event) => [`webhookEndpoints-${OWNER}`, event] as const),
  ...ofDelivery.map((event) => [`delivery-${OWNER}`, event] as const),
);

/** Names of all members, those of items of a list after `[]`. */
const membersOf = (value: Json, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(item, `${path}[]`));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const named = path === '' ? name : `${path}.${name}`;
    return [named, ...membersOf(member, named)];
  });
};

test.each(allProjections)('documents of $name have the members that their version had from its start', async (projection) => {
  const documents = [...documentsAfter(projection, STORY).values()];
  expect(documents.length, 'STORY has no event for this read model: add one').toBeGreaterThan(0);
  const members = [...new Set(documents.flatMap(({ body }) => membersOf(body)))].sort();
  const { name, version } = projection;
  // Vitest writes the file of a new version. Stored documents of this version lack a new member until the read model is rebuilt.
  await expect(
    `${members.join('\n')}\n`,
    `The members of the documents of ${name} have changed: raise its version in src/projections, and delete the file of version ${version}`,
  ).toMatchFileSnapshot(`../../fixtures/documentMembers/${name}-${version}.txt`);
});

test('keeps no list of members of a former version', () => {
  const current = allProjections.map(({ name, version }) => `${name}-${version}.txt`);
  const former = readdirSync(FIXTURES).filter((file) => !current.includes(file));
  expect(former, 'Delete these files of test/fixtures/documentMembers: their read models have a newer version').toEqual([]);
});
