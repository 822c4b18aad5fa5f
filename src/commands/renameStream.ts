import * as decide from '../domain/stream/decisions.ts';
import { changeOwnStream, type StreamChanged, type StreamRequest } from './changeOwnStream.ts';
import type { AppendContext, CommandDeps } from './handle.ts';

/** Renames a stream in any state, for its owner or an admin. Appends nothing if it already has this name. */
export const renameStream = (
  deps: CommandDeps,
  { name, ...request }: StreamRequest & { readonly name: string },
  context: AppendContext,
): Promise<StreamChanged> =>
  changeOwnStream(deps, { ...request, roles: ['admin'] }, (aggregate) => decide.renameStream(aggregate, name), context);
