import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Answer, call, PING_TEMPLATE, readCaughtUp, streamEnd, upload } from '../e2e/client.ts';
import { startCluster, type TestCluster, type TestNode, TTL } from './node.ts';

/** `KILLS=50` for longer. */
const KILLS = Number(process.env.KILLS ?? 4);
const BETWEEN_MILLISECONDS = 2_000;
const CALLERS = 2;

vi.setConfig({ testTimeout: KILLS * 60_000, hookTimeout: 40 * TTL });

let cluster: TestCluster;
const http: (TestNode | null)[] = [null, null];

beforeAll(async () => {
  cluster = await startCluster();
  const [, first, second] = await Promise.all([
    cluster.node('projections,policies,processors,delivery'),
    cluster.node('http'),
    cluster.node('http'),
  ]);
  http.splice(0, 2, first, second);
});
afterAll(() => cluster.stop());

/** `null` if the node was killed before it answered. */
const asked = (request: Promise<Answer>): Promise<Answer | null> => request.catch(() => null);

/** Repeats a read that is refused, or says that it is not complete, because the read models lag behind. */
const read = async (url: string, path: string): Promise<Answer | null> => {
  for (;;) {
    const answer = await asked(readCaughtUp(url, path));
    if (answer?.status !== 503) return answer;
  }
};

test("two http nodes, with one killed every few seconds, lose no acknowledged request and see each other's changes", async () => {
  const acknowledged: string[] = [];
  const missing: string[] = [];
  let seen = 0;
  let over = false;
  const act = async (turn: number): Promise<void> => {
    const [here, there] = [http[turn % 2], http[(turn + 1) % 2]];
    const name = randomUUID();
    const template = { streamConfigurationTemplateId: PING_TEMPLATE, persist: 'true', name };
    const done = here && (await asked(upload(here.url, template, 'bytes')));
    if (done?.status !== 200) return;
    acknowledged.push(done.body.streamId);
    const listed = there && (await read(there.url, `/stream-service/api/v1/streams?name=${name}`));
    if (listed?.status !== 200) return;
    seen += 1;
    if (listed.body.totalElements !== 1) missing.push(name);
  };
  const callers = Array.from({ length: CALLERS }, async (_, n) => {
    for (let turn = n; !over; turn += 1) await act(turn);
  });
  for (let kills = 0; kills < KILLS; kills += 1) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MILLISECONDS));
    const which = kills % 2;
    const victim = http[which];
    http[which] = null;
    await victim?.kill();
    http[which] = await cluster.node('http');
  }
  over = true;
  await Promise.all(callers);
  const survivor = http[0]?.url ?? '';
  for (const streamId of acknowledged) expect((await streamEnd(survivor, streamId, 30 * TTL)).state).toBe('COMPLETED');
  expect(missing).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(KILLS);
  expect(seen).toBeGreaterThan(0);
  expect((await call(survivor, '/audit-service/api/v1/verify')).body).toMatchObject({ ok: true });
});
