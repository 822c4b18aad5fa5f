import { getJson } from './request.ts';
import type { Json, PageOf, Stream, Template } from './types.ts';
import { patchHeaders } from './uploadSettings.ts';
import { useResource } from './useResource.ts';

const PATH = '/stream-configuration-service/api/v1/stream-configuration-templates';
const PAGE = 100;
// Loaded once, because many pages need the names.
const AGAIN_MILLISECONDS = 5_000;

/** All templates that the caller can use. */
export const useTemplates = () =>
  useResource({ key: 'templates', load: allTemplates, every: (templates) => (templates ? null : AGAIN_MILLISECONDS) });

const allTemplates = async (signal: AbortSignal): Promise<readonly Template[]> => {
  const templates: Template[] = [];
  for (let page = 0; ; page++) {
    const { content, totalPages } = await getJson<PageOf<Template>>(PATH, { query: { page, size: PAGE }, signal });
    templates.push(...content);
    if (page + 1 >= totalPages) return templates;
  }
};

/** The template as an upload with these patches would use it, with `runnable` for it. */
export const patchedTemplate = (id: string, patches: Readonly<Record<string, Json>>, signal: AbortSignal): Promise<Template> =>
  getJson<Template>(`${PATH}/${encodeURIComponent(id)}`, { headers: patchHeaders(patches), signal });

/** Name of a stage of a stream in its template, or its id. */
export const stageNameOf = (
  templates: readonly Template[] | undefined,
  { configuration }: Pick<Stream, 'configuration'>,
  id: string,
): string =>
  templates?.find((one) => one.id === configuration.streamConfigurationTemplateId)?.processors.find((one) => one.id === id)?.name ?? id;

/** Name of a template, or its id if the caller may not read it. */
export const nameOf = (templates: readonly Template[] | undefined, id: string): string =>
  templates ? (templates.find((one) => one.id === id)?.name ?? id) : '…';
