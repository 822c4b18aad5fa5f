import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { EVENT_SCHEMAS } from '../../../src/domain/eventSchemas.ts';
import { silentLogger } from '../../../src/logger.ts';
import { credentialsProjection } from '../../../src/projections/credentials.ts';
import { openProjectionEngine } from '../../../src/projections/engine/projectionEngine.ts';
import { streamsProjection } from '../../../src/projections/streams.ts';
import { digestOf } from '../../digestOf.ts';
import { completed, link, OWNER, started, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { openPlatform } from './node.ts';

const STREAM = '11111111-1111-4111-8111-111111111111';

test('removes an erased subject from every read model, also from rebuilt ones', async () => {
  const platform = await openPlatform({ schemas: EVENT_SCHEMAS, subject: OWNER });
  const { documents, keys } = platform;
  const projections = [streamsProjection, credentialsProjection];
  const engine = await openProjectionEngine({ ...platform, clock: systemClock, logger: silentLogger, projections });
  const running = new AbortController();
  await engine.start(running.signal);
  onTestFinished(async () => {
    running.abort();
    await engine.finished();
  });
  const created = streamCreated([link('echo', null)], { streamId: STREAM, name: 'Somebody' });
  for (const { type, data } of [created, uploaded, started('echo'), completed('echo')])
    await platform.append(`stream-${STREAM}`, type, JSON.parse(JSON.stringify(data)));
  const last = await platform.append(`stream-${STREAM}`, 'StreamCompleted', {});
  expect(await engine.waitFor('streams', last, 5_000)).toBe(true);
  expect(await engine.countPersonal(OWNER)).toBe(1);
  await keys.destroySubjectKey(OWNER);
  const erased = await platform.append('audit-admin', 'SubjectErased', { subject: OWNER });
  const expired = await platform.append(`stream-${STREAM}`, 'StreamExpired', { reason: 'x' });
  await engine.erased(erased);
  expect(await engine.waitFor('streams', expired, 5_000)).toBe(true);
  expect(await engine.countPersonal(OWNER)).toBe(0);
  const document = () => documents.get(engine.served('streams').collection, STREAM);
  expect((await document())?.body).toMatchObject({ name: null, stream: { name: null } });
  const before = await digestOf(documents, engine.served('streams').collection);
  await engine.rebuild('streams');
  expect(engine.served('streams').collection).toMatch(/^streams@\d+\.1$/);
  expect(await digestOf(documents, engine.served('streams').collection)).toBe(before);
});
