import { isWebhookKey, type RequestedWebhook, webhookEventOfKey } from '../../domain/stream/dynamicWebhooks.ts';
import { patchOfValues, type RequestedPatch } from '../../domain/templates/patches.ts';
import { decode } from '../../percent.ts';
import { badRequest } from '../errors/errors.ts';
import { CREDENTIAL_PARAMETERS, withoutIndex } from '../input/parameters.ts';
import type { RawQuery } from '../query/rawQuery.ts';

const EXPLICIT = 'patches.';

/** The parts of a query besides its documented parameters. */
export interface OpenQuery {
  /** In order of first appearance. */
  readonly patches: RequestedPatch[];
  readonly webhooks: RequestedWebhook[];
}

const known = (decoded: string | null): string => {
  if (decoded === null) throw badRequest('The query is not percent-encoded UTF-8.');
  return decoded;
};

/** A leading `+`, also after an escaping backslash, is a plus in both its forms; any other raw `+` is a space. */
const decodedPatchValue = (raw: string): string => known(decode(raw.replace(/^((?:\\|%5c)?)\+/i, '$1%2B')));

/**
 * Reads the patches and webhooks of a query: every parameter that is not `documented` is one of them. A parameter with the prefix
 * `patches.` is always a patch. `x[]` and `x[0]` are items of the list `x`. Throws WEBHOOK_CONFIGURATION_ERROR for an unknown webhook key, and
 * STREAM_CONFIGURATION_BAD_PATCH for a repeated key with `+` or `-`.
 */
export const openQuery = ({ pairs }: RawQuery, documented: ReadonlySet<string>): OpenQuery => {
  const values = new Map<string, string[]>();
  const lists = new Set<string>();
  const webhooks: RequestedWebhook[] = [];
  for (const { name, raw } of pairs) {
    const key = known(name);
    if (documented.has(withoutIndex(key)) || CREDENTIAL_PARAMETERS.has(key)) continue;
    if (isWebhookKey(key)) {
      webhooks.push({ url: known(decode(raw)), event: webhookEventOfKey(key) });
      continue;
    }
    const whole = withoutIndex(key);
    const path = whole.startsWith(EXPLICIT) ? whole.slice(EXPLICIT.length) : whole;
    const earlier = values.get(path);
    if (earlier) earlier.push(decodedPatchValue(raw));
    else values.set(path, [decodedPatchValue(raw)]);
    if (earlier || whole !== key) lists.add(path);
  }
  return { patches: [...values].map(([path, texts]) => patchOfValues(path, texts, lists.has(path))), webhooks };
};
