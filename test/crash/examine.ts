import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { loadGroup } from '../../src/commands/groups.ts';
import { readConfig } from '../../src/config.ts';
import { newestRuns, runsOf } from '../../src/domain/stream/attempts.ts';
import { topicId } from '../../src/domain/stream/streamConfiguration.ts';
import { silentLogger } from '../../src/logger.ts';
import { openPlatform, type Platform } from '../../src/platform.ts';
import { allProjections } from '../../src/projections/all.ts';
import { credentialsProjection } from '../../src/projections/credentials.ts';
import { groupsProjection } from '../../src/projections/groups.ts';
import { streamsProjection } from '../../src/projections/streams.ts';
import { usageRecordsProjection } from '../../src/projections/usageRecords.ts';
import type { Position, StoredEvent } from '../../src/stores/eventStore.ts';
import { verifyChain } from '../../src/stores/integrity/hashChain.ts';
import type { Form } from './form.ts';
import type { Acknowledged } from './load.ts';
import { emptyView, fold, type NaiveView } from './naiveFold.ts';
import { differencesFromRebuild } from './rebuilt.ts';

/** Opens the stores of a stopped platform, and compares the log with the acknowledgements, and the read models with the log. */
export const examine = async (form: Form, acknowledged: Acknowledged, revisions: ReadonlyMap<string, number>): Promise<void> => {
  const { environment, patience } = form;
  const began = performance.now();
  const done = (what: string) => console.log(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s after the stop`);
  const platform = await openPlatform(readConfig(environment), { clock: systemClock, logger: silentLogger });
  const naive = emptyView();
  const verdict = await verifyChain(folded(platform, naive));
  expect(verdict).toMatchObject({ ok: true, firstBroken: null });
  expect(naive.doubled).toEqual([]);
  checkAcknowledged(naive, acknowledged);
  for (const [streamId, revision] of revisions)
    expect(naive.transcripts.get(streamId) ?? 0, `the transcript of ${streamId}`).toBe(revision);
  done('the log is whole');
  await checkBytes(platform, naive, acknowledged);
  done('the bytes are those that were sent');

  const live = new AbortController();
  await platform.engine.start(live.signal);
  await platform.engine.whenReady();
  const head = await platform.log.head();
  if (head)
    expect(
      await platform.readModels.waitFor(
        allProjections.map(({ name }) => name),
        head,
        patience,
      ),
    ).toBe(true);
  done('the views have read the log');
  expect(await differencesFromRebuild(platform, form, done), 'in what the views differ from a rebuild').toEqual([]);
  done('the views equal a rebuild');
  await checkViews(platform, naive);
  done('the views equal a naive fold');
  live.abort();
  await platform.engine.finished();
  await platform.close();
  console.log(
    `${verdict.checked} events, ${naive.streams.size} streams, ${acknowledged.uploads.size} of them acknowledged, ${acknowledged.reruns.size} run again, ${acknowledged.bulks.size} bulk reruns: all there`,
  );
};

/** The events of the log in order, folded into `view` at the same time. Nothing has expired, so every event stream begins at revision 0. */
async function* folded({ store }: Platform, view: NaiveView): AsyncGenerator<StoredEvent, void, undefined> {
  const begun = new Set<string>();
  for (let after: Position | null = null; ; ) {
    const page: StoredEvent[] = await store.readAll({ after, limit: 1000 });
    for (const event of page) {
      if (!begun.has(event.eventStream)) expect(event.revision, `the first event of ${event.eventStream}`).toBe(0n);
      begun.add(event.eventStream);
      fold(view, event);
    }
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.position;
  }
}

const checkAcknowledged = (
  { streams, credentials, templates, endpoints, bulkReruns }: NaiveView,
  { uploads, cancels, secrets, revoked, templates: saved, deletedTemplates, switched, reruns, bulks }: Acknowledged,
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
  for (const [id, enabled] of switched) expect(endpoints.get(id), `endpoint ${id}`).toBe(enabled);
  for (const [streamId, attempt] of reruns) expect(streams.get(streamId)?.attempt, `reruns of ${streamId}`).toBeGreaterThanOrEqual(attempt);
  for (const [id, queued] of bulks) expect(bulkReruns.get(id), `bulk rerun ${id}`).toEqual({ queued, handled: queued });
  for (const id of deletedTemplates) expect(templates.get(id)?.deleted, `deleted template ${id}`).toBe(true);
};

/** In each attempt of each COMPLETED stream the echo, built-in or a user's own, returned the bytes sent. */
const checkBytes = async ({ topics, readModels }: Platform, { streams }: NaiveView, { uploads }: Acknowledged): Promise<void> => {
  for (const [streamId, { sha256, stage }] of uploads) {
    const naive = streams.get(streamId);
    if (stage === 'llm' || naive?.state !== 'COMPLETED') continue;
    const document = await readModels.getFresh(streamsProjection, streamId, `stream-${streamId}`);
    const runs = document ? runsOf(document, stage) : [];
    expect(runs.length, `attempts of ${streamId}`).toBe(naive.attempt);
    for (const { streamAttempt, processor } of runs) {
      const hash = createHash('sha256');
      for await (const { data } of topics.read(topicId(processor.destination.topic))) hash.update(data);
      expect(hash.digest('hex'), `the bytes that attempt ${streamAttempt} of ${streamId} gave back`).toBe(sha256);
    }
  }
};

const checkViews = async ({ log, readModels }: Platform, { streams, groups, credentials }: NaiveView): Promise<void> => {
  expect(await readModels.count(streamsProjection)).toBe(streams.size);
  const runs = [...streams.values()].reduce((sum, { stages }) => sum + stages, 0);
  expect(await readModels.count(usageRecordsProjection)).toBe(runs);
  for (const [streamId, naive] of streams) {
    const document = await readModels.get(streamsProjection, streamId);
    expect(document?.stream.state, `state of ${streamId}`).toBe(naive.state);
    const processors = (document ? newestRuns(document) : []).map(({ processorId, state }) => [processorId, state]);
    expect(Object.fromEntries(processors), `processors of ${streamId}`).toEqual(naive.processors);
  }
  for (const [groupId, naive] of groups) {
    const document = await readModels.get(groupsProjection, groupId);
    expect([document?.state, document?.streamsCount], `group ${groupId}`).toEqual([naive.state, naive.members.size]);
    const members = (await loadGroup(log, groupId))?.members.entries().map(([streamId]) => streamId);
    expect(members?.sort(), `members of ${groupId}`).toEqual([...naive.members].sort());
  }
  for (const [id, hash] of credentials) {
    const document = await readModels.get(credentialsProjection, id);
    if (hash === null) expect(document?.revoked, `credential ${id}`).toBe(true);
    else expect(document?.secretHash, `credential ${id}`).toBe(hash);
  }
};
