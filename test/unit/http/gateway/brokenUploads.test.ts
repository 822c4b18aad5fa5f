import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { eventually } from '../../../eventually.ts';
import { loggedLines } from '../../../logLines.ts';
import { temporaryDirectory } from '../../../temporaryDirectory.ts';
import { startGateway } from './gatewayServer.ts';

const BOUNDARY = 'the-boundary';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n`;
const raw = { type: 'application/octet-stream', beginning: 'only a part' };
const multipart = {
  type: `multipart/form-data; boundary=${BOUNDARY}`,
  beginning: `${PART}{}\r\n${PART.replace('"a"', '"file"')}only a part`,
};

/** A stalled upload, the server's side of its connection, and every logged error. */
const begun = async ({ type, beginning } = raw) => {
  const { logger, lines } = loggedLines();
  const errors = () => lines.filter(({ level }) => level >= 50).map(({ msg }) => msg);
  const gateway = await startGateway(temporaryDirectory(), { logger, limits: { uploadIdleS: 1 } });
  const id = randomUUID();
  const outgoing = request(`${gateway.url}/http-gateway/api/v1/upload?streamConfigurationTemplateId=65f46430c6d8985974ff9c9d&id=${id}`, {
    method: 'POST',
    headers: { 'content-type': type, 'content-length': 1000 },
  });
  outgoing.on('error', () => {});
  outgoing.write(beginning);
  await eventually(async () => (await gateway.streamOf(id)) !== null);
  const failure = async (): Promise<string | null | false> => {
    const { stream } = (await gateway.streamOf(id)) ?? {};
    return stream?.state === 'FAILED' && stream.stateDescription;
  };
  return { gateway, failure, errors };
};

test.each([
  ['raw', raw],
  ['multipart', multipart],
])('fails the stream of a client that falls silent in a %s body, and logs no server error', async (_, body) => {
  const { gateway, failure, errors } = await begun(body);
  expect(await eventually(failure)).toBe('The client sent fewer than 128 bytes in 1 seconds during the upload.');
  await gateway.close();
  expect(errors()).toEqual([]);
});

test('does not blame the client for an upload that the stopping server cuts off', async () => {
  const { gateway, failure, errors } = await begun();
  await gateway.drain(0);
  expect(await failure()).toBe('The server stopped before the upload was complete.');
  expect(errors()).toEqual([]);
  await gateway.close();
});
