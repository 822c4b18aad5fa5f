import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import type { Json } from '../../../../src/json.ts';
import { CallerSchemas } from '../../../../src/processors/schemas/callerSchemas.ts';

const schemas = new CallerSchemas({ clock: systemClock });
/** For checks that end only with their time limit. */
const hasty = new CallerSchemas({ clock: systemClock, limits: { schemaTimeoutMs: 250 } });
afterAll(() => Promise.all([schemas.close(), hasty.close()]));
const OWNER = 'owner';

/** Applying it takes two to the power of 40 steps. */
const DOUBLING: Json = {
  $ref: '#/$defs/l0',
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`l${n}`, { allOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] }]),
    ),
    l40: {},
  },
};
/** Only a backtracking engine knows look-ahead. */
const BACKTRACKING: Json = { type: 'string', pattern: '^(?=a)(a+)+$' };
const LONG = `${'a'.repeat(60)}!`;

describe("callers' schemas", () => {
  test('report whether a value matches, and where it does not', async () => {
    const schema = { type: 'object', required: ['day'], properties: { day: { enum: ['Monday'] } }, additionalProperties: false };
    expect(await schemas.compile(schema, OWNER)).toEqual({ is: 'usable' });
    expect(await schemas.validate(schema, { day: 'Monday' }, OWNER)).toEqual({ is: 'fits' });
    expect(await schemas.validate(schema, { day: 'Sunday', more: 1 }, OWNER)).toEqual({
      is: 'misfit',
      findings: expect.arrayContaining([
        { path: '/more', message: 'is not a member of the schema' },
        { path: '/day', message: 'must be equal to one of the allowed values' },
      ]),
    });
  });

  test.each<Json>([7, { type: 'nonsense' }, { $ref: '#/nowhere' }, { $ref: 'http://127.0.0.1/x' }, { pattern: '(' }])(
    'refuses %j as unusable, with a reason',
    async (schema) => {
      expect(await schemas.compile(schema, OWNER)).toMatchObject({ is: 'unusable', reason: expect.stringMatching(/./) });
      expect(await schemas.validate(schema, {}, OWNER)).toMatchObject({ is: 'unusable' });
    },
  );

  test('ignore $async', async () => {
    expect(await schemas.validate({ $async: true, type: 'number' }, 'text', OWNER)).toMatchObject({ is: 'misfit' });
  });

  test('are written as text once for all values of a run', async () => {
    let written = 0;
    const toJSON = () => {
      written += 1;
      return { type: 'number' };
    };
    const schema = { toJSON } as unknown as Json;
    for (const value of [1, 2, 3]) expect(await schemas.validate(schema, value, OWNER)).toEqual({ is: 'fits' });
    expect(await schemas.validate(schema, 'text', OWNER)).toMatchObject({ is: 'misfit' });
    expect(written).toBe(1);
  });

  test('match a nested quantifier in linear time', async () => {
    expect(await schemas.validate({ pattern: '^(a+)+$' }, LONG.repeat(1_000), OWNER)).toMatchObject({ is: 'misfit' });
    expect(await schemas.validate({ pattern: '^\\p{Lu}\\d{2}$' }, 'Ä42', OWNER)).toEqual({ is: 'fits' });
  });

  test('stop a check that takes longer than SCHEMA_TIMEOUT_MS, and serve the next one', async () => {
    const costly = { is: 'costly', reason: expect.stringContaining('simplify') };
    expect(await hasty.validate(DOUBLING, {}, OWNER)).toMatchObject(costly);
    expect(await hasty.validate(BACKTRACKING, LONG, OWNER)).toMatchObject(costly);
    expect(await hasty.validate({ type: 'string' }, 'text', OWNER)).toEqual({ is: 'fits' });
  });

  test('of a user wait for one another, and not for those of other users', async () => {
    const slow = [1, 2].map(() => hasty.validate(DOUBLING, {}, 'slow'));
    const behind = hasty.validate({ type: 'string' }, 'text', 'slow');
    const other = hasty.validate({ type: 'string' }, 'text', 'other');
    expect(await Promise.race([behind.then(() => 'behind'), other.then(() => 'other')])).toBe('other');
    await Promise.all([...slow, behind]);
  });

  test('are not checked for a run that was aborted while it waited', async () => {
    const aborting = new AbortController();
    const before = schemas.validate({ type: 'string' }, 'text', OWNER);
    const waiting = schemas.validate({ type: 'string' }, 'text', OWNER, { signal: aborting.signal });
    aborting.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(await before).toEqual({ is: 'fits' });
  });

  test('stop a check that uses too much memory, and serve the next one', async () => {
    const bomb = { items: { not: {} } };
    const verdict = await schemas.validate(bomb, Array<number>(3_000_000).fill(1), OWNER);
    expect(verdict).toMatchObject({ is: 'costly' });
    expect(await schemas.validate({ type: 'string' }, 'text', OWNER)).toEqual({ is: 'fits' });
  });
});

describe('what is known', () => {
  /** Resolves with the first of both: a check of the same user, or a call that need not wait for it. */
  const whileBusy = (call: () => Promise<unknown>) => Promise.race([hasty.validate(DOUBLING, {}, OWNER), call()]);

  test('is not compiled again', async () => {
    const schema = { type: 'object', title: 'remembered' };
    await hasty.compile(schema, OWNER);
    expect(await whileBusy(() => hasty.compile(schema, OWNER))).toEqual({ is: 'usable' });
    expect(await whileBusy(() => hasty.compile({ ...schema, title: 'new' }, OWNER))).toMatchObject({ is: 'costly' });
  });

  test('to fit is not checked again; any other value is', async () => {
    const schema = { type: 'object', required: ['tone'] };
    const remember = { remember: true };
    await hasty.validate(schema, { tone: 'low' }, OWNER, remember);
    expect(await hasty.validate(schema, {}, OWNER, remember)).toMatchObject({ is: 'misfit' });
    expect(await whileBusy(() => hasty.validate(schema, { tone: 'low' }, OWNER, remember))).toEqual({ is: 'fits' });
    expect(await whileBusy(() => hasty.validate(schema, {}, OWNER, remember))).toMatchObject({ is: 'costly' });
  });
});
