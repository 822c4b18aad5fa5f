import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { loadGroup } from '../../src/commands/groups.ts';
import { readConfig } from '../../src/config.ts';
import { topicId } from '../../src/domain/streamConfiguration.ts';
import { silentLogger } from '../../src/logger.ts';
import { openPlatform, type Platform } from '../../src/platform.ts';
import { allProjections } from '../../src/projections/all.ts';
import type { CredentialDocument } from '../../src/projections/credentials.ts';
import { digestOf } from '../../src/projections/engine/digest.ts';
import type { GroupDocument } from '../../src/projections/groups.ts';
import type { StreamDocument } from '../../src/projections/streams.ts';
import type { StoredEvent } from '../../src/stores/eventStore.ts';
import { verifyChain } from '../../src/stores/hashChain.ts';
import { getStream, PING_TEMPLATE } from '../e2e/client.ts';
import { type RunningServer, startServer } from '../e2e/server.ts';
import { type Acknowledged, Load } from './load.ts';
import { type NaiveView, naiveFold } from './naiveFold.ts';

const KILLS = Number(process.env.KILLS ?? 10);
const CALLERS = 24;
/** What is kept is examined at the end: nothing may expire before. */
const environment = { RETENTION_EPHEMERAL_S: '86400' };

test(`${KILLS} kills under load lose nothing that was acknowledged`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-crash-'));
  const load = new Load(CALLERS);
  let server = await startServer({ dataDir, environment });
  for (let kill = 1; kill <= KILLS; kill += 1) {
    load.pointAt(server.url);
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1200));
    load.pointAt(null);
    await server.kill();
    const before = performance.now();
    server = await startServer({ dataDir, environment });
    console.log(`kill ${kill}: ready again in ${Math.round(performance.now() - before)} ms, ${load.answered} calls acknowledged`);
  }
  await load.stop();
  expect(load.surprises).toEqual([]);
  await everyStreamEnds(server, load.acknowledged);
  expect(await server.stop()).toBe(0);
  await examine(dataDir, load.acknowledged);
  rmSync(dataDir, { recursive: true, force: true });
});

const everyStreamEnds = async (server: RunningServer, { uploads }: Acknowledged): Promise<void> => {
  const deadline = performance.now() + 60_000;
  for (const streamId of uploads.keys()) {
    for (;;) {
      const { status, body } = await getStream(server.url, streamId);
      expect(status, `stream ${streamId} was acknowledged`).toBe(200);
      if (body.state !== 'READY') break;
      expect(performance.now(), `stream ${streamId} comes to an end`).toBeLessThan(deadline);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};

const examine = async (dataDir: string, acknowledged: Acknowledged): Promise<void> => {
  const platform = await openPlatform(readConfig({ DATA_DIR: dataDir }), { clock: systemClock, logger: silentLogger });
  const events = await allEvents(platform);
  const naive = naiveFold(events);
  expect([...naive.unknown]).toEqual([]);
  checkAcknowledged(naive, acknowledged);
  await checkChains(events);
  await checkBytes(platform, naive, acknowledged);

  const live = new AbortController();
  await platform.engine.start(live.signal);
  await platform.engine.whenReady();
  const head = await platform.log.head();
  if (head)
    expect(
      await platform.readModels.waitFor(
        allProjections.map(({ name }) => name),
        head,
        30_000,
      ),
    ).toBe(true);
  const before = await digests(platform);
  for (const { name } of allProjections) await platform.engine.rebuild(name);
  expect(await digests(platform), 'the views equal a rebuild').toEqual(before);
  await checkViews(platform, naive);
  live.abort();
  await platform.engine.finished();
  await platform.close();
  console.log(`${events.length} events, ${naive.streams.size} streams, ${acknowledged.uploads.size} of them acknowledged: all there`);
};

const allEvents = async ({ store }: Platform): Promise<StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await store.readAll({ after: events.at(-1)?.position ?? null, limit: 1000 });
    if (page.length === 0) return events;
    events.push(...page);
  }
};

const checkAcknowledged = (
  { streams, credentials, templates }: NaiveView,
  { uploads, cancels, secrets, revoked, templates: saved, deletedTemplates }: Acknowledged,
): void => {
  for (const [streamId, { bytes, sha256 }] of uploads) {
    expect(streams.get(streamId)?.upload, `the upload of ${streamId}`).toEqual({ bytes, sha256 });
    const outcome = streams.get(streamId);
    if (!cancels.has(streamId) && !outcome?.canceled) expect(outcome?.state, `stream ${streamId}`).toBe('COMPLETED');
  }
  for (const streamId of cancels) expect(streams.get(streamId)?.canceled, `the cancel of ${streamId}`).toBe(true);
  for (const [id, hash] of secrets) if (!revoked.has(id)) expect([hash, null], `credential ${id}`).toContain(credentials.get(id));
  for (const id of revoked) expect(credentials.get(id), `revoked credential ${id}`).toBeNull();
  for (const [id, version] of saved) expect(templates.get(id)?.version, `template ${id}`).toBeGreaterThanOrEqual(version);
  for (const id of deletedTemplates) expect(templates.get(id)?.deleted, `deleted template ${id}`).toBe(true);
};

const checkChains = async (events: readonly StoredEvent[]): Promise<void> => {
  expect(await verifyChain(events)).toEqual({ ok: true, checked: events.length, firstBroken: null });
};

/** What an echo gave back is what was sent, wherever the stream came to COMPLETED. */
const checkBytes = async ({ topics, readModels }: Platform, { streams }: NaiveView, { uploads }: Acknowledged): Promise<void> => {
  for (const [streamId, { sha256, template }] of uploads) {
    if (template !== PING_TEMPLATE || streams.get(streamId)?.state !== 'COMPLETED') continue;
    const document = await readModels.getFresh<StreamDocument>('streams', streamId, `stream-${streamId}`);
    const sink = document?.stream.configuration.dataSinks.echo?.topic ?? '';
    const hash = createHash('sha256');
    for await (const { data } of topics.read(topicId(sink))) hash.update(data);
    expect(hash.digest('hex'), `what ${streamId} gave back`).toBe(sha256);
  }
};

const digests = async ({ views, engine }: Platform): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(allProjections.map(async ({ name }) => [name, await digestOf(views, engine.served(name).collection)])),
  );

const checkViews = async ({ log, readModels }: Platform, { streams, groups, credentials }: NaiveView): Promise<void> => {
  expect(await readModels.count('streams')).toBe(streams.size);
  const runs = [...streams.values()].reduce((sum, { processors }) => sum + Object.keys(processors).length, 0);
  expect(await readModels.count('usageRecords')).toBe(runs);
  for (const [streamId, naive] of streams) {
    const document = await readModels.get<StreamDocument>('streams', streamId);
    expect(document?.stream.state, `state of ${streamId}`).toBe(naive.state);
    const processors = document?.processors.map(({ processorId, state }) => [processorId, state]) ?? [];
    expect(Object.fromEntries(processors), `processors of ${streamId}`).toEqual(naive.processors);
  }
  for (const [groupId, naive] of groups) {
    const document = await readModels.get<GroupDocument>('groups', groupId);
    expect([document?.state, document?.streamsCount], `group ${groupId}`).toEqual([naive.state, naive.members.size]);
    const members = (await loadGroup(log, groupId))?.members.entries().map(([streamId]) => streamId);
    expect(members?.sort(), `members of ${groupId}`).toEqual([...naive.members].sort());
  }
  for (const [id, hash] of credentials) {
    const document = await readModels.get<CredentialDocument>('credentials', id);
    if (hash === null) expect(document?.revoked, `credential ${id}`).toBe(true);
    else expect(document?.secretHash, `credential ${id}`).toBe(hash);
  }
};
