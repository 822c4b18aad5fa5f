import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { chatAnswer, heardWords } from '../fakes/engineServer.ts';
import { wavOf } from '../wav.ts';
import { call, PING_TEMPLATE, readCaughtUp, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from './client.ts';
import { isClusterForm } from './clusterForm.ts';
import { serverWithEngines } from './serverWithEngines.ts';

const DIARIZATION_TEMPLATE = '669fee048452492b62cfad39';
const SEARCH = '/export-service/api/v1/search';
const STREAMS = '/stream-service/api/v1/streams';

const { server, speech, chat } = serverWithEngines();

const STEREO = wavOf(Buffer.alloc(16_000, 1), 2);

/** What the speech engine hears: one segment of a second for each text, spoken by two people in turn. */
const heard = (texts: readonly string[]) => ({
  ...{ language: 'english', duration: texts.length, text: texts.join(' ') },
  segments: texts.map((text, n) => ({ start: n, end: n + 1, text: ` ${text}`, speaker: `SPEAKER_0${n % 2}` })),
  words: heardWords(
    ...texts.flatMap((text, n) => text.split(' ').map((word, i, all) => [word, n + i / all.length, n + (i + 1) / all.length] as const)),
  ),
});

interface Given {
  readonly texts: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
}

/** A user with an empty library. */
const library = async () => {
  const issue = { kind: 'api-key', label: 'a user', role: 'user' };
  const { secret: key, subject } = (await call(server.url, '/credential-service/api/v1/credentials', { method: 'POST', body: issue })).body;
  const transcribed = async ({ texts, query = {} }: Given): Promise<string> => {
    speech.always({ body: heard(texts) });
    const wanted = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true', ...query };
    const { body } = await upload(server.url, wanted, STEREO, { key });
    expect(await streamEnd(server.url, body.streamId)).toMatchObject({ state: 'COMPLETED' });
    return body.streamId;
  };
  const search = (q: string, query: Readonly<Record<string, string>> = {}) =>
    readCaughtUp(server.url, `${SEARCH}?${new URLSearchParams({ q, ...query })}`, { key });
  const found = async (q: string, query: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    const { status, body } = await search(q, query);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.content.map(({ streamId }: { streamId: string }) => streamId);
  };
  return { key, subject, transcribed, search, found };
};

describe('a search', () => {
  test('right after the end of a stream finds its words, with where they are', async () => {
    const { transcribed, search } = await library();
    const texts = ['Good morning.', 'You get a refund as soon as possible.', 'A refund, thanks.'];
    const streamId = await transcribed({ texts, query: { name: 'Monday call', label: 'Sales' } });
    const { body } = await search('refund');
    expect(body).toMatchObject({ totalElements: 1, totalPages: 1, number: 0, numberOfElements: 1, last: true });
    const [stream] = body.content;
    expect(stream).toEqual({
      streamId,
      name: 'Monday call',
      labels: ['Sales'],
      createdTimestamp: expect.any(String),
      duration: 3_000,
      hits: 2,
      passages: [
        {
          kind: 'transcript',
          ...{ utterance: 'u1', speaker: null, start: 1_000, end: 2_000 },
          ...{ text: 'You get a refund as soon as possible.', marks: [[10, 16]] },
        },
        { kind: 'transcript', utterance: 'u2', speaker: null, start: 2_000, end: 3_000, text: 'A refund, thanks.', marks: [[2, 8]] },
      ],
    });
  });

  test('needs all words, and understands phrases, exclusions and beginnings', async () => {
    const { transcribed, found, search } = await library();
    const call1 = await transcribed({ texts: ['You get a refund', 'as soon as possible'] });
    const call2 = await transcribed({ texts: ['Refunds take a week', 'possible soon'] });
    expect(await found('REFUND possible')).toEqual([call1]);
    expect(await found('"soon as possible"')).toEqual([call1]);
    expect(await found('"possible soon"')).toEqual([call2]);
    expect((await found('refund* possible')).sort()).toEqual([call1, call2].sort());
    expect(await found('refund* -week')).toEqual([call1]);
    expect(await found('refund* -"soon as"')).toEqual([call2]);
    expect(await found('refund week')).toEqual([]);
    for (const q of ['', '  ', '-week', '...', '""', 'r*']) expect([q, (await search(q)).status]).toEqual([q, 400]);
    expect((await call(server.url, SEARCH)).status).toBe(400);
  });

  test('shows the most relevant streams first, page by page', async () => {
    const { transcribed, found, search } = await library();
    const once = await transcribed({ texts: ['gold and many other words that say nothing of it'] });
    const often = await transcribed({ texts: ['gold gold gold'] });
    expect(await found('gold')).toEqual([often, once]);
    expect(await found('gold', { size: '1', page: '1' })).toEqual([once]);
    expect((await search('gold', { size: '1' })).body).toMatchObject({ totalElements: 2, totalPages: 2 });
  });

  test('finds summaries and names, and follows renames', async () => {
    const { key, transcribed, search, found } = await library();
    chat.always(chatAnswer('They agreed on Kraków.', { prompt: 1, completion: 1 }));
    const streamId = await transcribed({ texts: ['Hello'], query: { summary: 'true', name: 'Café plans' } });
    expect((await search('krakow')).body.content[0].passages).toMatchObject([
      { kind: 'summary', utterance: null, text: 'They agreed on Kraków.', marks: [[15, 21]] },
    ]);
    expect((await search('cafe')).body.content[0].passages).toMatchObject([{ kind: 'name', text: 'Café plans', marks: [[0, 4]] }]);
    await call(server.url, `${STREAMS}/${streamId}`, { method: 'PATCH', body: { name: 'Tea plans', labels: ['Drinks'] }, key });
    expect(await found('cafe')).toEqual([]);
    expect(await found('tea hello', { label: 'drinks' })).toEqual([streamId]);
    expect(await found('tea', { label: 'food' })).toEqual([]);
  });

  test('finds what one speaker says, by id, and shows who it is', async () => {
    const { transcribed, search, found } = await library();
    const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, speakersNumber: '2' };
    const streamId = await transcribed({ texts: ['I sell apples', 'I buy pears', 'apples and plums'], query });
    expect((await search('apples', { speaker: 'a' })).body.content).toMatchObject([
      {
        streamId,
        hits: 2,
        passages: [
          { speaker: 'Speaker A', utterance: 'u0' },
          { speaker: 'Speaker A', utterance: 'u2' },
        ],
      },
    ]);
    expect(await found('apples', { speaker: 'B' })).toEqual([]);
    expect(await found('apples pears', { speaker: 'A' })).toEqual([]);
    expect(await found('apples pears')).toEqual([streamId]);
  });

  test('is limited to a group, a template, and a time', async () => {
    const { transcribed, found } = await library();
    const groupId = randomUUID();
    const streamId = await transcribed({ texts: ['narrow'], query: { groupId, name: 'one' } });
    const other = await transcribed({ texts: ['narrow'], query: { name: 'two' } });
    expect(await found('narrow', { group: groupId })).toEqual([streamId]);
    expect((await found('narrow', { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE })).sort()).toEqual([streamId, other].sort());
    expect(await found('narrow', { streamConfigurationTemplateId: PING_TEMPLATE })).toEqual([]);
    expect(await found('narrow', { since: '2100-01-01' })).toEqual([]);
    expect(await found('narrow', { until: '2100-01-01' })).toHaveLength(2);
  });

  test("finds the caller's own kept streams only, and those of a user for an administrator", async () => {
    const [anna, ben] = [await library(), await library()];
    const kept = await anna.transcribed({ texts: ['private'], query: { name: 'kept' } });
    await anna.transcribed({ texts: ['private'], query: { persist: 'false', name: 'private too' } });
    expect(await anna.found('private')).toEqual([kept]);
    expect(await ben.found('private')).toEqual([]);
    expect((await ben.search('private', { subject: anna.subject })).status).toBe(403);
    const byAdmin = await call(server.url, `${SEARCH}?q=private&subject=${anna.subject}`);
    expect(byAdmin.body.content).toMatchObject([{ streamId: kept }]);
  });

  test('follows a rerun, and a deletion', async () => {
    const { key, transcribed, found } = await library();
    const streamId = await transcribed({ texts: ['former words'] });
    speech.always({ body: heard(['newer words']) });
    await call(server.url, `${STREAMS}/${streamId}/rerun`, { method: 'POST', body: {}, key });
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'COMPLETED', attempt: 2 });
    expect(await found('former')).toEqual([]);
    expect(await found('newer')).toEqual([streamId]);
    expect((await call(server.url, `${STREAMS}/${streamId}`, { method: 'DELETE', key })).status).toBe(204);
    expect(await found('newer')).toEqual([]);
    expect(await found('words')).toEqual([]);
  });

  test('keeps the transcript when a rerun of the transcription does not complete', async () => {
    const { key, transcribed, found } = await library();
    const streamId = await transcribed({ texts: ['lasting words'] });
    speech.next('hang');
    await call(server.url, `${STREAMS}/${streamId}/rerun`, { method: 'POST', body: {}, key });
    await eventually(() => expect(speech.open()).toBe(1));
    await call(server.url, `${STREAMS}/${streamId}/cancel`, { method: 'PUT', key });
    expect(await streamEnd(server.url, streamId)).toMatchObject({ state: 'FAILED', attempt: 2 });
    expect(await found('lasting')).toEqual([streamId]);
  });

  test('finds the same while its read model is rebuilt, and what is corrected meanwhile', async () => {
    const { key, transcribed, found } = await library();
    const lasting = await transcribed({ texts: ['lasting words'] });
    const other = await transcribed({ texts: ['further wurds'] });
    const models = '/operations-service/api/v1/projections';
    expect((await call(server.url, `${models}/search/rebuild`, { method: 'POST' })).status).toBe(202);
    const edits = [{ op: 'replace', find: 'wurds', with: 'words' }];
    const headers = { 'if-match': '"transcript-1-0"' };
    const { status } = await call(server.url, `${STREAMS}/${other}/transcript`, { method: 'PATCH', body: { edits }, key, headers });
    expect(status).toBe(200);
    const missed: string[][] = [];
    await eventually(async () => {
      const seen = await found('lasting');
      if (seen.join() !== lasting) missed.push(seen);
      const rows: { name: string; state: string }[] = (await call(server.url, models)).body;
      return rows.every(({ name, state }) => name !== 'search' || state === 'live');
    }, 60_000);
    expect(missed).toEqual([]);
    expect((await found('words')).sort()).toEqual([lasting, other].sort());
    expect(await found('wurds')).toEqual([]);
  });

  test('finds nothing of an erased user, and leaves no word in the files', async () => {
    const { subject, transcribed, found } = await library();
    await transcribed({ texts: ['xanthophobia'], query: { name: 'Quixotry' } });
    expect(await found('xanthophobia quixotry')).toHaveLength(1);
    expect((await call(server.url, `/audit-service/api/v1/subjects/${subject}`, { method: 'DELETE' })).status).toBe(200);
    for (const q of ['xanthophobia', 'quixotry'])
      expect((await call(server.url, `${SEARCH}?q=${q}&subject=${subject}`)).body.content).toEqual([]);
    const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { name, parentPath } of isClusterForm ? [] : files)
      expect([name, /xanthophobia|quixotry/i.test(readFileSync(join(parentPath, name), 'latin1'))]).toEqual([name, false]);
  });

  test('right after a correction finds it, and not the old word, and the other way round after an undo', async () => {
    const { key, transcribed, found, search } = await library();
    const query = { streamConfigurationTemplateId: DIARIZATION_TEMPLATE, speakersNumber: '2' };
    const streamId = await transcribed({ texts: ['Good to sea you', 'Likewise'], query });
    const path = `${STREAMS}/${streamId}/transcript`;
    const change = async (method: string, at: string, body?: object) => {
      const ifMatch = (await call(server.url, path, { key })).headers.get('etag') ?? '';
      const { status } = await call(server.url, at, { method, body, key, headers: { 'if-match': ifMatch } });
      expect(status).toBe(200);
    };
    const edits = [
      { op: 'text', utterance: 'u0', text: 'Good to see you' },
      { op: 'name', speaker: 'A', name: 'Zoë' },
    ];
    await change('PATCH', path, { edits });
    expect([await found('see'), await found('sea')]).toEqual([[streamId], []]);
    expect((await search('good', { speaker: 'zoe' })).body.content[0].passages).toMatchObject([
      { utterance: 'u0', speaker: 'Zoë', text: 'Good to see you', marks: [[0, 4]] },
    ]);
    expect(await found('good', { speaker: 'A' })).toEqual([streamId]);
    await change('POST', `${path}/undo`);
    expect([await found('see'), await found('sea')]).toEqual([[], [streamId]]);
    expect(await found('good', { speaker: 'zoe' })).toEqual([]);
  });
});
