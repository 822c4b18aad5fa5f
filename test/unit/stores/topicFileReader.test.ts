import { randomUUID } from 'node:crypto';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TopicFile } from '../../../src/stores/embedded/topicFile.ts';
import { TopicFileReader } from '../../../src/stores/embedded/topicFileReader.ts';
import { Notifier } from '../../../src/supervision/notifier.ts';
import { ManualClock } from '../../manualClock.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

test('a follower that is about to wait does not miss what is written before it does', async () => {
  const [topic, path] = [randomUUID(), join(temporaryDirectory(), 'topic')];
  const writer = { ended: null, changes: new Notifier(), end: () => {} };
  const file = await TopicFile.restart({
    topic,
    path,
    clock: new ManualClock(),
    writer,
  });
  const mustBeSealed = async () => false;
  const reader = new TopicFileReader({ topic, fd: openSync(path, 'r'), file, mustBeSealed, signal: undefined });
  expect(await reader.next()).toEqual({ frames: [], state: 'wait' });
  await file.write([Buffer.from('written')]);
  writer.changes.notify();
  await reader.wait();
  const { frames } = await reader.next();
  expect(frames.map(({ data }) => Buffer.from(data).toString())).toEqual(['written']);
  await reader.close();
  await file.close();
});
