import { Problem } from '../problem.ts';
import { uuidv5 } from '../uuidv5.ts';
import { isDynamicFilter } from '../webhookEndpoints/webhookEventTypes.ts';
import type { DynamicWebhook, WebhookEndpoint } from './streamConfiguration.ts';

/** The webhooks of one upload: query form `webhook[.RESOURCE[.STATE]]=<url>`, map form `{url: [event, ...]}`. */

const MAX_DYNAMIC_WEBHOOKS = 3;
const MAX_WEBHOOK_URL = 2_048;
/** Most spellings of one webhook (`HTTP://Host`, `http://host`), each of which costs a DNS look-up. */
const MAX_SPELLINGS = 20;

/** A URL as given, and one event or wildcard. */
export interface RequestedWebhook {
  readonly url: string;
  readonly event: string;
}

const refusal = (message: string): Problem => new Problem('WEBHOOK_CONFIGURATION_ERROR', message);

/** Whether a query key defines a webhook, valid or not. */
export const isWebhookKey = (key: string): boolean => key === 'webhook' || key.startsWith('webhook.');

/** The event of a query key: `webhook` is `*`, `webhook.stream` is `stream.*`. Any other key throws WEBHOOK_CONFIGURATION_ERROR. */
export const webhookEventOfKey = (key: string): string => {
  const name = key.slice('webhook.'.length);
  const event = key === 'webhook' ? '*' : isDynamicFilter(`${name}.*`) ? `${name}.*` : name;
  if (!isDynamicFilter(event) || name.includes('*'))
    throw refusal(`Unknown webhook parameter ${key.slice(0, 100)}. Use webhook, webhook.stream, webhook.group or one of their states.`);
  return event;
};

/** Reads the `webhook` map of a configuration part or message, which must be an object. Throws WEBHOOK_CONFIGURATION_ERROR. */
export const webhooksOfMap = (map: Readonly<Record<string, unknown>>): RequestedWebhook[] =>
  Object.entries(map).flatMap(([url, events]) => {
    if (!Array.isArray(events) || events.length === 0) throw refusal('Each webhook URL needs a list of at least one event.');
    return events.map((event: unknown) => {
      if (typeof event !== 'string' || !isDynamicFilter(event))
        throw refusal(`A dynamic webhook cannot receive ${JSON.stringify(event).slice(0, 100)}. Use stream and group events.`);
      return { url, event };
    });
  });

/** Drops events that a wildcard covers. */
const withoutCovered = (events: ReadonlySet<string>): string[] => {
  if (events.has('*')) return ['*'];
  return [...events].filter((event) => event.endsWith('.*') || !events.has(`${event.slice(0, event.indexOf('.'))}.*`));
};

/**
 * Merges requests into one webhook for each URL, in the order given, without events that a wildcard covers. `judge` returns the URL's `href`, or
 * `null` if it may not be used. Throws WEBHOOK_CONFIGURATION_ERROR for such a URL and for a fourth one.
 */
export const dynamicWebhooks = async (
  requested: readonly RequestedWebhook[],
  judge: (url: string) => Promise<string | null>,
): Promise<DynamicWebhook[]> => {
  const hrefs = new Map<string, string>();
  const events = new Map<string, Set<string>>();
  for (const { url, event } of requested) {
    if (hrefs.size >= MAX_SPELLINGS && !hrefs.has(url)) throw refusal(`At most ${MAX_DYNAMIC_WEBHOOKS} dynamic webhooks a stream.`);
    const href = hrefs.get(url) ?? (url.length <= MAX_WEBHOOK_URL ? await judge(url) : null);
    if (href === null)
      throw refusal('A webhook URL must use http or https, have at most 2048 characters, and must not point to a local address.');
    hrefs.set(url, href);
    const known = events.get(href) ?? new Set();
    events.set(href, known.add(event));
    if (events.size > MAX_DYNAMIC_WEBHOOKS) throw refusal(`A stream can have at most ${MAX_DYNAMIC_WEBHOOKS} dynamic webhooks.`);
  }
  return [...events].map(([url, set]) => ({ url, events: withoutCovered(set) }));
};

/** A dynamic webhook as shown on its stream. */
export const dynamicEndpoint = (streamId: string, { url, events }: DynamicWebhook): WebhookEndpoint => ({
  id: uuidv5(streamId, url),
  url,
  events,
  enabled: true,
  description: null,
  disabledReason: null,
  disabledTimestamp: null,
});
