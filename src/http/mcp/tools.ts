import { fromJsonSchema, type McpServer, type ToolAnnotations } from '@modelcontextprotocol/server';
import { type Clock, isoTime } from '../../clock.ts';
import { isJsonObject, type JsonObject, type Schema } from '../../json.ts';
import * as s from '../../schema.ts';
import { type OwnApi, Refused } from './ownApi.ts';
import { contentOf, endedStream, resultsOf, shownStream, streamPath, textOf } from './transcripts.ts';

interface Tool<A> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema<A>;
  readonly annotations: ToolAnnotations;
  run(api: OwnApi, given: A, clock: Pick<Clock, 'now'>): Promise<JsonObject>;
}

type Registered = (server: McpServer, api: OwnApi, clock: Pick<Clock, 'now'>) => void;

/** The schema is compiled once, for the servers of all requests. */
const tool = <A>({ name, title, description, input, annotations, run }: Tool<A>): Registered => {
  const inputSchema = fromJsonSchema<A>(Object.fromEntries(Object.entries(input)));
  return (server, api, clock) =>
    void server.registerTool(name, { title, description, inputSchema, annotations }, async (given) => {
      try {
        const result = await run(api, given, clock);
        return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    });
};

const READS = { readOnlyHint: true, openWorldHint: false } as const;
const STREAM_ID = s.described(s.uuid, 'Id of the stream.');
const LIMIT = { type: 'integer', minimum: 1, maximum: 100, default: 20 } as const satisfies Schema<number>;
const LABEL = s.described(s.textUpTo(255), 'Only streams with this label.');
/** Clients give up after a minute or a few. */
const WAIT_SECONDS = { type: 'integer', minimum: 0, maximum: 300, default: 0 } as const satisfies Schema<number>;
const OFFSET = { type: 'integer', minimum: 0, default: 0, description: 'Characters to leave out.' } as const satisfies Schema<number>;
const CHARACTERS = { type: 'integer', minimum: 1, maximum: 100_000, default: 20_000 } as const satisfies Schema<number>;

const transcribeUrl = tool({
  name: 'transcribe_url',
  title: 'Transcribe a recording',
  description:
    'Fetches a recording from a URL and transcribes it. Answers at once with the stream, or with its text if it ends within wait_seconds.',
  input: s.object(
    { url: s.described({ ...s.textUpTo(8_192), pattern: '^https?://' }, 'http(s) address of audio or video.') },
    {
      template: s.described(s.textUpTo(255), 'Id or name of a template. Default: transcribe, with speakers: diarize.'),
      language: s.described(s.textUpTo(64), 'Such as de. Default: detected.'),
      speakers: s.described(s.ordinal, 'Number of speakers. They are then told apart.'),
      wait_seconds: WAIT_SECONDS,
    },
  ),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  run: async (api, { url, template, language, speakers, wait_seconds: seconds = WAIT_SECONDS.default }) => {
    const streamConfigurationTemplateId = template ?? (speakers === undefined ? 'transcribe' : 'diarize');
    const query = { streamConfigurationTemplateId, persist: 'true', language, speakersNumber: speakers };
    const { streamId } = await api.json('/http-gateway/api/v1/upload', { method: 'POST', query, text: url });
    const id = String(streamId);
    const text = seconds === 0 ? null : await textOf(api, id, seconds).catch(nullIfLate);
    return { ...shownStream(await api.json(streamPath(id))), ...(text !== null && { text }) };
  },
});

const nullIfLate = (error: unknown): null => {
  if (error instanceof DOMException && error.name === 'TimeoutError') return null;
  throw error;
};

const listStreams = tool({
  name: 'list_streams',
  title: 'List recordings',
  description: 'Lists your recordings and texts (streams), newest first. Give nextCursor as cursor for the next page.',
  input: s.object(
    {},
    {
      query: s.described(s.textUpTo(255), 'Part of the name.'),
      label: LABEL,
      state: s.oneOf('READY', 'COMPLETED', 'FAILED', 'EXPIRED'),
      limit: LIMIT,
      cursor: s.described(s.textUpTo(20), 'From an earlier answer.'),
    },
  ),
  annotations: READS,
  run: async (api, { query, label, state, limit: size = LIMIT.default, cursor }) => {
    const page = await api.json('/stream-service/api/v1/streams', { query: { nameContains: query, label, state, size, page: cursor } });
    return { streams: contentList(page).map(shownStream), nextCursor: nextOf(page) };
  },
});

const contentList = ({ content }: JsonObject): JsonObject[] => (Array.isArray(content) ? content.filter(isJsonObject) : []);
const nextOf = ({ last, number }: JsonObject): string | null => (last === false ? String(Number(number) + 1) : null);

const getTranscript = tool({
  name: 'get_transcript',
  title: 'Read a transcript',
  description: 'The text of a stream that has ended. Of a long one give nextOffset as offset for the next part.',
  input: s.object({ stream_id: STREAM_ID }, { offset: OFFSET, limit: CHARACTERS }),
  annotations: READS,
  run: async (api, { stream_id: id, offset = OFFSET.default, limit = CHARACTERS.default }) => {
    const stream = await endedStream(api, id);
    const characters = [...(await textOf(api, id))];
    if (characters.length === 0) refuseFailed(stream);
    const end = offset + limit;
    return { text: characters.slice(offset, end).join(''), nextOffset: end < characters.length ? end : null };
  },
});

/** A failed stream may have results of the stages before the failure. */
const refuseFailed = ({ state, stateDescription }: JsonObject): void => {
  if (state === 'FAILED') throw new Refused(`The stream failed: ${stateDescription ?? 'no reason is known.'}`);
};

const searchTranscripts = tool({
  name: 'search_transcripts',
  title: 'Search transcripts',
  description:
    'Finds streams by the words of their transcripts, summaries and answers, with the best passages. Supports "a phrase", -without and pref*.',
  input: s.object({ query: s.textUpTo(500) }, { label: LABEL, limit: LIMIT }),
  annotations: READS,
  run: async (api, { query: q, label, limit: size = LIMIT.default }) => {
    const page = await api.json('/export-service/api/v1/search', { query: { q, label, size } });
    const streams = contentList(page).map((found) => ({ ...shownStream(found), hits: found.hits ?? 0, passages: passagesOf(found) }));
    return { streams };
  },
});

const passagesOf = ({ passages }: JsonObject): JsonObject[] =>
  (Array.isArray(passages) ? passages.filter(isJsonObject) : []).map(({ kind = null, speaker = null, start = null, text = null }) => ({
    ...{ kind, speaker, start_ms: start, text },
  }));

const getSummary = tool({
  name: 'get_summary',
  title: 'Read a summary',
  description: 'The summary of a stream that has ended; null if none was asked for. Of a stream that failed before it, the reason.',
  input: s.object({ stream_id: STREAM_ID }),
  annotations: READS,
  run: async (api, { stream_id: id }) => {
    const stream = await endedStream(api, id);
    const summary = contentOf((await resultsOf(api, id)).summary);
    if (summary === null) refuseFailed(stream);
    return { summary };
  },
});

const PROMPT_ID = 'question';

const ask = tool({
  name: 'ask',
  title: 'Ask about a recording',
  description:
    'Answers a question from the text of a stream that has ended. The language model of the server runs once more over it, and makes its summary and other answers again.',
  input: s.object({ stream_id: STREAM_ID, question: s.textUpTo(4_000) }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run: async (api, { stream_id: id, question }) => {
    const slot = freeSlot(await api.json(streamPath(id)));
    const json = { from: 'llm', patches: { [`ask${slot}`]: question, [`ask${slot}Id`]: PROMPT_ID }, reason: 'Question of an MCP client' };
    const { attempt } = await api.json(`${streamPath(id)}/rerun`, { method: 'POST', json });
    const { askAnything } = await resultsOf(api, id, Number(attempt));
    const answer = isJsonObject(askAnything) ? contentOf(askAnything[PROMPT_ID]) : null;
    if (answer === null) refuseFailed(await endedStream(api, id));
    return { answer };
  },
});

/** The place among the three questions of a stream: that of an earlier question of this tool, or one that its upload left free, or the last. */
const freeSlot = ({ configuration }: JsonObject): number => {
  const processors = isJsonObject(configuration) && Array.isArray(configuration.processors) ? configuration.processors : [];
  const llm = processors.find((processor) => isJsonObject(processor) && processor.id === 'llm');
  const properties = isJsonObject(llm) && isJsonObject(llm.properties) ? llm.properties : {};
  const asked = isJsonObject(properties.askAnything) ? properties.askAnything : {};
  const own = SLOTS.find((n) => isJsonObject(asked[n]) && asked[n].promptId === PROMPT_ID);
  return own ?? SLOTS.findLast((n) => asked[n] === undefined) ?? 2;
};

const SLOTS = [0, 1, 2] as const;

const HOUR = 3_600_000;

const exportLink = tool({
  name: 'export_link',
  title: 'Share a transcript by a link',
  description:
    'Makes a link that opens the transcript of a stream for one hour. Anyone who has it can read without signing in. The recording is not shared.',
  input: s.object(
    { stream_id: STREAM_ID },
    { format: s.described(s.oneOf('TEXT', 'SRT', 'VTT', 'DOCX'), 'The link downloads this file. Default: it opens a page.') },
  ),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run: async (api, { stream_id: id, format }, clock) => {
    const json = { expires: isoTime(clock.now() + HOUR), media: false };
    const { url, expires = null } = await api.json(`${streamPath(id)}/shares`, { method: 'POST', json });
    return { url: format === undefined ? String(url) : `${url}/${format}`, expires };
  },
});

export const TOOLS: readonly Registered[] = [
  ...[transcribeUrl, listStreams, getTranscript, searchTranscripts, getSummary, ask, exportLink],
];
