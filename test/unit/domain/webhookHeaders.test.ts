import { expect, it } from 'vitest';
import { wantedHeaders } from '../../../src/domain/webhookEndpoints/headers.ts';

it('keeps the value of a header that is sent back hidden, whatever the case of its name', () => {
  expect(wantedHeaders({ 'x-token': '***', Other: 'b' }, { 'X-Token': 'abc' })).toEqual({ 'x-token': 'abc', Other: 'b' });
});

it.each([
  'Host',
  'user-agent',
  'Content-Length',
  'content-x',
  'Webhook-Id',
  'connection',
  'keep-alive',
  'Expect',
  'Upgrade',
  'TE',
  'trailer',
  'Proxy-Authorization',
  'Transfer-Encoding',
])('refuses the header %s, which the server sets', (name) =>
  expect(() => wantedHeaders({ [name]: 'a' }, {})).toThrow('is set by the server'),
);

it.each([
  ['an empty name', { '': 'a' }, 'is not a name'],
  ['a name with a space', { 'X Y': 'a' }, 'is not a name'],
  ['a name given twice', { 'X-A': 'a', 'x-a': 'b' }, 'given twice'],
  ['an empty value', { 'X-A': '' }, 'printable'],
  ['a line break', { 'X-A': 'a\r\nB: c' }, 'printable'],
  ['a letter beyond ASCII', { 'X-A': 'ä' }, 'printable'],
  ['a hidden value of a new header', { 'X-A': '***' }, 'Send its value'],
])('refuses %s', (_, headers, message) => expect(() => wantedHeaders(headers, {})).toThrow(message));
