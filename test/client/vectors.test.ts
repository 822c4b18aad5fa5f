import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '#client';
import { errorOf } from '../../clients/typescript/src/error.ts';
import { queryOf } from '../../clients/typescript/src/query.ts';

// biome-ignore lint/suspicious/noExplicitAny: entries are checked by assertions
const vectors = (name: string): any[] => JSON.parse(readFileSync(`clients/vectors/${name}.json`, 'utf8'));

describe('the TypeScript client', () => {
  test.each(vectors('queries'))('asks for $title', ({ settings, query }) => {
    expect([...queryOf(settings)]).toEqual(query);
  });

  test.each(vectors('webhooks'))('judges a webhook with $title', async ({ title: _, event, ...webhook }) => {
    if (event) expect(await verifyWebhook(webhook)).toEqual(event);
    else await expect(verifyWebhook(webhook)).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  test.each(vectors('errors'))('raises $title', async ({ status, headers, body, error }) => {
    const raised = await errorOf(new Response(body, { status, headers, statusText: STATUS_CODES[status] ?? '' }));
    const retryAfter = error.retryAfter === null ? null : error.retryAfter * 1_000;
    expect({ ...raised, message: raised.message }).toEqual({ ...error, retryAfter, name: 'TributaryError' });
  });
});
