import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../src/domain/problem.ts';
import { checkAliases } from '../../../src/domain/templates/aliases.ts';
import { BUILTIN_TEMPLATES } from '../../../src/domain/templates/builtinTemplates.ts';
import {
  patchesOfJson,
  patchesOfMap,
  patchOfText,
  patchOfValues,
  pathSegments,
  type RequestedPatch,
} from '../../../src/domain/templates/patches.ts';
import { patchedTemplate } from '../../../src/domain/templates/patchTemplate.ts';
import type { StreamConfigurationTemplate } from '../../../src/domain/templates/template.ts';
import type { Json, JsonObject } from '../../../src/json.ts';

const templateNamed = (name: string): StreamConfigurationTemplate => {
  const template = BUILTIN_TEMPLATES.find((candidate) => candidate.name === name);
  if (!template) throw new Error(name);
  return template;
};
const speech = templateNamed('Pre-recorded transcription');
const text = templateNamed('Text intelligence');

const propertiesAfter = (patches: readonly RequestedPatch[], template = speech): Record<string, JsonObject> =>
  Object.fromEntries(patchedTemplate(template, patches).processors.map(({ id, properties }) => [id, properties]));

const refusal = (attempt: () => unknown): string[] => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Problem) return [error.internalErrorName, error.message];
    throw error;
  }
  return [];
};

const patched = (path: string, value: Json): RequestedPatch => ({ op: 'replace', path, value, coerce: false });

describe('paths', () => {
  test('of any length are split into 34 segments at most', () => {
    expect(['a/'.repeat(100_000), 'a.'.repeat(100_000)].map((path) => pathSegments(path).length)).toEqual([34, 34]);
  });

  test.each([
    '/processors/transcriber/properties/vad',
    'processors/transcriber/properties/vad',
    'processors.transcriber.properties.vad',
    'processors/0/properties/vad',
    'vad',
    '/vad',
  ])('%s leads to the same place', (path) => {
    expect(propertiesAfter([patched(path, false)]).transcriber?.vad).toBe(false);
  });

  test('splits at dots only without slashes, and decodes escapes', () => {
    expect(pathSegments('/a.b/c~1d~0e')).toEqual(['a.b', 'c/d~e']);
    expect(pathSegments('a.b.c')).toEqual(['a', 'b', 'c']);
    expect(pathSegments('/~01')).toEqual(['~1']);
  });

  test.each([
    ['langs', '/langs'],
    ['/langs', '/langs'],
    ['a.b.c', '/a/b/c'],
    ['a/b/c', '/a/b/c'],
    ['processors/llm/name', '/processors/llm/name'],
    ['processors/llm/properties', '/processors/llm/properties'],
    ['processors/9/properties/x', '/processors/9/properties/x'],
    ['processors/-/properties/x', '/processors/-/properties/x'],
    ['patchAliases/language', '/patchAliases/language'],
    ['processors/llm/properties/__proto__/polluted', '/processors/llm/properties/__proto__/polluted'],
    ['processors/llm/properties/constructor/prototype/x', '/processors/llm/properties/constructor/prototype/x'],
    ['processors/transcriber/properties/vad/deeper', '/processors/transcriber/properties/vad/deeper'],
    ['__proto__', '/__proto__'],
    ['toString', '/toString'],
    ['', '/'],
  ])('%s is refused as Forbidden patch: %s', (path, shown) => {
    expect(refusal(() => propertiesAfter([patched(path, 'x')]))).toEqual(['STREAM_CONFIGURATION_BAD_PATCH', `Forbidden patch: ${shown}`]);
  });
});

describe('a patch', () => {
  const [echo] = templateNamed('Ping').processors;
  if (!echo) throw new Error('no processor');
  /** Fifty processors that all declare the same alias for a list. */
  const manyNamed = (alias: string, path: string): StreamConfigurationTemplate => {
    const declaration = { ...echo.processorDeclaration, id: 'mine', propertiesJsonSchema: { additionalProperties: { items: {} } } };
    const named = { ...echo, processorDeclaration: declaration, patchAliases: { [alias]: path } };
    return { ...templateNamed('Ping'), processors: Array.from({ length: 50 }, (_, n) => ({ ...named, id: `p${n}` })) };
  };
  const TOO_MUCH = [
    ['STREAM_CONFIGURATION_BAD_PATCH', 'The patches write more than 1 MiB into the processors together. Use fewer or smaller ones.'],
  ];

  test('that writes to many processors counts for each of them, with its path: 1 MiB together', () => {
    const named = manyNamed('all', 'properties/list');
    const list = (items: number) => patched('all', Array<number>(items).fill(1));
    expect(patchedTemplate(named, [list(1_000)]).processors).toHaveLength(50);
    const refused = [[list(20_000)], [patched('all', 'x'.repeat(100_000))], Array<RequestedPatch>(1_000).fill(list(20))];
    expect(refused.map((patches) => refusal(() => patchedTemplate(named, patches)))).toEqual(refused.flatMap(() => TOO_MUCH));
  });

  test('replaces a missing member together with its parents', () => {
    expect(propertiesAfter([patched('ask1Format', '{}')]).llm?.askAnything).toEqual({ 1: { responseFormat: { specification: '{}' } } });
  });

  test('removes a member, and is refused if it is missing', () => {
    expect(propertiesAfter([patchOfText('vad', '-')]).transcriber).toEqual({ noSpeechThreshold: 0.5, splitStereo: false });
    expect(refusal(() => propertiesAfter([patchOfText('language', '-')]))).toEqual([
      'STREAM_CONFIGURATION_BAD_PATCH',
      'Forbidden patch: /language',
    ]);
  });

  test('inserts into a list with add, overwrites with replace, appends with -', () => {
    const list = patched('language', ['en', 'de']);
    const at = (op: 'add' | 'replace', index: string, value: string): RequestedPatch => ({
      ...patched(`processors/transcriber/properties/language/${index}`, value),
      op,
    });
    const language = (...patches: RequestedPatch[]) => propertiesAfter([list, ...patches]).transcriber?.language;
    expect(language(at('add', '0', 'ro'))).toEqual(['ro', 'en', 'de']);
    expect(language(at('replace', '0', 'ro'))).toEqual(['ro', 'de']);
    expect(language(at('add', '-', 'ro'))).toEqual(['en', 'de', 'ro']);
    expect(refusal(() => language(at('add', '3', 'ro')))[1]).toBe('Forbidden patch: /processors/transcriber/properties/language/3');
    expect(refusal(() => language(at('add', '01', 'ro')))[0]).toBe('STREAM_CONFIGURATION_BAD_PATCH');
  });

  test('is overridden by a later one, and leaves the template unchanged', () => {
    const before = JSON.stringify(speech);
    expect(propertiesAfter([patched('vad', false), patched('vad', true)]).transcriber?.vad).toBe(true);
    expect(JSON.stringify(speech)).toBe(before);
  });

  test('that does not match the schema is PROCESSOR_PROPERTIES_VALIDATION_ERROR', () => {
    for (const patch of [
      patched('vad', 'maybe'),
      patched('noSpeechThreshold', 1.5),
      patched('summaryTone', 'angry'),
      patched('ask0Id', 'x'.repeat(65)),
      patched('processors/llm/properties/askAnything/3/content', 'x'),
      patched('processors/transcriber/properties/unknown', 1),
    ]) {
      expect(refusal(() => propertiesAfter([patch]))[0]).toBe('PROCESSOR_PROPERTIES_VALIDATION_ERROR');
    }
  });
});

describe('JSON patches', () => {
  test('may be objects, lists, or text that contains them', () => {
    const patch = { op: 'add', path: '/vad', value: true };
    const expected = { ...patch, coerce: false };
    expect(patchesOfJson(patch)).toEqual([expected]);
    expect(patchesOfJson([patch, JSON.stringify(patch), JSON.stringify([patch])])).toEqual([expected, expected, expected]);
  });

  test.each([
    [{ op: 'move', from: '/a', path: '/vad' }, '/vad'],
    [{ op: 'copy', from: '/a', path: 'a.b' }, '/a/b'],
    [{ op: 'test', path: '/vad', value: true }, '/vad'],
    [{ op: 'add', path: '/vad' }, '/vad'],
    [{ op: 'add', path: '/vad', value: { a: 1 } }, '/vad'],
    [{ op: 'add', path: '/vad', value: [[1]] }, '/vad'],
    [{ op: 'add', value: 1 }, '/'],
    [null, '/'],
    [7, '/'],
  ])('%j is refused', (item, shown) => {
    expect(refusal(() => patchesOfJson([item]))).toEqual(['STREAM_CONFIGURATION_BAD_PATCH', `Forbidden patch: ${shown}`]);
  });

  test('never have their values coerced', () => {
    expect(refusal(() => propertiesAfter(patchesOfJson({ op: 'replace', path: 'vad', value: 'true' })))[0]).toBe(
      'PROCESSOR_PROPERTIES_VALIDATION_ERROR',
    );
  });
});

describe('text values', () => {
  test('are added with +, removed with -, and escaped with a backslash', () => {
    const said = (value: string) => {
      const { op, value: meant } = patchOfText('x', value);
      return [op, meant];
    };
    expect(said('a')).toEqual(['replace', 'a']);
    expect(said('+a')).toEqual(['add', 'a']);
    expect(said('-')).toEqual(['remove', undefined]);
    expect(said('-5')).toEqual(['replace', '-5']);
    expect(said('\\+a')).toEqual(['replace', '+a']);
    expect(said('\\-')).toEqual(['replace', '-']);
    expect(said('\\n')).toEqual(['replace', '\\n']);
    expect(said('')).toEqual(['replace', '']);
  });

  test("are converted to the schema's type, or stay text", () => {
    const { transcriber, llm } = propertiesAfter([
      patchOfText('vad', 'false'),
      patchOfText('noSpeechThreshold', '0.25'),
      patchOfText('language', '12'),
      patchOfText('ask0', 'true'),
      ...patchesOfMap({ summary: 'true', sentimentAnalysis: true, etVocabulary: 'a,b' }),
    ]);
    expect(transcriber).toMatchObject({ vad: false, noSpeechThreshold: 0.25, language: '12' });
    expect(llm).toMatchObject({
      summary: { enabled: true },
      sentimentAnalysis: { enabled: true },
      askAnything: { 0: { content: 'true' } },
      enhancedTranscription: { vocabulary: 'a,b' },
    });
  });

  test('become a list for a repeated key, which allows neither + nor -', () => {
    expect(propertiesAfter([patchOfValues('language', ['en', 'ro'])]).transcriber?.language).toEqual(['en', 'ro']);
    expect(refusal(() => patchOfValues('language', ['en', '+ro']))).toEqual([
      'STREAM_CONFIGURATION_BAD_PATCH',
      'Forbidden patch: /language',
    ]);
    expect(refusal(() => patchOfValues('a.b', ['en', '-']))[1]).toBe('Forbidden patch: /a/b');
  });
});

describe('aliases', () => {
  const withAliases = (transcriber: Record<string, string>, llm: Record<string, string>, own: Record<string, string> = {}) => ({
    ...speech,
    patchAliases: own,
    processors: speech.processors.map((processor, index) => ({ ...processor, patchAliases: index === 0 ? transcriber : llm })),
  });

  test('may patch two processors', () => {
    const template = withAliases({ on: 'properties/vad' }, { on: 'properties.summary.enabled' });
    const { transcriber, llm } = propertiesAfter([patchOfText('on', 'false')], template);
    expect([transcriber?.vad, llm?.summary]).toMatchObject([false, { enabled: false }]);
  });

  test('are looked up before a key is split at dots', () => {
    const template = withAliases({ 'a.b': '/properties/vad' }, {}, { top: 'processors/llm/properties/summary/enabled' });
    expect(propertiesAfter([patchOfText('a.b', 'false')], template).transcriber?.vad).toBe(false);
    expect(propertiesAfter([patchOfText('top', 'true')], template).llm?.summary).toMatchObject({ enabled: true });
  });

  test.each([
    [{ on: 'name' }, {}],
    [{ on: 'properties/nothing/here' }, {}],
    [{ on: 'properties' }, {}],
    [{}, { on: 'processors/missing/properties/vad' }],
    [{}, { on: 'name' }],
  ] as [Record<string, string>, Record<string, string>][])('that point to nothing are refused: %j %j', (processor, own) => {
    expect(refusal(() => propertiesAfter([patched('on', true)], withAliases(processor, {}, own)))[0]).toBe(
      'STREAM_CONFIGURATION_BAD_PATCH_ALIAS',
    );
  });

  test('have a target in every built-in template', () => {
    for (const template of BUILTIN_TEMPLATES) {
      for (const { patchAliases } of template.processors) {
        for (const alias of Object.keys(patchAliases)) {
          // The value may not fit; what matters is that the place is found.
          expect(refusal(() => patchedTemplate(template, [patched(alias, null)]))[0]).toBe('PROCESSOR_PROPERTIES_VALIDATION_ERROR');
        }
      }
    }
  });
});

describe('any input', () => {
  const path = fc.oneof(
    fc.string(),
    fc
      .array(fc.oneof(fc.constantFrom('processors', '0', 'llm', 'properties', 'summary', '__proto__', 'askAnything', '-', ''), fc.string()))
      .map((parts) => parts.join('/')),
    fc.constantFrom('summary', 'ask0', 'summaryLength', 'etVocabulary'),
  );

  test('as JSON Patch is applied or refused as a patch, and never changes a prototype', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ op: fc.constantFrom('add', 'replace', 'remove', 'move'), path, value: fc.jsonValue() }), { maxLength: 5 }),
        (items) => {
          const [name] = refusal(() => patchedTemplate(text, patchesOfJson(items)));
          expect([undefined, 'STREAM_CONFIGURATION_BAD_PATCH', 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']).toContain(name);
          expect(Object.keys(Object.prototype)).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('as a map of text is applied or refused as a patch', () => {
    fc.assert(
      fc.property(fc.dictionary(path, fc.oneof(fc.string(), fc.jsonValue())), (map) => {
        const [name] = refusal(() => patchedTemplate(text, patchesOfMap(map)));
        expect([undefined, 'STREAM_CONFIGURATION_BAD_PATCH', 'PROCESSOR_PROPERTIES_VALIDATION_ERROR']).toContain(name);
      }),
      { numRuns: 500 },
    );
  });

  test('as an alias is applied or refused, and a checked one stays valid', () => {
    const name = fc.oneof(fc.constantFrom('on', 'a.b', '__proto__', 'constructor', 'toString', 'a/b', '', '~1'), fc.string());
    const relative = fc
      .array(fc.constantFrom('properties', 'summary', 'enabled', 'askAnything', '0', '3', 'name', '__proto__', 'language', '-', ''), {
        maxLength: 5,
      })
      .chain((parts) => fc.constantFrom('/', '.').map((by) => parts.join(by)));
    const absolute = fc
      .tuple(fc.constantFrom('processors/llm', 'processors.llm', 'processors/0', 'processors/9', 'x'), relative)
      .map((parts) => parts.join('/'));
    const inside = fc.constantFrom(
      'properties/summary/enabled',
      'properties.askAnything.0.content',
      '/properties/sentimentAnalysis/enabled',
    );
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.oneof(inside, relative), { maxKeys: 3 }),
        fc.dictionary(
          name,
          fc.oneof(
            inside.map((path) => `processors/llm/${path}`),
            absolute,
          ),
          { maxKeys: 2 },
        ),
        (ofProcessor, ofTemplate) => {
          const processors = text.processors.map((processor) => ({ ...processor, patchAliases: ofProcessor }));
          const template = { ...text, processors, patchAliases: ofTemplate };
          const [checked] = refusal(() => checkAliases(template));
          expect([undefined, 'STREAM_CONFIGURATION_BAD_PATCH_ALIAS']).toContain(checked);
          const allowed = [undefined, 'STREAM_CONFIGURATION_BAD_PATCH', 'PROCESSOR_PROPERTIES_VALIDATION_ERROR'];
          for (const alias of [...Object.keys(ofProcessor), ...Object.keys(ofTemplate)]) {
            const [name] = refusal(() => patchedTemplate(template, [patched(alias, true)]));
            expect(checked ? [...allowed, 'STREAM_CONFIGURATION_BAD_PATCH_ALIAS'] : allowed).toContain(name);
          }
          expect(Object.keys(Object.prototype)).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
