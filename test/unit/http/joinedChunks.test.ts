import { expect, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { chunked, DENSE_READ, LAST_CHUNK, lengthOf, openRaw, takingServer } from './rawConnection.ts';

test('a body of 100,000 chunks of one byte arrives whole, in a few pieces', async () => {
  const { server, bodies } = await takingServer();
  const { text } = await openRaw(server, chunked('/taken') + DENSE_READ.repeat(10) + LAST_CHUNK);
  await eventually(() => expect(text()).toMatch(/\r\n\r\n100000$/));
  expect(bodies[0]?.length).toBeLessThan(1_000);
});

test('small and large chunks of a body arrive in their order', async () => {
  const { server, bodies } = await takingServer();
  const large = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const { text } = await openRaw(server, `${chunked('/taken')}3\r\nabc\r\n2\r\nde\r\n${large}1\r\nf\r\n${LAST_CHUNK}`);
  await eventually(() => expect(text()).toMatch(/\r\n\r\n65542$/));
  expect(Buffer.concat(bodies[0] ?? []).toString()).toBe(`abcde${'x'.repeat(65_536)}f`);
});

test('requests behind a chunked body are answered, in their order', async () => {
  const { server, bodies } = await takingServer();
  const sent = ['3\r\nabc\r\n', '2\r\nab\r\n', '1\r\na\r\n'];
  const { text } = await openRaw(server, sent.map((body) => chunked('/taken') + body + LAST_CHUNK).join(''));
  await eventually(() => expect(text().match(/HTTP\/1.1 200/g)).toHaveLength(3));
  expect(bodies.map(lengthOf)).toEqual([3, 2, 1]);
});

test('a chunked body of a request that was answered before is read to its end, so that the next request is answered', async () => {
  const { server } = await takingServer();
  const { socket, text } = await openRaw(server, chunked('/answered'));
  await eventually(() => text() !== '');
  socket.write(`${DENSE_READ.repeat(10)}${LAST_CHUNK}${chunked('/taken')}3\r\nabc\r\n${LAST_CHUNK}`);
  await eventually(() => expect(text()).toMatch(/\r\n\r\n3$/));
});
