import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { call, PING_TEMPLATE, streamEnd, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { CLIENT_ID, CLIENT_SECRET, startServer } from '../e2e/server.ts';
import { eventually } from '../eventually.ts';
import { Receiver } from '../receiver.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { fuzzSeconds, fuzzSeed } from './budget.ts';
import { type Known, schemathesisConfig } from './schemathesisConfig.ts';

/** In the suite: about one try of each check for each operation. */
const SECONDS = 15;

/** The server has no engine for it: refused with 503. */
const ROMANIAN_TEMPLATE = '678e26e695f8f5742e8718f4';

/** Where `.ci/run` installs it; otherwise the one on the PATH. */
const COMMANDS = [process.env.SCHEMATHESIS, resolve('.venv', 'bin', 'schemathesis'), 'schemathesis'];
const command = COMMANDS.find((one) => one && spawnSync(one, ['--version']).status === 0);
const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';

/** One of each resource of the operations. */
const furnish = async (base: string, receiver: Receiver): Promise<Known> => {
  const { body: text } = await upload(
    base,
    { streamConfigurationTemplateId: TEXT_TEMPLATE, persist: 'true', summary: 'true' },
    'All is well.',
  );
  const { body: echo } = await upload(base, { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' }, 'hello');
  await streamEnd(base, text.streamId);
  const processors = [{ id: 'echo', processorDeclarationId: 'echo' }];
  const templates = '/stream-configuration-service/api/v1/stream-configuration-templates';
  const { body: template } = await call(base, templates, { method: 'PUT', body: { name: 'Echo', processors } });
  const { body: doomedTemplate } = await call(base, templates, { method: 'PUT', body: { name: 'Doomed', processors } });
  const toEndpoint = { method: 'PUT', body: { url: receiver.url('/fuzz'), events: ['*'] } };
  const { body: endpoint } = await call(base, ENDPOINTS, toEndpoint);
  const { body: doomedEndpoint } = await call(base, ENDPOINTS, toEndpoint);
  const { body: doomed } = await upload(base, { streamConfigurationTemplateId: PING_TEMPLATE }, 'gone soon');
  const { body: ping } = await call(base, `${ENDPOINTS}/${endpoint.id}/test`, { method: 'POST' });
  const wanted = { kind: 'api-key', label: 'to be erased', role: 'user' };
  const { body: credential } = await call(base, '/credential-service/api/v1/credentials', { method: 'POST', body: wanted });
  const { body: events } = await call(base, '/audit-service/api/v1/events?size=2');
  return {
    streams: [text.streamId, echo.streamId],
    templates: [TEXT_TEMPLATE, PING_TEMPLATE, ROMANIAN_TEMPLATE, template.id],
    endpoints: [endpoint.id],
    deliveries: [ping.deliveryId],
    credentials: [credential.id],
    subjects: [credential.subject],
    events: events.content.map(({ id }: { id: string }) => id),
    eventStreams: [`stream-${text.streamId}`, 'templates-builtin'],
    projections: ['streams', 'groups'],
    positions: events.content.map(({ position }: { position: string }) => position),
    clientIds: [CLIENT_ID],
    clientSecrets: [CLIENT_SECRET],
    doomedEndpoints: [doomedEndpoint.id],
    doomedStreams: [doomed.streamId],
    doomedTemplates: [doomedTemplate.id],
    patches: ['{"op":"replace","path":"summaryLength","value":"brief"}', '[]'],
    urls: [receiver.url('/fuzz')],
  };
};

const title = `HTTP: whatever is asked, no 500, no undocumented status or shape${command ? '' : ' (skipped: needs Python 3 with schemathesis)'}`;

test.skipIf(!command)(title, { timeout: (fuzzSeconds(SECONDS) + 120) * 1_000 }, async () => {
  const receiver = await Receiver.start();
  const server = await startServer({
    environment: { TRUST_PROXY: 'true', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', EXPORT_MAX_WAIT_MS: '2000', MAX_CONCURRENT_STREAMS: '10000' },
  });
  const { body: admin } = await call(server.url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'fuzz', role: 'admin' },
  });
  const directory = temporaryDirectory();
  const config = join(directory, 'schemathesis.toml');
  const known = await furnish(server.url, receiver);
  writeFileSync(config, schemathesisConfig(known, `Basic ${admin.secret}`));
  const seed = fuzzSeed();
  console.log(`schemathesis for ${fuzzSeconds(SECONDS)} s, seed ${seed}`);
  const args = ['--config-file', config, 'run', `${server.url}/openapi.json`, '--checks', 'all'];
  const run = spawn(command ?? '', [...args, '--max-time', String(fuzzSeconds(SECONDS)), '--seed', String(seed), '--no-color'], {
    env: { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'schemathesisHooks.py'), TRIBUTARY_POSITION: known.positions[0] },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: directory,
  });
  let output = '';
  run.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  run.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = await once(run, 'exit');
  // On success, the number of tries is enough.
  console.log(status === 0 ? output.slice(output.indexOf('Test cases:')) : output);
  await receiver.close();
  const failures = server
    .log()
    .split('\n')
    .filter((line) => line.includes('"request failed"'));
  expect(failures).toEqual([]);
  expect(status).toBe(0);
  await eventually(async () => expect((await call(server.url, '/health/ready', { key: null })).status).toBe(200));
});
