/**
 * Former names of message and properties schemas, replaced by the public ones. Stored events and frames keep the former
 * names and are upcast on reading. Webhook bodies of streams from that time keep them too.
 */
import type { JsonObject } from '../json.ts';
import { MESSAGE_SCHEMAS } from './stream/messages.ts';
import type { ChainLink, DataSource, StreamConfiguration } from './stream/streamConfiguration.ts';
import { PROPERTIES_SCHEMAS } from './templates/propertiesSchemas.ts';
import type { StreamConfigurationTemplate, TemplateProcessor } from './templates/template.ts';

const MESSAGES: Readonly<Record<string, string>> = {
  'tributary.messages.v1.Transcription': MESSAGE_SCHEMAS.transcription,
  'tributary.messages.v1.Diarization': MESSAGE_SCHEMAS.diarization,
  'tributary.messages.v1.Llm': MESSAGE_SCHEMAS.llm,
};

const PROPERTIES: Readonly<Record<string, string>> = {
  'tributary.processors.v1.EchoProperties': PROPERTIES_SCHEMAS.none,
  'tributary.processors.v1.BatchTranscriberProperties': PROPERTIES_SCHEMAS.batchTranscriber,
  'tributary.processors.v1.RomanianTranscriberProperties': PROPERTIES_SCHEMAS.batchTranscriber,
  'tributary.processors.v1.RealtimeTranscriberProperties': PROPERTIES_SCHEMAS.liveTranscriber,
  'tributary.processors.v1.SpeakerDiarizationProperties': PROPERTIES_SCHEMAS.diarization,
  'tributary.processors.v1.LlmProperties': PROPERTIES_SCHEMAS.llm,
};

const FORMER_MESSAGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(MESSAGES).map(([former, name]) => [name, former]),
);

const nameIn = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name;

/** The public name of a message schema. Frames of earlier versions may hold the former one. */
export const publicMessageSchema = (name: string): string => nameIn(MESSAGES, name);

const publicPropertiesSchema = (name: string): string => nameIn(PROPERTIES, name);

/** `propertiesSchema` of each processor by id, as in version 1 of `StreamCreated`. */
export type FormerPropertiesSchemas = Readonly<Record<string, string>>;

interface Renaming {
  message(name: string): string;
  properties(name: string, processorId: string): string;
}

const renameTopic = <T extends { messageSchema: string }>(topic: T, { message }: Renaming): T => ({
  ...topic,
  messageSchema: message(topic.messageSchema),
});

const renameSink = (sink: DataSource, renaming: Renaming): DataSource => {
  const { messageHeaders } = sink;
  const schema = messageHeaders.schema;
  const headers = typeof schema === 'string' ? { ...messageHeaders, schema: renaming.message(schema) } : messageHeaders;
  return { ...renameTopic(sink, renaming), messageHeaders: headers };
};

const rename = (configuration: StreamConfiguration, renaming: Renaming): StreamConfiguration => ({
  ...configuration,
  dataSource: renameSink(configuration.dataSource, renaming),
  dataSinks: Object.fromEntries(Object.entries(configuration.dataSinks).map(([id, sink]) => [id, renameSink(sink, renaming)])),
  processors: configuration.processors.map((processor) => ({
    ...processor,
    source: renameTopic(processor.source, renaming),
    destination: renameSink(processor.destination, renaming),
    propertiesSchema: renaming.properties(processor.propertiesSchema, processor.id),
  })),
});

/** A configuration as it was before the public names. */
export const withFormerNames = (configuration: StreamConfiguration, properties: FormerPropertiesSchemas): StreamConfiguration =>
  rename(configuration, {
    message: (name) => nameIn(FORMER_MESSAGES, name),
    properties: (name, processorId) => nameIn(properties, processorId) || name,
  });

/** Upcasts `StreamCreated` from version 1 to 2: public names. Keeps the processors' former names for webhook bodies. */
export const upcastStreamCreated = (data: JsonObject): JsonObject => {
  // Safe cast: the event was checked against its schema when it was appended.
  const { configuration, chain } = data as unknown as { configuration: StreamConfiguration; chain: ChainLink[] };
  const upcast = {
    ...data,
    configuration: rename(configuration, { message: publicMessageSchema, properties: publicPropertiesSchema }),
    chain: chain.map((link) => ({
      ...link,
      inputSchema: publicMessageSchema(link.inputSchema),
      outputSchema: publicMessageSchema(link.outputSchema),
    })),
    formerPropertiesSchemas: Object.fromEntries(configuration.processors.map(({ id, propertiesSchema }) => [id, propertiesSchema])),
  };
  return upcast as unknown as JsonObject;
};

const renamedTemplateProcessor = (processor: TemplateProcessor): TemplateProcessor => {
  const { processorDeclaration: declaration } = processor;
  return {
    ...processor,
    propertiesSchema: publicPropertiesSchema(processor.propertiesSchema),
    processorDeclaration: {
      ...declaration,
      propertiesSchema: publicPropertiesSchema(declaration.propertiesSchema),
      inputSchemas: declaration.inputSchemas.map(publicMessageSchema),
      outputSchema: publicMessageSchema(declaration.outputSchema),
    },
  };
};

/** Upcasts `TemplateSaved` from version 1 to 2: public names. */
export const upcastTemplateSaved = (data: JsonObject): JsonObject => {
  // Safe cast: the event was checked against its schema when it was appended.
  const { template } = data as unknown as { template: StreamConfigurationTemplate };
  return { ...data, template: { ...template, processors: template.processors.map(renamedTemplateProcessor) } } as unknown as JsonObject;
};
