import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { BUILT_IN_MESSAGES } from '../../src/processors/declared/builtInMessages.ts';

const GUIDE = readFileSync('docs/guides/processors.md', 'utf8');

test('the guide to processors has an example of every built-in message', () => {
  const ajv = new Ajv2020();
  for (const [name, schema] of Object.entries(BUILT_IN_MESSAGES)) {
    const short = name.split('.').slice(-2).join('.');
    const example = new RegExp(`^\\| \`${short}\` \\|.*\\| \`(.*)\` \\|$`, 'm').exec(GUIDE)?.[1] ?? '';
    expect([short, ajv.validate(schema, JSON.parse(example)), ajv.errors]).toEqual([short, true, null]);
  }
});
