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

interface TemplatePath {
  readonly segments: readonly string[];
  /** Index of the processor that declares it. Without one, the path names a processor. */
  readonly declaredBy?: number;
}

/** The place of a template path; `null` unless it is inside the properties of an existing processor. */
const targetOf = (template: Aliased, { segments, declaredBy }: TemplatePath): PatchTarget | null => {
  const [root, name, part, ...members] = segments;
  if (root !== 'processors' || name === undefined || part !== 'properties' || members.length === 0 || !isSafePath(segments)) return null;
  const processor = declaredBy ?? processorIndex(template, name);
  return processor >= 0 && processor < template.processors.length ? { processor, members } : null;
};

const pathOf = (processors: Aliased['processors'], declaredBy: number, path: string): TemplatePath => ({
  segments: ['processors', processors[declaredBy]?.id ?? '', ...pathSegments(path)],
  declaredBy,
});

/** Every template path of the alias; empty if nothing declares it. */
const aliasPaths = ({ processors, patchAliases: shared }: Aliased, alias: string): TemplatePath[] => {
  const own = Object.hasOwn(shared, alias) ? shared[alias] : undefined;
  const paths: TemplatePath[] = own === undefined ? [] : [{ segments: pathSegments(own) }];
  for (const [index, { patchAliases }] of processors.entries()) {
    const path = Object.hasOwn(patchAliases, alias) ? patchAliases[alias] : undefined;
    if (path !== undefined) paths.push(pathOf(processors, index, path));
  }
  return paths;
};

/** Every alias of a template and its processors. */
export const aliasesOf = ({ processors, patchAliases }: Aliased): string[] =>
  [patchAliases, ...processors.map((processor) => processor.patchAliases)].flatMap((aliases) => Object.keys(aliases));

const pointsNowhere = (alias: string, nested: readonly Problem[] = []): Problem =>
  new Problem('STREAM_CONFIGURATION_BAD_PATCH_ALIAS', `Patch alias points nowhere: ${alias.slice(0, 255)}`, { nested });

/** The place of the alias' path; `null` if its schema allows nothing there. */
const placeOf = (template: Aliased, path: TemplatePath): PatchTarget | null => {
  const target = targetOf(template, path);
  const schema = target && template.processors[target.processor]?.processorDeclaration.propertiesJsonSchema;
  return target && schema && schemaAt(schema, target.members) ? target : null;
};

const aliasTarget = (template: Aliased, alias: string, path: TemplatePath): PatchTarget => {
  const target = placeOf(template, path);
  if (!target) throw pointsNowhere(alias);
  return target;
};

const MAX_ALIAS = 255;
const MAX_NESTED = 20;

/** Throws STREAM_CONFIGURATION_BAD_PATCH_ALIAS, with one nested error per alias, for dangling aliases and invalid names. */
export const checkAliases = (template: Aliased): void => {
  const bad: string[] = [];
  const check = (alias: string, path: TemplatePath, shown: string): void => {
    const named = alias !== '' && alias.length <= MAX_ALIAS && !alias.includes('/');
    if (!named || !placeOf(template, path)) bad.push(shown);
  };
  const { processors } = template;
  for (const [alias, path] of Object.entries(template.patchAliases)) check(alias, { segments: pathSegments(path) }, alias);
  for (const [index, { id, patchAliases }] of processors.entries())
    for (const [alias, path] of Object.entries(patchAliases)) check(alias, pathOf(processors, index, path), `${id}: ${alias}`);
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
  if (aliased.length > 0) return aliased.map((one) => aliasTarget(template, alias, one));
  const target = targetOf(template, { segments: pathSegments(path) });
  return target ? [target] : [];
};
