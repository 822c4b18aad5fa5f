import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { sign } from '../../../src/delivery/send/signature.ts';

const secret = () => `whsec_${randomBytes(32).toString('base64')}`;
const verify = (by: string, headers: object, body: string) => new Webhook(by).verify(body, { ...headers });

it('is accepted by the standardwebhooks package', () => {
  const own = secret();
  const body = JSON.stringify({ type: 'stream.ready', text: 'Grüße 🎧' });
  expect(verify(own, sign('event', Date.now(), body, [own]), body)).toEqual(JSON.parse(body));
});

it('is accepted with the old and the new secret during a rotation', () => {
  const [fresh, old] = [secret(), secret()];
  const headers = sign('event', Date.now(), '{}', [fresh, old]);
  expect(() => verify(fresh, headers, '{}')).not.toThrow();
  expect(() => verify(old, headers, '{}')).not.toThrow();
  expect(() => verify(secret(), headers, '{}')).toThrow();
});

it('does not match another body, id or time', () => {
  const own = secret();
  const headers = sign('event', Date.now(), '{}', [own]);
  expect(() => verify(own, headers, '{ }')).toThrow();
  expect(() => verify(own, { ...headers, 'webhook-id': 'other' }, '{}')).toThrow();
  expect(() => verify(own, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, '{}')).toThrow();
});
