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
import type { JsonObject } from '../../../src/json.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';

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
    expect(replaceTemplate({ own, builtin }, change, read(2), () => content, DEFAULT_LIMITS)).toMatchObject([
      { type: 'TemplateSaved', data: { template: { version: 3, name: 'x' } } },
    ]);
    const { id: _, version, ...same } = read(2).template;
    expect(replaceTemplate({ own, builtin }, change, read(2), () => same, DEFAULT_LIMITS)).toEqual([]);
    expect(version).toBe(2);
  });

  test.each([
    ['an earlier version', read(1)],
    ['the built-in one', read(2, 'builtin')],
    ['no template', null],
  ])('is not decided on the content of %s', (_, before) => {
    expect(() => replaceTemplate({ own, builtin }, change, before, () => content, DEFAULT_LIMITS)).toThrow(OutdatedContent);
    expect(() => patchTemplate({ own, builtin }, change, before, () => read(2).template, DEFAULT_LIMITS)).toThrow(OutdatedContent);
  });
});

describe("the limits of a user's templates", () => {
  const content = (properties: JsonObject) => ({
    ...{ name: 'x', description: null, dataSourceSchema: 'bytes', patchAliases: {} },
    processors: ping.processors.map((processor) => ({ ...processor, properties })),
  });
  const add = (own: ReturnType<typeof fold>, properties: JsonObject = {}) =>
    createTemplate({ own, builtin }, { id: 'new', scope: 'own', ifMatch: null }, content(properties), DEFAULT_LIMITS);
  const badTemplate = expect.objectContaining({ statusCode: 400, internalErrorName: 'STREAM_CONFIGURATION_BAD_TEMPLATE' });
  const countReached = expect.objectContaining({ statusCode: 429, internalErrorName: 'STREAM_USAGE_LIMIT_REACHED', headers: {} });
  const many = (count: number) => fold('user', ...Array.from({ length: count }, (_, n) => saved({ ...ping, id: `t${n}`, version: 1 })));

  test('reject the 101st with 429, without deleted ones', () => {
    const own = many(100);
    expect(() => add(own)).toThrow(countReached);
    const room = ownTemplatesDecider.evolve(own, { type: 'TemplateDeleted', data: { templateId: 't7' } }, '');
    expect(add(room)).toMatchObject([{ type: 'TemplateSaved', data: { template: { id: 'new', version: 1 } } }]);
  });

  test('let a user with more of them, from before the limit, change each', () => {
    const before: VisibleTemplate = { template: { ...ping, id: 't7', version: 1 }, layer: 'user', origin: 'own' };
    const change = { id: 't7', scope: 'own', ifMatch: null } as const;
    const layers = { own: many(150), builtin };
    expect(replaceTemplate(layers, change, before, () => content({}), DEFAULT_LIMITS)).toHaveLength(1);
  });

  test('reject one of more than 64 KiB, without its declarations', () => {
    expect(add(fold('user'), { text: 'x'.repeat(64_000) })).toHaveLength(1);
    expect(() => add(fold('user'), { text: 'x'.repeat(65_536) })).toThrow(badTemplate);
    // A member of the properties is no declaration.
    expect(() => add(fold('user'), { processorDeclaration: 'x'.repeat(65_536) })).toThrow(badTemplate);
  });

  test('let a larger one from before the limit be used and made smaller', () => {
    const large = { ...ping, ...content({ text: 'x'.repeat(200_000) }), id: 't', version: 1 };
    const own = fold('user', saved(large));
    expect(visibleTemplate({ own, builtin }, 't')).toMatchObject({ name: 'x', version: 1, revision: 0 });
    const before: VisibleTemplate = { template: large, layer: 'user', origin: 'own' };
    const replaced = (length: number) =>
      replaceTemplate(
        { own, builtin },
        { id: 't', scope: 'own', ifMatch: null },
        before,
        () => content({ text: 'x'.repeat(length) }),
        DEFAULT_LIMITS,
      );
    expect(() => replaced(100_000)).toThrow(badTemplate);
    expect(replaced(10_000)).toMatchObject([{ data: { template: { version: 2 } } }]);
  });
});
