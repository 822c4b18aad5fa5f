import { compare } from 'fast-json-patch';
import { getJson, send } from '../../api/request.ts';
import type { Json, JsonObject, Template } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/useResource.ts';
import type { ChainNode } from '../../parts/chainLayout.ts';
import type { Change } from '../../parts/Differences.tsx';

const TEMPLATES = '/stream-configuration-service/api/v1/stream-configuration-templates';

export const ORIGIN_NAMES: Readonly<Record<Template['origin'], string>> = { 'built-in': 'Built-in', copy: 'Your copy', own: 'Your own' };

/** `null`: the newest version. */
export const useTemplate = (id: string, version: string | null): Resource<Template> =>
  useResource({ key: JSON.stringify([id, version]), load: (signal) => getJson<Template>(of(id), { query: { version }, signal }) });

/** The built-in template beneath a copy, or as it is shipped. */
export type Layer = 'builtin' | 'shipped';

export const useLayer = (id: string, layer: Layer): Resource<Template> =>
  useResource({ key: `${id} ${layer}`, load: (signal) => getJson<Template>(of(id), { query: { layer }, signal }) });

interface Patch {
  readonly op: 'replace';
  readonly path: string;
  readonly value: Json;
}

/** `builtin`: the built-in template itself, for everybody. Admins only. */
export type Scope = 'builtin' | undefined;

/** Keys are aliases or paths, as everywhere. */
export const patch = (id: string, patches: Readonly<Record<string, Json>>, dryRun: boolean, scope: Scope): Promise<Template> => {
  const jsonPatches = Object.entries(patches).map(([path, value]): Patch => ({ op: 'replace', path, value }));
  return send<Template>('PATCH', of(id), { query: { dryRun, scope }, body: { jsonPatches } });
};

export const save = (draft: JsonObject, scope: Scope) => send<Template>('PUT', TEMPLATES, { query: { scope }, body: draft });

/** With a scope: restores the shipped content. */
export const remove = (id: string, scope?: Scope) => send<void>('DELETE', of(id), { query: { scope } });

const of = (id: string): string => `${TEMPLATES}/${encodeURIComponent(id)}`;

/** The changes from the first to the second, without the full declarations of processors. */
export const changesBetween = (before: Template, after: Template): readonly Change[] =>
  compare(briefly(before), briefly(after)).flatMap((change) =>
    change.op === 'add' || change.op === 'replace' || change.op === 'remove'
      ? [{ op: change.op, path: change.path, ...('value' in change && { value: change.value as Json }) }]
      : [],
  );

const briefly = ({ version: _version, runnable: _runnable, ...template }: Template): object => ({
  ...template,
  processors: template.processors.map(({ processorDeclaration, ...processor }) => ({ ...processor, declaration: processorDeclaration.id })),
});

/** The boxes of its picture. */
export const chainOfTemplate = ({ dataSourceSchema, processors }: Template): readonly ChainNode[] => [
  { kind: 'source', id: 'source', after: null, title: 'Data source', line: dataSourceSchema, more: dataSourceSchema, tone: 'quiet' },
  ...processors.flatMap(({ id, processorDeclaration, previousProcessorId, egress }): ChainNode[] => {
    const { displayName, outputSchema } = processorDeclaration;
    const own: ChainNode = {
      ...{ kind: 'processor', id, after: previousProcessorId, title: id, tone: 'quiet' },
      ...{ line: displayName, more: `${id}, ${displayName}: output ${outputSchema}` },
    };
    const isLeaf = !processors.some((other) => other.previousProcessorId === id);
    if (!egress.sink && !isLeaf) return [own];
    const tags = egress.tags.length === 0 ? '' : `, tags ${egress.tags.join(', ')}`;
    return [own, { kind: 'sink', id, after: id, title: id, line: 'result', more: `Result of ${id}${tags}`, tone: 'quiet' }];
  }),
];
