import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/json.ts';
import { allProjections } from '../../../src/projections/all.ts';
import { documentsAfter, recorded } from './given.ts';
import { STORY } from './story.ts';

const FIXTURES = new URL('../../fixtures/documentMembers/', import.meta.url);

const events = recorded(...STORY);

/** Names of all members, those of items of a list after `[]`. */
const membersOf = (value: Json, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(item, `${path}[]`));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const named = path === '' ? name : `${path}.${name}`;
    return [named, ...membersOf(member, named)];
  });
};

test.each(allProjections)('documents of $name have the members that their version had from its start', async (projection) => {
  const documents = [...documentsAfter(projection, events).values()];
  expect(documents.length, 'STORY (story.ts) has no event for this read model: add one').toBeGreaterThan(0);
  const members = [...new Set(documents.flatMap(({ body }) => membersOf(body)))].sort();
  const { name, version } = projection;
  // Vitest writes the file of a new version. Stored documents of this version lack a new member until the read model is rebuilt.
  await expect(
    `${members.join('\n')}\n`,
    `The members of the documents of ${name} have changed: raise its version in src/projections, and delete the file of version ${version}`,
  ).toMatchFileSnapshot(`../../fixtures/documentMembers/${name}-${version}.txt`);
});

test('keeps no list of members of a former version', () => {
  const current = allProjections.map(({ name, version }) => `${name}-${version}.txt`);
  const former = readdirSync(FIXTURES).filter((file) => !current.includes(file));
  expect(former, 'Delete these files of test/fixtures/documentMembers: their read models have a newer version').toEqual([]);
});
