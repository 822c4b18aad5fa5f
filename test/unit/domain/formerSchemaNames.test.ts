import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BODY_VERSIONS, bodyFor } from '../../../src/delivery/send/rendering.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { isStreamEvent } from '../../../src/domain/stream/events.ts';
import { messageOf } from '../../../src/domain/stream/messageFrame.ts';
import { evolveStream } from '../../../src/domain/stream/state.ts';
import { isTemplatesEvent } from '../../../src/domain/templates/events.ts';
import type { StoredEvent } from '../../../src/stores/eventStore.ts';
import type { RecordedEvent } from '../../../src/stores/log/eventLog.ts';
import { openEventLog } from '../../../src/stores/log/openEventLog.ts';
import { MemoryEventStore } from '../../fakes/memoryEventStore.ts';
import { MemoryKeys } from '../../fakes/memoryKeys.ts';
import { ManualClock } from '../../manualClock.ts';

// Written by the version before the public names: stored events, and the bodies that it rendered from them. Never to be changed.
const FIXTURE: {
  streams: { event: Omit<StoredEvent, 'revision'> & { revision: string }; body: { before: string; after: string } }[];
  templateSaved: StoredEvent['data'];
} = JSON.parse(readFileSync(new URL('../../fixtures/schema-names-1.json', import.meta.url), 'utf8'));

const PUBLIC = 'tech.vatis.schema.stream.processor';

const log = openEventLog({
  store: new MemoryEventStore(),
  keys: new MemoryKeys(),
  schemas: EVENT_SCHEMAS,
  clock: new ManualClock(),
});

const decoded = async (event: Omit<StoredEvent, 'revision'> & { revision: string }): Promise<RecordedEvent> => {
  const [one] = await log.decode([{ ...event, revision: BigInt(event.revision) }]);
  if (!one) throw new Error('not decoded');
  return one;
};

const streamOf = (event: RecordedEvent) => {
  if (!isStreamEvent(event)) throw new Error('not a stream event');
  return evolveStream(null, event, event.metadata.time);
};

test.each(FIXTURE.streams.map(({ event, body }) => [event.eventStream, event, body] as const))(
  'reads an older %s with public names, and its webhook bodies keep their bytes',
  async (_, stored, body) => {
    const event = await decoded(stored);
    const aggregate = streamOf(event);
    const { configuration } = aggregate.stream;
    const names = [configuration.dataSource, ...Object.values(configuration.dataSinks)].map(({ messageSchema }) => messageSchema);
    names.push(...configuration.processors.flatMap(({ source, destination }) => [source.messageSchema, destination.messageSchema]));
    names.push(...aggregate.chain.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema]));
    names.push(...configuration.processors.map(({ destination }) => String(destination.messageHeaders.schema)));
    expect(names.every((name) => name === 'bytes' || name.startsWith(`${PUBLIC}.messages.`))).toBe(true);
    expect(configuration.processors.every(({ propertiesSchema }) => propertiesSchema.startsWith(`${PUBLIC}.properties.`))).toBe(true);
    // The version that rendered it first.
    const rendered = BODY_VERSIONS[1]?.(event, 'stream.ready', { kind: 'stream', stream: aggregate });
    expect(rendered && bodyFor(rendered, 'endpoint')).toBe(bodyFor(body, 'endpoint'));
  },
);

test('reads an older saved template with public names', async () => {
  const [first] = FIXTURE.streams;
  if (!first) throw new Error('no fixture');
  const event = await decoded({ ...first.event, type: 'TemplateSaved', data: FIXTURE.templateSaved });
  if (!isTemplatesEvent(event)) throw new Error('not a templates event');
  if (event.type !== 'TemplateSaved') throw new Error('not a saved template');
  const { template } = event.data;
  expect(JSON.stringify(template)).not.toMatch(/tributary\.(messages|processors)\./);
  expect(template.processors.map(({ propertiesSchema }) => propertiesSchema.slice(PUBLIC.length))).toEqual([
    '.properties.fasterwhisper.FasterWhisperProcessorPropertiesDto',
    '.properties.pyannote.PyAnnoteProcessorPropertiesDto',
    '.properties.llm.LlmPropertiesDto',
  ]);
});

test('reads a frame of an older topic with the public name of its schema', () => {
  const frame = { frameType: 'final', payloadSchema: 'tributary.messages.v1.Llm', payload: {}, headers: {} };
  expect(messageOf(Buffer.from(JSON.stringify(frame))).payloadSchema).toBe(`${PUBLIC}.messages.llm.LlmResponseDto`);
});
