import { describe, expect, test } from 'vitest';
import { coerceValue, knownCase } from '../../../src/domain/templates/coercion.ts';
import type { JsonSchema } from '../../../src/json.ts';
import { operationsOf } from '../http/input/countedOperations.ts';

const FEW = 250;
const TIMES = 16;
/** Work that grows with the square of the input takes 256 times as much for 16 times the input. */
const MOST = 2 * TIMES;

const growthOf = (work: (count: number) => void): number => operationsOf(() => work(FEW * TIMES)) / operationsOf(() => work(FEW));

describe('properties for a schema of a caller take time proportional to their size', () => {
  test('when many values are looked up in a long enum', () => {
    const growth = growthOf((count) => {
      const items = { enum: Array.from({ length: count }, (_, n) => `value ${n}`) };
      knownCase()(Array(count).fill('none of them'), { type: 'array', items });
    });
    expect(growth).toBeLessThan(MOST);
  });

  test('and text for many schemas of one type is converted by one compiled schema', () => {
    const schemas = Array.from({ length: FEW }, (): JsonSchema => ({ type: ['null', 'integer'] }));
    coerceValue('1', { type: ['integer', 'null'] });
    const all = operationsOf(() => schemas.map((schema) => coerceValue('1', schema)));
    // Compiling takes some thousand operations.
    expect(all / FEW).toBeLessThan(200);
  });
});

test('values of an enum get the spelling of the schema: their own, otherwise the first one in another case', () => {
  const inKnownCase = knownCase();
  const schema = { enum: ['EN', 'en', 'Ro', 7] };
  expect(['en', 'EN', 'En', 'RO', 'fr', 7].map((value) => inKnownCase(value, schema))).toEqual(['en', 'EN', 'EN', 'Ro', 'fr', 7]);
});
