import { describe, expect, test } from 'vitest';
import { OutdatedContent } from '../../../src/domain/outdatedContent.ts';
import { BUILTIN_TEMPLATES } from '../../../src/domain/templates/builtinTemplates.ts';
import { createTemplate, patchTemplate, replaceTemplate } from '../../../src/domain/templates/decisions.ts';
import type { TemplatesEvent } from '../../../src/domain/templates/events.ts';
import {
  builtinTemplatesDecider,
  ownTemplatesDecider,
  type VisibleTemplate,
  versionOf,
  visibleTemplate,
  visibleTemplates,
} from '../../../src/domain/templates/state.ts';
import type { StreamConfigurationTemplate } from '../../../src/domain/templates/template.ts';
import { templateContent } from '../../../src/domain/templates/templateDraft.ts';
import type { JsonObject } from '../../../src/json.ts';
import { weightOf } from '../../../src/weight.ts';

const [ping] = BUILTIN_TEMPLATES;
if (!ping) throw new Error('no template');

const saved = (template: StreamConfigurationTemplate): TemplatesEvent => ({ type: 'TemplateSaved', data: { template, baseVersion: null } });
const fold = (whose: 'builtin' | 'user', ...events: TemplatesEvent[]) => {
  const { evolve, initialState } = whose === 'builtin' ? builtinTemplatesDecider : ownTemplatesDecider;
  return events.reduce((state, event, n) => evolve(state, event, `2026-01-01T00:00:0${n}.000Z`), initialState());
};
/** Version `version` of Ping, as the user sees it. */
const where = (layers: Parameters<typeof visibleTemplate>[0], version: number) => {
  const visible = visibleTemplate(layers, ping.id);
  return visible && versionOf(layers, visible, version);
};
const builtin = fold('builtin');

describe("a user's templates", () => {
  test('contain all built-in ones, by id', () => {
    const ids = visibleTemplates({ own: fold('user'), builtin }).map(({ id }) => id);
    expect(ids).toEqual(BUILTIN_TEMPLATES.map(({ id }) => id).sort());
  });

  test('list own ones newest first, before the built-in ones', () => {
    const own = fold('user', saved({ ...ping, id: 'old' }), saved({ ...ping, id: 'new' }));
    expect(
      visibleTemplates({ own, builtin })
        .slice(0, 2)
        .map(({ id, origin }) => [id, origin]),
    ).toEqual([
      ['new', 'own'],
      ['old', 'own'],
    ]);
  });

  test('show an overlay instead of the built-in one until the overlay is deleted', () => {
    const overlay = saved({ ...ping, name: 'mine' });
    const own = fold('user', overlay);
    expect(visibleTemplate({ own, builtin }, ping.id)).toMatchObject({ layer: 'user', origin: 'copy', name: 'mine', revision: 0 });
    const deleted = fold('user', overlay, { type: 'TemplateDeleted', data: { templateId: ping.id } });
    expect(visibleTemplate({ own: deleted, builtin }, ping.id)).toMatchObject({
      layer: 'builtin',
      origin: 'built-in',
      name: 'Ping',
      revision: null,
    });
  });

  test('include every version with its place in the log, and no version that never existed', () => {
    const layers = {
      own: fold(
        'user',
        saved({ ...ping, id: 'other' }),
        saved({ ...ping, version: 1, name: 'one' }),
        saved({ ...ping, version: 2, name: 'two' }),
      ),
      builtin,
    };
    expect(where(layers, 1)).toMatchObject({ version: 1, revision: 1 });
    expect(where(layers, 2)).toMatchObject({ version: 2, revision: 2, name: 'two' });
    expect([where(layers, 3), where(layers, 0), where(layers, -1)]).toEqual([null, null, null]);
    expect(visibleTemplate(layers, '__proto__')).toBeNull();
    expect(visibleTemplate(layers, 'constructor')).toBeNull();
  });

  test('show a built-in one as an admin changed it, and as shipped', () => {
    const own = fold('user');
    const changed = {
      own,
      builtin: fold('builtin', saved({ ...ping, version: 2, name: 'Pong' }), saved({ ...ping, version: 3, name: 'Pang' })),
    };
    expect(visibleTemplate(changed, ping.id)).toMatchObject({ name: 'Pang', revision: 1 });
    expect(where(changed, 1)).toMatchObject({ version: 1, revision: null });
    expect(where(changed, 2)).toMatchObject({ version: 2, revision: 0 });
    expect(where(changed, 4)).toBeNull();
    expect(where({ own, builtin }, 2)).toBeNull();
  });

  test('show nothing of a deleted own one, whose id is never reused', () => {
    const mine = { ...ping, id: 'a-template-of-mine' };
    const kept = fold('user', saved({ ...ping, version: 1 }));
    const deleted = fold('user', saved({ ...ping, version: 1 }), saved({ ...mine, version: 1 }), {
      type: 'TemplateDeleted',
      data: { templateId: mine.id },
    });
    expect(Object.keys(deleted.templates)).toEqual(Object.keys(kept.templates));
    expect(visibleTemplate({ own: deleted, builtin }, mine.id)).toBeNull();
  });

  test('continue to count versions after an overlay was deleted', () => {
    const layers = {
      own: fold(
        'user',
        saved({ ...ping, version: 1, name: 'one' }),
        { type: 'TemplateDeleted', data: { templateId: ping.id } },
        saved({ ...ping, version: 2, name: 'two' }),
      ),
      builtin,
    };
    expect([where(layers, 1), where(layers, 2)]).toMatchObject([{ revision: 0 }, { name: 'two', revision: 2 }]);
  });
});

test('weigh little in memory, however large their contents are', () => {
  const large = { values: Array.from({ length: 10_000 }, () => ({})) };
  const heavy = { ...ping, processors: ping.processors.map((processor) => ({ ...processor, destinationTopicHeaders: large })) };
  const own = fold('user', ...Array.from({ length: 10 }, (_, n) => saved({ ...heavy, id: `t${n}`, version: 1 })));
  expect(weightOf(heavy)).toBeGreaterThan(600_000);
  expect(weightOf(own)).toBeLessThan(10_000);
});

describe('a change of a template', () => {
  const own = fold('user', saved({ ...ping, version: 1, name: 'one' }), saved({ ...ping, version: 2, name: 'two' }));
  const change = { id: ping.id, scope: 'own', ifMatch: null } as const;
  const content = { name: 'x', description: null, dataSourceSchema: 'bytes', processors: ping.processors, patchAliases: {} };
  const read = (version: number, layer: VisibleTemplate['layer'] = 'user'): VisibleTemplate => ({
    template: { ...ping, version, name: version === 1 ? 'one' : 'two' },
    layer,
    origin: layer === 'user' ? 'copy' : 'built-in',
  });

  test('is decided on the newest content', () => {
    expect(replaceTemplate({ own, builtin }, change, read(2), () => content)).toMatchObject([
      { type: 'TemplateSaved', data: { template: { version: 3, name: 'x' } } },
    ]);
    const { id: _, version, ...same } = read(2).template;
    expect(replaceTemplate({ own, builtin }, change, read(2), () => same)).toEqual([]);
    expect(version).toBe(2);
  });

  test.each([
    ['an earlier version', read(1)],
    ['the built-in one', read(2, 'builtin')],
    ['no template', null],
  ])('is not decided on the content of %s', (_, before) => {
    expect(() => replaceTemplate({ own, builtin }, change, before, () => content)).toThrow(OutdatedContent);
    expect(() => patchTemplate({ own, builtin }, change, before, () => read(2).template)).toThrow(OutdatedContent);
  });
});

describe("the limits of a user's templates", () => {
  const echo = { name: 'x', description: null, dataSourceSchema: 'bytes', processors: ping.processors, patchAliases: {} };
  const create = (own: ReturnType<typeof fold>) => createTemplate({ own, builtin }, { id: 'new', scope: 'own', ifMatch: null }, echo);

  test('allow 500, without deleted ones', () => {
    const full = Array.from({ length: 500 }, (_, n) => saved({ ...ping, id: `t${n}`, version: 1 }));
    const own = full.reduce((state, event) => ownTemplatesDecider.evolve(state, event, ''), ownTemplatesDecider.initialState());
    expect(() => create(own)).toThrow('the limit of 500 templates');
    const room = ownTemplatesDecider.evolve(own, { type: 'TemplateDeleted', data: { templateId: 't7' } }, '');
    expect(create(room)).toMatchObject([{ type: 'TemplateSaved', data: { template: { id: 'new', version: 1 } } }]);
  });

  const withHeaders = (headers: JsonObject) => ({
    ...echo,
    processors: ping.processors.map((processor) => ({ ...processor, destinationTopicHeaders: headers })),
  });
  const put = (own: ReturnType<typeof fold>, content: ReturnType<typeof withHeaders>) =>
    createTemplate({ own, builtin }, { id: 'new', scope: 'own', ifMatch: null }, content);

  test('reject a template whose small values take more memory than its JSON', () => {
    const manyObjects = (count: number) => withHeaders({ list: Array.from({ length: count }, () => ({})) });
    expect(put(fold('user'), manyObjects(10_000))).toHaveLength(1);
    expect(() => put(fold('user'), manyObjects(20_000))).toThrow('of memory. The limit is 1024 KiB');
  });

  test("reject a template whose own processors' declarations take more memory than that together", () => {
    const declaration = { id: 'mine', propertiesJsonSchema: { enum: Array.from({ length: 20_000 }, () => ({})) } };
    const [processor] = ping.processors;
    if (!processor) throw new Error('no processor');
    const own = { ...processor, processorDeclaration: { ...processor.processorDeclaration, ...declaration } };
    expect(() => put(fold('user'), { ...echo, processors: [own] })).toThrow('of memory. The limit is 1024 KiB');
  });

  test('reject a draft whose processors together copy more than that of what their declarations say', () => {
    const [processor] = ping.processors;
    if (!processor) throw new Error('no processor');
    const draftOf = (count: number, copies: { defaultProperties?: JsonObject; patchAliases?: Record<string, string> }) => {
      const declaration = { ...processor.processorDeclaration, id: 'mine', propertiesJsonSchema: { additionalProperties: {} } };
      const processors = Array.from({ length: count }, (_, n) => ({ id: `p${n}`, processorDeclarationId: 'mine' }));
      return templateContent(
        { name: 'x', processors },
        new Map([['mine', { declaration, defaultProperties: {}, patchAliases: {}, ...copies }]]),
      );
    };
    const defaultProperties = { list: Array<number>(1_000).fill(1) };
    const patchAliases = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a${n}`, `properties/${'a'.repeat(500)}`]));
    expect(draftOf(10, { defaultProperties, patchAliases: {} }).processors).toHaveLength(10);
    expect(() => draftOf(50, { defaultProperties })).toThrow('of memory. The limit is 1024 KiB');
    expect(() => draftOf(50, { patchAliases })).toThrow('of memory. The limit is 1024 KiB');
  });

  test('reject templates that take more than 32 MiB of memory together', () => {
    const large = withHeaders({ text: 'x'.repeat(250_000) });
    const full = Array.from({ length: 132 }, (_, n) => saved({ ...ping, ...large, id: `t${n}`, version: 1 }));
    const own = full.reduce((state, event) => ownTemplatesDecider.evolve(state, event, ''), ownTemplatesDecider.initialState());
    expect(create(own)).toHaveLength(1);
    expect(() => put(own, withHeaders({ list: Array.from({ length: 10_000 }, () => ({})) }))).toThrow(
      'more than 32768 KiB of memory together',
    );
  });

  test('let a user above the limit make a template smaller', () => {
    const large = withHeaders({ text: 'x'.repeat(250_000) });
    const full = Array.from({ length: 140 }, (_, n) => saved({ ...ping, ...large, id: `t${n}`, version: 1 }));
    const own = full.reduce((state, event) => ownTemplatesDecider.evolve(state, event, ''), ownTemplatesDecider.initialState());
    const before: VisibleTemplate = { template: { ...ping, ...large, id: 't7', version: 1 }, layer: 'user', origin: 'own' };
    const replaced = (length: number) =>
      replaceTemplate({ own, builtin }, { id: 't7', scope: 'own', ifMatch: null }, before, () => withHeaders({ text: 'x'.repeat(length) }));
    expect(() => replaced(250_001)).toThrow('more than 32768 KiB of memory together');
    expect(replaced(200_000)).toHaveLength(1);
  });
});
