import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { readConfig } from '../../../src/config.ts';
import { topicId } from '../../../src/domain/stream/streamConfiguration.ts';
import { silentLogger } from '../../../src/logger.ts';
import { openPlatform, type Platform } from '../../../src/platform.ts';
import type { StoredEvent } from '../../../src/stores/eventStore.ts';
import { verifyChain } from '../../../src/stores/integrity/hashChain.ts';
import { canTrace } from '../../crash/killing.ts';
import { naiveFold } from '../../crash/naiveFold.ts';
import { call, PING_TEMPLATE, upload } from '../../e2e/client.ts';
import { startServer } from '../../e2e/server.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';
import { Disk } from './disk.ts';
import { bytesOf, STRACE, type SystemCall, systemCalls } from './trace.ts';

const CALLERS = 6;
const ROUNDS = 3;
/** At once and of at least 40,000 bytes each, so that several share a commit. */
const LARGE_UPLOADS = 32;
/** Every answer is checked against the system calls. The power is cut at some of them, and at some moments between. */
const ANSWERS_PER_CUT = 26;
const RANDOM_MOMENTS = 3;
const identity = { 'accept-encoding': 'identity' };

/** An answered command. */
interface Acknowledged {
  /** Text in its answer. */
  readonly id: string;
  /** Text in the event of the answer, and in none before it. */
  readonly fact: string;
  holds(image: Image): Promise<void> | void;
}

interface Image {
  readonly platform: Platform;
  readonly events: readonly StoredEvent[];
  readonly view: ReturnType<typeof naiveFold>;
}

const hasStrace = canTrace();
if (!hasStrace && process.env.CI !== 'true') console.log('skipped: needs strace, and the right to trace');

/** SIGKILL cannot show a missing sync, because written data stay in the kernel. So the system calls are checked. */
test.skipIf(!hasStrace && process.env.CI !== 'true')(
  'every answer follows a sync of its data, so a power cut at any moment loses nothing acknowledged',
  async () => {
    const directory = temporaryDirectory();
    const dataDir = join(directory, 'data');
    const trace = join(directory, 'trace');
    const environment = { UV_USE_IO_URING: '0', RETENTION_EPHEMERAL_S: '86400', LOG_LEVEL: 'warn' };
    const server = await startServer({ dataDir, environment, under: STRACE(trace) });
    const acknowledged = (await Promise.all(Array.from({ length: CALLERS }, () => someCommands(server.url)))).flat();
    acknowledged.push(...(await Promise.all(Array.from({ length: LARGE_UPLOADS }, () => anUpload(server.url, 40_000)))));
    await server.kill();

    const calls = await systemCalls(trace);
    const answers = answerOf(calls, acknowledged);
    const logged = writesAndSyncs(calls, join(dataDir, 'log.db-wal'));
    for (const answered of answers) expectSynced(logged, answered);

    const first = Math.min(...answers.map(({ answer }) => answer.at));
    const anyMoment = () => first + Math.floor(Math.random() * (calls.length - first));
    const moments = [
      ...answers.filter((_, index) => index % ANSWERS_PER_CUT === 0).map(({ answer }) => answer.at),
      ...Array.from({ length: RANDOM_MOMENTS }, anyMoment),
    ].sort((a, b) => a - b);
    const disk = new Disk(dataDir);
    let taken = 0;
    for (const moment of moments) {
      for (const before of calls.filter(({ done }) => done >= taken && done < moment)) disk.take(before);
      taken = moment;
      const image = join(directory, `image-${moment}`);
      disk.cut(image);
      const answered = answers.filter(({ answer }) => answer.at <= moment);
      await expectHolds(image, answered, moment);
      rmSync(image, { recursive: true, force: true });
    }
    console.log(`${calls.length} system calls, ${answers.length} answers, power cut at ${moments.length} moments: nothing lost`);
  },
  120_000,
);

/** In order: uploads, a credential that is rotated, a template, a webhook endpoint that is switched. */
const someCommands = async (url: string): Promise<Acknowledged[]> => {
  const done: Acknowledged[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    done.push(await anUpload(url), await aCredential(url), await aTemplate(url), await anEndpoint(url));
  }
  return done;
};

const anUpload = async (url: string, atLeast = 1): Promise<Acknowledged> => {
  const body = randomBytes(atLeast + Math.floor(Math.random() * 20_000));
  const sha256 = createHash('sha256').update(body).digest('hex');
  const query = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true' };
  const answer = await upload(url, query, body, { headers: identity });
  expect(answer.status).toBe(200);
  const { streamId, configuration } = answer.body;
  return {
    id: streamId,
    fact: sha256,
    holds: async ({ view, platform }) => {
      expect(view.streams.get(streamId)?.upload, `upload ${streamId}`).toEqual({ bytes: body.length, sha256 });
      const hash = createHash('sha256');
      for await (const { data } of platform.topics.read(topicId(configuration.dataSource.topic))) hash.update(data);
      expect(hash.digest('hex'), `bytes of ${streamId}`).toBe(sha256);
    },
  };
};

const aCredential = async (url: string): Promise<Acknowledged> => {
  const body = { kind: 'api-key', label: 'power', role: 'user' };
  const answer = await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body, headers: identity });
  expect(answer.status).toBe(201);
  const { id, secret } = answer.body;
  const hash = createHash('sha256').update(secret).digest('hex');
  return { id, fact: hash, holds: ({ view }) => expect(view.credentials.get(id), `credential ${id}`).toBe(hash) };
};

const aTemplate = async (url: string): Promise<Acknowledged> => {
  const path = '/stream-configuration-service/api/v1/stream-configuration-templates';
  const body = { name: 'power', dataSourceSchema: 'string', processors: [{ id: 'llm', processorDeclarationId: 'llm' }] };
  const answer = await call(url, path, { method: 'PUT', body, headers: identity });
  expect(answer.status).toBe(200);
  const { id } = answer.body;
  return { id, fact: id, holds: ({ view }) => expect(view.templates.get(id), `template ${id}`).toEqual({ version: 1, deleted: false }) };
};

/** For a separate user, because one user may have twenty. */
const anEndpoint = async (url: string): Promise<Acknowledged> => {
  const user = await call(url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label: 'own', role: 'user' },
  });
  const key: string = user.body.secret;
  const path = '/notification-service/api/v1/webhook-endpoints';
  const body = { url: 'https://93.184.216.34/hook', events: ['stream.*'] };
  const answer = await call(url, path, { method: 'PUT', body, key, headers: identity });
  expect(answer.status).toBe(200);
  const { id } = answer.body;
  return {
    id,
    fact: id,
    holds: ({ events }) =>
      expect(
        events.some(({ data }) => JSON.stringify(data).includes(id)),
        `endpoint ${id}`,
      ).toBe(true),
  };
};

/** The call that sent the first answer with the text. */
const answerOf = (calls: readonly SystemCall[], acknowledged: readonly Acknowledged[]): (Acknowledged & { answer: SystemCall })[] => {
  const sent = calls
    .filter(({ name, text }) => /^(write|writev|sendmsg)$/.test(name) && isSocket(text))
    .map((answer) => ({ answer, said: saidBy(answer) }));
  return acknowledged.map((command) => {
    const found = sent.find(({ said }) => said.includes('HTTP/1.1 2') && said.includes(command.id));
    if (!found) throw new Error(`no answer in the trace names ${command.id}`);
    return { ...command, answer: found.answer };
  });
};

const fileOf = (text: string): string => bytesOf(/^\d+<((?:\\x[0-9a-f]{2})+)>/.exec(text)?.[1] ?? '').toString();
const isSocket = (text: string): boolean => fileOf(text).startsWith('socket:');
const saidBy = ({ text }: SystemCall): string =>
  [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, escaped = '']) => bytesOf(escaped).toString('latin1')).join('');

/** The calls that wrote to the file or synced it. `said` is what was written. */
const writesAndSyncs = (calls: readonly SystemCall[], file: string): (SystemCall & { said: string })[] =>
  calls
    .filter(({ name, text }) => /^(pwrite|f(data)?sync)/.test(name) && fileOf(text) === file)
    .map((call) => ({ ...call, said: saidBy(call) }));

const expectSynced = (
  logged: readonly (SystemCall & { said: string })[],
  { id, fact, answer }: Acknowledged & { answer: SystemCall },
): void => {
  // If a page boundary cuts the text, one side still has a whole half of it.
  const half = Math.floor(fact.length / 2);
  const holdsFact = (said: string) => said.includes(fact.slice(0, half)) || said.includes(fact.slice(half));
  const before = logged.filter(({ done }) => done < answer.at);
  const written = before.find(({ name, said }) => name.startsWith('pwrite') && holdsFact(said));
  expect(written, `what ${id} is answered with was written to the log before`).toBeDefined();
  const synced = before.some(({ name, at }) => /^f(data)?sync$/.test(name) && at > (written?.done ?? Number.POSITIVE_INFINITY));
  expect(synced, `the log was synced between the write of ${id} and its answer`).toBe(true);
};

const expectHolds = async (dataDir: string, answered: readonly Acknowledged[], moment: number): Promise<void> => {
  const platform = await openPlatform(readConfig({ DATA_DIR: dataDir }), { clock: systemClock, logger: silentLogger });
  try {
    const events = await allEvents(platform);
    const firsts = events.filter(({ eventStream }, index) => events.findIndex((other) => other.eventStream === eventStream) === index);
    // Nothing has expired.
    expect(firsts.filter(({ revision }) => revision !== 0n)).toEqual([]);
    expect(await verifyChain(events), `the log cut at line ${moment}`).toMatchObject({ ok: true, firstBroken: null });
    const image = { platform, events, view: naiveFold(events) };
    for (const command of answered) await command.holds(image);
  } finally {
    await platform.close();
  }
};

const allEvents = async ({ store }: Platform): Promise<StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await store.readAll({ after: events.at(-1)?.position ?? null, limit: 1000 });
    if (page.length === 0) return events;
    events.push(...page);
  }
};
