import type { CredentialsEvent } from '../../../src/domain/credentials/events.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/events.ts';
import type { GroupEvent } from '../../../src/domain/group/events.ts';
import type { PeopleEvent } from '../../../src/domain/people/events.ts';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import type { WebhookEndpointsEvent } from '../../../src/domain/webhookEndpoints/events.ts';
import type { DomainEvent } from '../../../src/stores/log/eventLog.ts';
import { completed, failed, link, OWNER, STREAM, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { at, endpointCreated } from './given.ts';

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
          ...{ dynamicStreamId: STREAM, url: 'https://dynamic.test/' },
        },
      ],
    },
  },
];

const ofEndpoints: WebhookEndpointsEvent[] = [endpointCreated('endpoint', 'https://a.test/')];

/** Events of every read model, each with its event stream. */
export const STORY: readonly (readonly [eventStream: string, event: DomainEvent])[] = [
  ...ofStream.map((event) => [`stream-${STREAM}`, event] as const),
  ...ofGroup.map((event) => ['group-g', event] as const),
  ...ofCredentials.map((event) => [`credentials-${OWNER}`, event] as const),
  ...ofPeople.map((event) => [`person-${OWNER}`, event] as const),
  ...ofEndpoints.map((event) => [`webhookEndpoints-${OWNER}`, event] as const),
  ...ofDelivery.map((event) => [`delivery-${OWNER}`, event] as const),
];
