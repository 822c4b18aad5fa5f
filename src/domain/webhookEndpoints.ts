/** The story of one user's webhook endpoints: the whole set, since the limit of 20 is its invariant. Event stream `webhookEndpoints-<subject>`. */
export type WebhookEndpointsEvent =
  | { type: 'EndpointCreated'; data: { endpointId: string; url: string; events: string[]; enabled: boolean; description: string | null } }
  | { type: 'EndpointUpdated'; data: { endpointId: string; url: string; events: string[]; enabled: boolean; description: string | null } }
  | { type: 'EndpointToggled'; data: { endpointId: string; enabled: boolean } }
  /** By the platform, with the reason that its owner sees. A dynamic endpoint's id is told too: it is in no set, and stays disabled. */
  | { type: 'EndpointDisabled'; data: { endpointId: string; reason: string } }
  | { type: 'EndpointDeleted'; data: { endpointId: string } }
  /** Secrets are derived from the master key, the endpoint's id and the generation (from 1): no event holds one. Both sign until `previousValidUntil`. */
  | { type: 'EndpointSecretRotated'; data: { endpointId: string; generation: number; previousValidUntil: string } }
  | { type: 'AccountSecretRotated'; data: { generation: number; previousValidUntil: string } }
  /** Asked for by whichever node got the call, answered by the facts of the partition's holder in `delivery-<subject>`. Exactly one of `since` and `after`. */
  | { type: 'RecoveryRequested'; data: { endpointId: string; since: string | null; after: string | null } }
  | { type: 'ResendRequested'; data: { endpointId: string; deliveryId: string } }
  | { type: 'PingRequested'; data: { endpointId: string; deliveryId: string } };

export const webhookEndpointsEventStream = (subject: string): string => `webhookEndpoints-${subject}`;
