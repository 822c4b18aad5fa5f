import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import type { Json } from '../../../../src/json.ts';
import { RunOutput } from '../../../../src/processors/runner/runOutput.ts';
import { MemoryTopics } from '../../../fakes/memoryTopics.ts';

const output = () => {
  const topics = new MemoryTopics(systemClock);
  const { signal } = new AbortController();
  return new RunOutput({ topics, disk: { shortage: () => null }, topic: 'result', partials: null, signal }, async () => undefined);
};

const written = async (...warnings: Json[]): Promise<string[]> => {
  const out = output();
  for (const warning of warnings) {
    const payload = { transcription: 'a', metadata: { warnings: warning } };
    await out.message({ frameType: 'final', payloadSchema: 'tributary.Transcription', payload, headers: {} });
  }
  return out.warnings;
};

test('collects the codes of the warnings in messages, each once', async () => {
  const unlikely = { code: 'LANGUAGE_UNLIKELY', message: 'This sounds like another language.' };
  expect(await written([unlikely], [unlikely, { code: 'OTHER_TRACKS', message: 'Two tracks.' }])).toEqual([
    'LANGUAGE_UNLIKELY',
    'OTHER_TRACKS',
  ]);
});

test('takes text, and codes that may be a text of an own processor, as notes', async () => {
  expect(await written(['as earlier versions wrote it'], [{ code: 'Anna said', message: '' }], 'no list', [7])).toEqual(['NOTE']);
});

test('has no codes for messages without warnings', async () => {
  const out = output();
  await out.message({ frameType: 'final', payloadSchema: 'tributary.Text', payload: 'text', headers: {} });
  expect(out.warnings).toEqual([]);
});
