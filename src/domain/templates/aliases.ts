import { Problem } from '../problem.ts';
import { schemaAt } from './coercion.ts';
import { isSafePath, pathSegments } from './patches.ts';
import type { TemplateProcessor } from './template.ts';

interface Aliased {
  readonly processors: readonly TemplateProcessor[];
  readonly patchAliases: Readonly<Record<string, string>>;
}

/** A place inside one processor's properties. */
export interface PatchTarget {
  /** Index in the template. */
  readonly processor: number;
  /** Below the processor's `properties`, at least one. */
  readonly members: readonly string[];
}

const processorIndex = (template: Aliased, name: string): number => {
  const byId = template.processors.findIndex(({ id }) => id === name);
  return byId >= 0 || !/^(0|[1-9]\d{0,5})$/.test(name) ? byId : Number(name);
};

/** The place of a template path; `null` unless it is inside the properties of an existing processor. */
const targetOf = (template: Aliased, segments: readonly string[]): PatchTarget | null => {
  const [root, name, part, ...members] = segments;
  if (root !== 'processors' || name === undefined || part !== 'properties' || members.length === 0 || !isSafePath(segments)) return null;
  const processor = processorIndex(template, name);
  return processor >= 0 && processor < template.processors.length ? { processor, members } : null;
};

/** Every template path of the alias; empty if nothing declares it. */
const aliasPaths = (template: Aliased, alias: string): string[][] => {
  const own = Object.hasOwn(template.patchAliases, alias) ? template.patchAliases[alias] : undefined;
  const paths = own === undefined ? [] : [pathSegments(own)];
  for (const { id, patchAliases } of template.processors) {
    const path = Object.hasOwn(patchAliases, alias) ? patchAliases[alias] : undefined;
    if (path !== undefined) paths.push(['processors', id, ...pathSegments(path)]);
  }
  return paths;
};

const pointsNowhere = (alias: string, nested: readonly Problem[] = []): Problem =>
  new Problem('STREAM_CONFIGURATION_BAD_PATCH_ALIAS', `Patch alias points nowhere: ${alias.slice(0, 255)}`, { nested });

/** The place of the alias' path; `null` if its schema allows nothing there. */
const placeOf = (template: Aliased, segments: readonly string[]): PatchTarget | null => {
  const target = targetOf(template, segments);
  const schema = target && template.processors[target.processor]?.processorDeclaration.propertiesJsonSchema;
  return target && schema && schemaAt(schema, target.members) ? target : null;
};

const aliasTarget = (template: Aliased, alias: string, segments: readonly string[]): PatchTarget => {
  const target = placeOf(template, segments);
  if (!target) throw pointsNowhere(alias);
  return target;
};

const MAX_ALIAS = 255;
const MAX_NESTED = 20;

/** Throws STREAM_CONFIGURATION_BAD_PATCH_ALIAS, with one nested error per alias, for dangling aliases and invalid names. */
export const checkAliases = (template: Aliased): void => {
  const bad: string[] = [];
  const check = (aliases: Readonly<Record<string, string>>, owner: readonly string[]): void => {
    for (const [alias, path] of Object.entries(aliases)) {
      const named = alias !== '' && alias.length <= MAX_ALIAS && !alias.includes('/');
      if (!named || !placeOf(template, [...owner, ...pathSegments(path)])) bad.push([...owner.slice(1), alias].join(': '));
    }
  };
  check(template.patchAliases, []);
  for (const { id, patchAliases } of template.processors) check(patchAliases, ['processors', id]);
  const [first] = bad;
  if (first !== undefined)
    throw pointsNowhere(
      first,
      bad.slice(0, MAX_NESTED).map((alias) => pointsNowhere(alias)),
    );
};

/**
 * The places of a patch's path: an alias, looked up first and as a whole, or a path. An alias that several processors declare has several places.
 * Empty if it is neither (the patch is forbidden); a dangling alias throws STREAM_CONFIGURATION_BAD_PATCH_ALIAS.
 */
export const patchTargets = (template: Aliased, path: string): readonly PatchTarget[] => {
  const alias = path.startsWith('/') ? path.slice(1) : path;
  const aliased = alias.includes('/') ? [] : aliasPaths(template, alias);
  if (aliased.length > 0) return aliased.map((segments) => aliasTarget(template, alias, segments));
  const target = targetOf(template, pathSegments(path));
  return target ? [target] : [];
};
