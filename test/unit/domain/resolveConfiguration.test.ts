import { describe, expect, test } from 'vitest';
import { configurationMaxBytes, type PersistRule, resolveConfiguration } from '../../../src/domain/stream/resolveConfiguration.ts';
import { BUILTIN_TEMPLATES } from '../../../src/domain/templates/builtinTemplates.ts';
import { checkProperties } from '../../../src/domain/templates/coercion.ts';
import type { StreamConfigurationTemplate } from '../../../src/domain/templates/template.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';

const speech = BUILTIN_TEMPLATES.find(({ id }) => id === '669fee048452492b62cfad39');
if (!speech) throw new Error('no such template');

const NOT_KEPT: PersistRule = { persist: false, tags: [], match: 'ANY' };

/** `saved`: the template before its patches. */
const resolve = (template: StreamConfigurationTemplate, persist = NOT_KEPT, saved = speech) => {
  let n = 0;
  return resolveConfiguration({
    template,
    maxBytes: configurationMaxBytes(saved, DEFAULT_LIMITS),
    streamId: 'S',
    groupId: 'G',
    persist,
    webhooks: [],
    modeOf: () => 'batch',
    deployment: 'tributary',
    replica: '3',
    random: { uuid: () => `uuid-${n++}`, characters: (count) => 'abcdefgh'.slice(0, count) },
  });
};

describe('the built-in templates', () => {
  test('have chains with matching schemas and valid properties', () => {
    expect(BUILTIN_TEMPLATES).toHaveLength(7);
    for (const template of BUILTIN_TEMPLATES) {
      let schema = template.dataSourceSchema;
      for (const [index, processor] of template.processors.entries()) {
        expect(processor.previousProcessorId).toBe(template.processors[index - 1]?.id ?? null);
        expect(processor.processorDeclaration.inputSchemas).toContain(schema);
        expect(processor.egress).toEqual({ persist: false, sink: true, tags: [processor.id, 'main'] });
        expect(() => checkProperties(processor)).not.toThrow();
        schema = processor.processorDeclaration.outputSchema;
      }
    }
  });
});

describe('a resolved configuration', () => {
  test('connects each processor to its source', () => {
    const { configuration, chain } = resolve(speech);
    const [transcriber, diarization, llm] = configuration.processors;
    expect(configuration.dataSource).toMatchObject({ topic: 'persistent://tributary/data-sources/uuid-0', messageSchema: 'bytes' });
    expect(configuration.dataSource.subscriptions).toEqual({ 'transcriber-abcde': {} });
    expect(transcriber?.source).toMatchObject({ subscription: 'transcriber-abcde', topic: configuration.dataSource.topic });
    expect(diarization?.source.topic).toBe(transcriber?.destination.topic);
    expect(llm?.source.topic).toBe(diarization?.destination.topic);
    expect(transcriber?.clusterDomainName).toBe('batch-transcriber-3.processors.tributary.internal');
    expect(chain.map(({ processorId, previousProcessorId, inputSchema }) => [processorId, previousProcessorId, inputSchema])).toEqual([
      ['transcriber', null, 'bytes'],
      ['diarization', 'transcriber', 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto'],
      ['llm', 'diarization', 'tech.vatis.schema.stream.processor.messages.transcription.TranscriptionResponseDto'],
    ]);
  });

  test('shows its sinks with the schema of their messages', () => {
    const { configuration } = resolve(speech);
    expect(Object.keys(configuration.dataSinks)).toEqual(['transcriber', 'diarization', 'llm']);
    expect(configuration.dataSinks.llm).toEqual(configuration.processors[2]?.destination);
    expect(configuration.dataSinks.llm).toMatchObject({
      topic: expect.stringMatching(/^persistent:\/\/tributary\/data-sinks\/uuid-/),
      messageHeaders: {
        tags: ['llm', 'main'],
        streamId: 'S',
        groupId: 'G',
        schema: 'tech.vatis.schema.stream.processor.messages.llm.LlmResponseDto',
        processorId: 'llm',
      },
    });
  });

  test.each([
    [{ persist: false, tags: [], match: 'ANY' }, []],
    [{ persist: false, tags: ['llm'], match: 'ANY' }, []],
    [{ persist: true, tags: [], match: 'ANY' }, ['transcriber', 'diarization', 'llm']],
    [{ persist: true, tags: ['llm', 'transcriber'], match: 'ANY' }, ['transcriber', 'llm']],
    [{ persist: true, tags: ['llm', 'main'], match: 'ALL' }, ['llm']],
    [{ persist: true, tags: ['llm', 'transcriber'], match: 'ALL' }, []],
    [{ persist: true, tags: ['nothing'], match: 'ANY' }, []],
  ] as [PersistRule, string[]][])('has for %j the persistent sinks %j', (rule, ids) => {
    const { processors } = resolve(speech, rule).configuration;
    expect(processors.filter(({ egress }) => egress.persist).map(({ id }) => id)).toEqual(ids);
    expect(processors.filter(({ destination }) => destination.topic.includes('/persistent-data-sinks/')).map(({ id }) => id)).toEqual(ids);
  });

  test('makes every leaf a sink with its own tag and main, and another processor only if its template says so', () => {
    const bare = {
      ...speech,
      processors: speech.processors.map((link) => ({ ...link, egress: { persist: true, sink: false, tags: [] } })),
    };
    const { processors, dataSinks } = resolve(bare).configuration;
    expect(processors.map(({ egress }) => egress)).toEqual([
      { persist: false, sink: false, tags: [] },
      { persist: false, sink: false, tags: [] },
      { persist: false, sink: true, tags: ['llm', 'main'] },
    ]);
    expect(Object.keys(dataSinks)).toEqual(['llm']);
  });

  const withText = (length: number) => ({
    ...speech,
    processors: speech.processors.map((link, n) => (n === 0 ? { ...link, properties: { text: 'x'.repeat(length) } } : link)),
  });
  const tooLarge = expect.objectContaining({ internalErrorName: 'HTTP_STREAM_CONFIGURATION_ERROR', statusCode: 400 });

  test('is refused above 64 KiB, without what the platform adds', () => {
    const { configuration } = resolve(withText(62_000));
    expect(JSON.stringify(configuration).length).toBeGreaterThan(65_536);
    expect(() => resolve(withText(65_536))).toThrow(tooLarge);
  });

  test('may be larger if its template was saved before the limit, with patches too', () => {
    const saved = withText(200_000);
    expect(resolve(saved, NOT_KEPT, saved).configuration.processors).toHaveLength(3);
    expect(resolve(withText(201_000), NOT_KEPT, saved).configuration.processors).toHaveLength(3);
    expect(() => resolve(withText(262_144), NOT_KEPT, saved)).toThrow(tooLarge);
  });
});
