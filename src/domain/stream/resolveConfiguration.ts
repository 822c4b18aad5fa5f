import type { JsonObject } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import { Problem } from '../problem.ts';
import { declarationOf } from '../templates/declarations.ts';
import { stagesBeforeRedaction } from '../templates/redactionStage.ts';
import {
  type ProcessorDeclaration,
  type StreamConfigurationTemplate,
  type TemplateProcessor,
  templateBytes,
} from '../templates/template.ts';
import { dynamicEndpoint } from './dynamicWebhooks.ts';
import { REDACTION } from './redaction.ts';
import type {
  ChainLink,
  DataSource,
  DynamicWebhook,
  Egress,
  ProcessorSource,
  StreamConfiguration,
  StreamProcessor,
} from './streamConfiguration.ts';

/** Which sinks are kept: none without `persist`, all without tags, otherwise those with any (or all) of the tags. */
export interface PersistRule {
  readonly persist: boolean;
  readonly tags: readonly string[];
  readonly match: 'ALL' | 'ANY';
}

export interface ResolveInput {
  /** Already patched. */
  readonly template: StreamConfigurationTemplate;
  /** Largest patched template: `configurationMaxBytes`. */
  readonly maxBytes: number;
  readonly streamId: string;
  readonly groupId: string;
  readonly persist: PersistRule;
  readonly webhooks: readonly DynamicWebhook[];
  /** By declaration id. */
  readonly modeOf: (declarationId: string) => ChainLink['mode'];
  /** Names the topics: `persistent://<deployment>/...`. */
  readonly deployment: string;
  /** Replaces `${REPLICA}` in a declaration's domain name. */
  readonly replica: string;
  /** Topic id of a data source whose bytes already exist. Default: a new one. */
  readonly dataSourceId?: string | undefined;
  /** The only randomness: topic ids, and the last 5 characters of subscription names. */
  readonly random: { uuid(): string; characters(count: number): string };
}

export const dataSourceTopic = (deployment: string, id: string): string => `persistent://${deployment}/data-sources/${id}`;

/** The limit of templates that were saved before `TEMPLATE_MAX_BYTES`. */
const FORMER_MAX_BYTES = 262_144;

/** How large a template may become by patches. One that was saved before today's limit can still be used and patched. */
export const configurationMaxBytes = (
  saved: StreamConfigurationTemplate,
  { templateMaxBytes, streamConfigurationMaxBytes }: Pick<Limits, 'templateMaxBytes' | 'streamConfigurationMaxBytes'>,
): number => {
  const bytes = templateBytes(saved);
  return bytes > templateMaxBytes ? Math.max(bytes, FORMER_MAX_BYTES, streamConfigurationMaxBytes) : streamConfigurationMaxBytes;
};

/** Throws HTTP_STREAM_CONFIGURATION_ERROR for a patched template that is too large. Topics and sinks, which the platform adds, do not count. */
export const checkConfigurationSize = (patched: StreamConfigurationTemplate, maxBytes: number): void => {
  const bytes = templateBytes(patched);
  if (bytes > maxBytes)
    throw new Problem('HTTP_STREAM_CONFIGURATION_ERROR', `The resolved configuration has ${bytes} bytes. The limit is ${maxBytes}.`);
};

const isPersistent = ({ persist, tags, match }: PersistRule, sinkTags: readonly string[]): boolean => {
  if (!persist || tags.length === 0) return persist;
  const matches = (tag: string) => sinkTags.includes(tag);
  return match === 'ALL' ? tags.every(matches) : tags.some(matches);
};

/** Every leaf is a sink. The tags of a sink contain its processor's id, those of a leaf also `main`. Stages before redaction are never sinks. */
const egressOf = ({ id, egress }: TemplateProcessor, isLeaf: boolean, isUnredacted: boolean, rule: PersistRule): Egress => {
  if (isUnredacted) return { persist: false, sink: false, tags: [...egress.tags] };
  const sink = egress.sink || isLeaf;
  const tags = sink ? [...new Set([...egress.tags, id, ...(isLeaf ? ['main'] : [])])] : [...egress.tags];
  return { persist: sink && isPersistent(rule, tags), sink, tags };
};

const topicKind = ({ sink, persist }: Egress): string => (persist ? 'persistent-data-sinks' : sink ? 'data-sinks' : 'destinations');

const dataSourceOf = (topic: string, messageSchema: string, headers: JsonObject, messageHeaders: JsonObject): DataSource => ({
  topic,
  messageSchema,
  connectionOptions: {},
  headers,
  messageHeaders,
  subscriptions: {},
});

/** The processor with its destination, not yet connected to its source. */
const destinationOf = (processor: TemplateProcessor, egress: Egress, input: ResolveInput): DataSource => {
  const { outputSchema } = processor.processorDeclaration;
  const topic = `persistent://${input.deployment}/${topicKind(egress)}/${input.random.uuid()}`;
  return dataSourceOf(topic, outputSchema, processor.destinationTopicHeaders, {
    ...processor.destinationTopicMessageHeaders,
    tags: egress.tags,
    streamId: input.streamId,
    groupId: input.groupId,
    schema: outputSchema,
    processorId: processor.id,
  });
};

const subscribe = (
  { id, sourceSubscriptionHeaders }: TemplateProcessor,
  from: DataSource,
  random: ResolveInput['random'],
): ProcessorSource => {
  const subscription = `${id}-${random.characters(5)}`;
  from.subscriptions[subscription] = sourceSubscriptionHeaders;
  const { topic, messageSchema } = from;
  return { subscription, topic, messageSchema, connectionOptions: {}, headers: sourceSubscriptionHeaders };
};

/** Pins a user's own processor to its version: the stream keeps it even if newer versions are declared. */
const chainDeclarationId = ({ id, revision }: ProcessorDeclaration): string => (declarationOf(id) ? id : `${id}@${revision}`);

type ModeOf = (processor: TemplateProcessor) => ChainLink['mode'];

/** Redaction is live behind a live processor, so that live results are redacted too. */
const modesIn =
  (processors: readonly TemplateProcessor[], modeOf: ResolveInput['modeOf']): ModeOf =>
  ({ processorDeclaration: { id }, previousProcessorId }) => {
    const before = processors.find((one) => one.id === previousProcessorId);
    return id === REDACTION && before ? modeOf(before.processorDeclaration.id) : modeOf(id);
  };

const linkOf = (processor: TemplateProcessor, inputSchema: string, modeOf: ModeOf): ChainLink => {
  const { operationType, outputSchema } = processor.processorDeclaration;
  const declarationId = chainDeclarationId(processor.processorDeclaration);
  const { id: processorId, previousProcessorId } = processor;
  return {
    processorId,
    declarationId,
    operationType,
    previousProcessorId,
    inputSchema,
    outputSchema,
    mode: modeOf(processor),
  };
};

/**
 * The configuration of one stream made from a template: topics, subscriptions, sinks and tags. Throws HTTP_STREAM_CONFIGURATION_ERROR above `maxBytes`.
 */
export const resolveConfiguration = (input: ResolveInput): { configuration: StreamConfiguration; chain: ChainLink[] } => {
  const { template, streamId, random, replica } = input;
  checkConfigurationSize(template, input.maxBytes);
  const read = new Set(template.processors.map(({ previousProcessorId }) => previousProcessorId));
  const topic = dataSourceTopic(input.deployment, input.dataSourceId ?? random.uuid());
  const dataSource = dataSourceOf(topic, template.dataSourceSchema, {}, {});
  const unredacted = stagesBeforeRedaction(template);
  const egress = new Map(
    template.processors.map((processor) => [
      processor.id,
      egressOf(processor, !read.has(processor.id), unredacted.has(processor.id), input.persist),
    ]),
  );
  const destinations = new Map<string | null, DataSource>([[null, dataSource]]);
  for (const processor of template.processors) {
    destinations.set(processor.id, destinationOf(processor, known(egress, processor.id), input));
  }
  const chain: ChainLink[] = [];
  const modeOf = modesIn(template.processors, input.modeOf);
  const processors = template.processors.map((processor): StreamProcessor => {
    const from = known(destinations, processor.previousProcessorId);
    chain.push(linkOf(processor, from.messageSchema, modeOf));
    const { clusterDomainNameTemplate, podsDiscoveryClusterDomainName } = processor.processorDeclaration;
    return {
      id: processor.id,
      source: subscribe(processor, from, random),
      destination: known(destinations, processor.id),
      clusterDomainName: clusterDomainNameTemplate?.replace(/\$\{REPLICA\}/g, () => replica) ?? null,
      podsDiscoveryClusterDomainName,
      propertiesSchema: processor.propertiesSchema,
      properties: processor.properties,
      egress: known(egress, processor.id),
    };
  });
  const configuration: StreamConfiguration = {
    streamConfigurationTemplateId: template.id,
    dataSource,
    dataSinks: Object.fromEntries(processors.filter((processor) => processor.egress.sink).map(({ id, destination }) => [id, destination])),
    processors,
    dynamicWebhookEndpoints: input.webhooks.map((webhook) => dynamicEndpoint(streamId, webhook)),
  };
  return { configuration, chain };
};

const known = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value => {
  const value = map.get(key);
  if (value === undefined) throw new Error(`the template names no processor ${String(key)}`);
  return value;
};
