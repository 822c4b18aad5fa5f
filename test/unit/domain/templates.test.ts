import { describe, expect, test } from 'vitest';
import { BUILTIN_TEMPLATES } from '../../../src/domain/builtinTemplates.ts';
import type { StreamConfigurationTemplate, TemplatesEvent } from '../../../src/domain/template.ts';
import { evolveTemplates, initialTemplates, visibleTemplate, visibleTemplates } from '../../../src/domain/templates.ts';

const [ping] = BUILTIN_TEMPLATES;
if (!ping) throw new Error('no template');

const saved = (template: StreamConfigurationTemplate): TemplatesEvent => ({ type: 'TemplateSaved', data: { template, baseVersion: null } });
const fold = (whose: 'builtin' | 'user', ...events: TemplatesEvent[]) =>
  events.reduce((state, event, n) => evolveTemplates(state, event, `2026-01-01T00:00:0${n}.000Z`), initialTemplates(whose));
const builtin = fold('builtin');

describe('what a user sees of the templates', () => {
  test('all that the platform ships, by id', () => {
    const ids = visibleTemplates({ own: fold('user'), builtin }).map(({ id }) => id);
    expect(ids).toEqual(BUILTIN_TEMPLATES.map(({ id }) => id).sort());
  });

  test('own ones newest first, before them', () => {
    const own = fold('user', saved({ ...ping, id: 'old' }), saved({ ...ping, id: 'new' }));
    expect(
      visibleTemplates({ own, builtin })
        .slice(0, 2)
        .map(({ id }) => id),
    ).toEqual(['new', 'old']);
  });

  test('an overlay instead of the built-in one, until it is deleted', () => {
    const overlay = saved({ ...ping, name: 'mine' });
    const own = fold('user', overlay);
    expect(visibleTemplate({ own, builtin }, ping.id)).toMatchObject({ layer: 'user', template: { name: 'mine' } });
    const deleted = fold('user', overlay, { type: 'TemplateDeleted', data: { templateId: ping.id } });
    expect(visibleTemplate({ own: deleted, builtin }, ping.id)).toMatchObject({ layer: 'builtin', template: { name: 'Ping' } });
  });

  test('every version, and none that never was', () => {
    const own = fold('user', saved({ ...ping, version: 1, name: 'one' }), saved({ ...ping, version: 2, name: 'two' }));
    expect(visibleTemplate({ own, builtin }, ping.id, 1)?.template.name).toBe('one');
    expect(visibleTemplate({ own, builtin }, ping.id)?.template.name).toBe('two');
    expect(visibleTemplate({ own, builtin }, ping.id, 3)).toBeNull();
    expect(visibleTemplate({ own, builtin }, '__proto__')).toBeNull();
  });

  test("what an admin changed of the platform's own", () => {
    const changed = fold('builtin', saved({ ...ping, version: 2, name: 'Pong' }));
    expect(visibleTemplate({ own: fold('user'), builtin: changed }, ping.id)?.template.name).toBe('Pong');
    expect(visibleTemplate({ own: fold('user'), builtin: changed }, ping.id, 1)?.template.name).toBe('Ping');
  });
});
