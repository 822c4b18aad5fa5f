/** Values that exist on the server, by their meaning. */
export interface Known {
  readonly streams: readonly string[];
  readonly templates: readonly string[];
  readonly endpoints: readonly string[];
  readonly deliveries: readonly string[];
  readonly credentials: readonly string[];
  readonly subjects: readonly string[];
  readonly events: readonly string[];
  readonly eventStreams: readonly string[];
  readonly projections: readonly string[];
  readonly positions: readonly string[];
  readonly clientIds: readonly string[];
  readonly clientSecrets: readonly string[];
  /** Resources that may be deleted: all others stay. */
  readonly doomedEndpoints: readonly string[];
  readonly doomedStreams: readonly string[];
  readonly doomedTemplates: readonly string[];
  /** JSON text of patches. */
  readonly patches: readonly string[];
  /** Allowed targets of webhooks. */
  readonly urls: readonly string[];
}

interface Binding {
  readonly parameter: string;
  readonly dictionary: keyof Known;
  /** Default: most of the time, so that unknown ones are tried too. */
  readonly always?: true;
}

const EVERYWHERE: readonly Binding[] = [
  { parameter: 'path.streamId', dictionary: 'streams' },
  { parameter: 'path.groupId', dictionary: 'streams' },
  { parameter: 'path.streamConfigurationTemplateId', dictionary: 'templates' },
  { parameter: 'path.id', dictionary: 'endpoints' },
  { parameter: 'path.deliveryId', dictionary: 'deliveries' },
  { parameter: 'path.credentialId', dictionary: 'credentials', always: true },
  { parameter: 'path.subject', dictionary: 'subjects', always: true },
  { parameter: 'path.eventId', dictionary: 'events' },
  { parameter: 'query.streamConfigurationTemplateId', dictionary: 'templates', always: true },
  { parameter: 'query.group', dictionary: 'streams' },
  { parameter: 'query.streams', dictionary: 'streams' },
  { parameter: 'query.streamIds', dictionary: 'streams' },
  { parameter: 'header.X-Template-Patch', dictionary: 'patches' },
  { parameter: 'header.X-Vat-Meta-Template-Patch', dictionary: 'patches' },
  { parameter: 'query.eventStream', dictionary: 'eventStreams' },
  { parameter: 'query.after', dictionary: 'positions', always: true },
  { parameter: 'body.url', dictionary: 'urls', always: true },
  { parameter: 'body.client_id', dictionary: 'clientIds' },
  { parameter: 'body.client_secret', dictionary: 'clientSecrets' },
];

/**
 * Operations that refuse with 400 what their schema allows: rules between members, or about existing resources, that no schema can express. Each
 * rule has its own test.
 */
const STRICTER = [
  'saveTemplate',
  'patchTemplate',
  'saveWebhookEndpoint',
  'recoverWebhookDeliveries',
  'issueCredential',
  'exportStreams',
  'readLive',
  'setStreamRetention',
  'findStreamUsage',
  'findUsageReport',
  'findEvents',
  'findEventStreamState',
];

const quoted = (value: string): string => JSON.stringify(value);

const expectedStatuses = (operations: readonly string[], check: string, statuses: readonly string[]): string =>
  `[[operations]]
include-operation-id = [${operations.map(quoted).join(', ')}]
checks.${check}.expected-statuses = [${statuses.map(quoted).join(', ')}]
`;

const DOOMED: readonly (readonly [operation: string, parameter: string, dictionary: keyof Known])[] = [
  ['deleteWebhookEndpoint', 'path.id', 'doomedEndpoints'],
  ['deleteStream', 'path.streamId', 'doomedStreams'],
  ['deleteTemplate', 'path.streamConfigurationTemplateId', 'doomedTemplates'],
];

const ACCEPTED = ['2xx', '401', '403', '404', '409', '429'];

/** The configuration file of Schemathesis: all checks, real ids, and facts about this interface that the checks cannot know. */
export const schemathesisConfig = (known: Known, credential: string): string => {
  const dictionaries = Object.entries(known).map(
    ([name, values]) => `[dictionaries.${name}]\nvalues = [${values.map(quoted).join(', ')}]\n`,
  );
  const bindings = EVERYWHERE.map(
    ({ parameter, dictionary, always }) =>
      `${quoted(parameter)} = { dictionary = ${quoted(dictionary)}, probability = ${always ? '1.0' : '0.8'} }`,
  );
  return `continue-on-failure = true
request-timeout = 30.0
headers = { Authorization = ${quoted(credential)} }

[generation]
# Credentials are given: generated ones would be refused, and nothing behind them reached. The check for ignored credentials makes its own.
with-security-parameters = false

[parameters]
${bindings.join('\n')}

${dictionaries.join('\n')}
${expectedStatuses(STRICTER, 'positive_data_acceptance', [...ACCEPTED, '400', '413', '415'])}
${expectedStatuses(['upload', 'createTranscription', 'createTranslation'], 'positive_data_acceptance', [...ACCEPTED, '400', '413', '415', '503'])}
# A template whose engine the server has not is refused with 503, as documented.
${expectedStatuses(['upload', 'createTranscription', 'createTranslation'], 'not_a_server_error', ['2xx', '3xx', '4xx', '503'])}
${expectedStatuses(['readDataSource'], 'positive_data_acceptance', [...ACCEPTED, '416'])}
${expectedStatuses(['openWebSocket', 'openRealtime'], 'positive_data_acceptance', ['426'])}
[[operations]]
include-operation-id = ["findEventStreamState", "rebuildProjection"]
parameters = { "path.name" = { dictionary = "eventStreams", probability = 0.8 } }

${DOOMED.map(
  ([operation, parameter, dictionary]) => `[[operations]]
include-operation-id = ${quoted(operation)}
parameters = { ${quoted(parameter)} = { dictionary = ${quoted(dictionary)}, probability = 1.0 } }
`,
).join('\n')}
[[operations]]
# They would take away what the run needs, when answers of other operations are used for them.
include-operation-id = ["revokeCredential", "rotateCredential", "eraseSubject", "deleteWebhookEndpoint", "deleteStream", "deleteTemplate"]
phases.stateful.enabled = false
`;
};
