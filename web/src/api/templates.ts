import { getJson } from './request.ts';
import type { PageOf, Template } from './types.ts';
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

/** A template's name; its id if the caller cannot see it. */
export const nameOf = (templates: readonly Template[] | undefined, id: string): string =>
  templates ? (templates.find((one) => one.id === id)?.name ?? id) : '…';
