import { describe, expect, test } from 'vitest';
import { dynamicEndpoint, dynamicWebhooks, webhookEventOfKey, webhooksOfMap } from '../../../src/domain/stream/dynamicWebhooks.ts';

const href = async (url: string) => (URL.canParse(url) ? new URL(url).href : null);
const refused = { internalErrorName: 'WEBHOOK_CONFIGURATION_ERROR', statusCode: 400 };

describe('dynamic webhooks', () => {
  test('take their events from query keys: all, those of a resource, or one', () => {
    expect(
      ['webhook', 'webhook.stream', 'webhook.group', 'webhook.stream.completed', 'webhook.group.stream-joined'].map(webhookEventOfKey),
    ).toEqual(['*', 'stream.*', 'group.*', 'stream.completed', 'group.stream-joined']);
  });

  test.each([
    'webhook.gateway',
    'webhook.gateway.closed',
    'webhook.processor',
    'webhook.',
    'webhook.*',
    'webhook.stream.*',
    'webhook.stream.nope',
    'webhook.constructor',
  ])('the key %s is refused', (key) => {
    expect(() => webhookEventOfKey(key)).toThrow(expect.objectContaining(refused));
  });

  test.each([
    [{ 'http://a.b': [] }],
    [{ 'http://a.b': 'stream.*' }],
    [{ 'http://a.b': [5] }],
    [{ 'http://a.b': ['processor.error'] }],
    [{ 'http://a.b': ['gateway.*'] }],
  ])('the map %j is refused', (map) => {
    expect(() => webhooksOfMap(map)).toThrow(expect.objectContaining(refused));
  });

  test('are merged if two spellings name the same URL', async () => {
    const requested = [
      { url: 'https://example.com', event: 'stream.completed' },
      { url: 'https://EXAMPLE.com:443/', event: 'stream.failed' },
      { url: 'https://example.com/other', event: '*' },
    ];
    expect(await dynamicWebhooks(requested, href)).toEqual([
      { url: 'https://example.com/', events: ['stream.completed', 'stream.failed'] },
      { url: 'https://example.com/other', events: ['*'] },
    ]);
  });

  test('drop events that a wildcard covers', async () => {
    const of = async (...events: string[]) =>
      (
        await dynamicWebhooks(
          events.map((event) => ({ url: 'https://example.com', event })),
          href,
        )
      )[0]?.events;
    expect(await of('stream.ready', '*', 'group.*')).toEqual(['*']);
    expect(await of('stream.ready', 'group.created', 'stream.*', 'stream.ready')).toEqual(['group.created', 'stream.*']);
    expect(await of('stream.ready', 'stream.ready')).toEqual(['stream.ready']);
  });

  test('refuse a fourth URL, a URL that is too long, and one that the guard refuses', async () => {
    const urls = (count: number) => Array.from({ length: count }, (_, n) => ({ url: `https://example.com/${n}`, event: '*' }));
    expect(await dynamicWebhooks(urls(3), href)).toHaveLength(3);
    await expect(dynamicWebhooks(urls(4), href)).rejects.toMatchObject(refused);
    await expect(dynamicWebhooks([{ url: `https://example.com/${'x'.repeat(2048)}`, event: '*' }], href)).rejects.toMatchObject(refused);
    await expect(dynamicWebhooks([{ url: 'no url', event: '*' }], href)).rejects.toMatchObject(refused);
  });

  test('get the same endpoint id every time', () => {
    const shown = dynamicEndpoint('11111111-1111-4111-8111-111111111111', { url: 'https://example.com/', events: ['*'] });
    expect(shown).toEqual({
      id: 'd141fd27-1ce3-576c-a971-194d8dac3210',
      url: 'https://example.com/',
      events: ['*'],
      enabled: true,
      description: null,
      disabledReason: null,
      disabledTimestamp: null,
    });
  });
});
