import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import type { Json } from '../../../../src/json.ts';
import { CallerSchemas } from '../../../../src/processors/schemas/callerSchemas.ts';
import { CpuAllowance } from '../../../../src/processors/schemas/cpuAllowance.ts';
import { ManualClock } from '../../../manualClock.ts';

const schemas = new CallerSchemas({ clock: systemClock });
afterAll(() => schemas.close());

let users = 0;
/** Of a user who has used no CPU yet. */
const budget = (milliseconds?: number) => schemas.budget(`user ${++users}`, milliseconds === undefined ? {} : { milliseconds });

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
    expect(await schemas.compile(schema, budget())).toEqual({ is: 'usable' });
    expect(await schemas.validate(schema, { day: 'Monday' }, budget())).toEqual({ is: 'fits' });
    expect(await schemas.validate(schema, { day: 'Sunday', more: 1 }, budget())).toEqual({
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
      expect(await schemas.compile(schema, budget())).toMatchObject({ is: 'unusable', reason: expect.stringMatching(/./) });
      expect(await schemas.validate(schema, {}, budget())).toMatchObject({ is: 'unusable' });
    },
  );

  test('ignore $async', async () => {
    expect(await schemas.validate({ $async: true, type: 'number' }, 'text', budget())).toMatchObject({ is: 'misfit' });
  });

  test('are written as text once for all values of a run', async () => {
    let written = 0;
    const toJSON = () => {
      written += 1;
      return { type: 'number' };
    };
    const schema = { toJSON } as unknown as Json;
    for (const value of [1, 2, 3]) expect(await schemas.validate(schema, value, budget())).toEqual({ is: 'fits' });
    expect(await schemas.validate(schema, 'text', budget())).toMatchObject({ is: 'misfit' });
    expect(written).toBe(1);
  });

  test('match a nested quantifier in linear time', async () => {
    expect(await schemas.validate({ pattern: '^(a+)+$' }, LONG.repeat(1_000), budget())).toMatchObject({ is: 'misfit' });
    expect(await schemas.validate({ pattern: '^\\p{Lu}\\d{2}$' }, 'Ä42', budget())).toEqual({ is: 'fits' });
  });

  test('stop a check that uses too much CPU, and serve the next one', async () => {
    const spent = budget();
    expect(await schemas.validate(DOUBLING, {}, spent)).toMatchObject({ is: 'costly', reason: expect.stringContaining('simplify') });
    expect(spent.left).toBeLessThan(1_000);
    expect(await schemas.validate(BACKTRACKING, LONG, budget())).toMatchObject({ is: 'costly' });
    expect(await schemas.validate({ type: 'string' }, 'text', budget())).toEqual({ is: 'fits' });
  });

  test('stop a check that uses too much memory, and serve the next one', async () => {
    const bomb = { items: { not: {} } };
    const verdict = await schemas.validate(bomb, Array<number>(3_000_000).fill(1), budget());
    expect(verdict).toMatchObject({ is: 'costly' });
    expect(await schemas.validate({ type: 'string' }, 'text', budget())).toEqual({ is: 'fits' });
  });

  test('refuse further work when the budget of the request is used up', async () => {
    const spent = budget(0);
    expect(await schemas.compile({ type: 'string', title: 'never compiled' }, spent)).toMatchObject({ is: 'costly' });
    expect(await schemas.compile({ type: 'string', title: 'never compiled' }, budget())).toEqual({ is: 'usable' });
  });

  test('throttle only the user whose CPU allowance is used up; a run waits until it is aborted', async () => {
    const strict = new CallerSchemas({ clock: systemClock, allowance: { capacity: 200, perSecond: 0.1 } });
    onTestFinished(() => strict.close());
    expect(await strict.validate(DOUBLING, {}, strict.budget('greedy'))).toMatchObject({ is: 'costly' });
    expect(await strict.validate({ type: 'string' }, 'text', strict.budget('greedy'))).toMatchObject({
      is: 'throttled',
      retryAfterSeconds: expect.any(Number),
    });
    expect(await strict.validate({ type: 'string' }, 'text', strict.budget('modest'))).toEqual({ is: 'fits' });
    const aborting = new AbortController();
    const waiting = strict.validate({ type: 'string' }, 'text', strict.budget('greedy', { signal: aborting.signal }));
    aborting.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });
});

test('compile a known schema again at no cost', async () => {
  const schema = { type: 'object', title: 'remembered' };
  await schemas.compile(schema, budget());
  expect(await schemas.compile(schema, budget(0))).toEqual({ is: 'usable' });
});

test('check a remembered value that fits again at no cost, and every other value', async () => {
  const schema = { type: 'object', required: ['tone'] };
  const remember = { remember: true };
  await schemas.validate(schema, { tone: 'low' }, budget(), remember);
  expect(await schemas.validate(schema, { tone: 'low' }, budget(0), remember)).toEqual({ is: 'fits' });
  expect(await schemas.validate(schema, { tone: 'high' }, budget(0), remember)).toMatchObject({ is: 'costly' });
  expect(await schemas.validate(schema, {}, budget(), remember)).toMatchObject({ is: 'misfit' });
  expect(await schemas.validate(schema, {}, budget(), remember)).toMatchObject({ is: 'misfit' });
});

test("refill a user's CPU allowance over time", async () => {
  const clock = new ManualClock();
  const allowance = new CpuAllowance({ capacity: 1_000, perSecond: 100 }, clock);
  expect(allowance.wait('a')).toBe(0);
  allowance.spend('a', 1_200);
  expect(allowance.wait('a')).toBe(2_010);
  expect(allowance.wait('b')).toBe(0);
  await clock.advance(2_010);
  expect(allowance.wait('a')).toBe(0);
  await clock.advance(3_600_000);
  allowance.spend('a', 1_000);
  expect(allowance.wait('a')).toBeGreaterThan(0);
});
