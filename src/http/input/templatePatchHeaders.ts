import { patchesOfJson, type RequestedPatch } from '../../domain/templates/patches.ts';
import type { RequestHeader } from '../route/headers.ts';
import { headerText } from './idempotencyKey.ts';

/** Both names of the header with patches of a template. */
export const TEMPLATE_PATCH_HEADERS = ['X-Vat-Meta-Template-Patch', 'X-Template-Patch'] as const satisfies readonly RequestHeader[];

/** The patches in them, in that order. Throws STREAM_CONFIGURATION_BAD_PATCH. */
export const patchesOfHeaders = (header: (name: string) => string | undefined): RequestedPatch[] =>
  TEMPLATE_PATCH_HEADERS.flatMap((name) => {
    const text = header(name);
    return text === undefined ? [] : patchesOfJson(headerText(text));
  });
