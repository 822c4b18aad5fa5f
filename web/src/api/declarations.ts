import { getJson } from './request.ts';
import type { PageOf, ProcessorDeclaration } from './types.ts';
import { useResource } from './useResource.ts';

const PATH = '/stream-configuration-service/api/v1/processor-declarations';
const PAGE = 100;

/** The processors that the caller's templates can use. */
export const useDeclarations = () => useResource({ key: 'declarations', load: allDeclarations });

const allDeclarations = async (signal: AbortSignal): Promise<readonly ProcessorDeclaration[]> => {
  const declarations: ProcessorDeclaration[] = [];
  for (let page = 0; ; page++) {
    const { content, totalPages } = await getJson<PageOf<ProcessorDeclaration>>(PATH, { query: { page, size: PAGE }, signal });
    declarations.push(...content);
    if (page + 1 >= totalPages) return declarations;
  }
};
