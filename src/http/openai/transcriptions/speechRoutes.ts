import * as s from '../../../schema.ts';
import { OPENAI_TAG } from '../../errors/openAiSchemas.ts';
import { type DocumentedContent, defineRoute, type QueryParameters, type Route } from '../../route/route.ts';
import type { SpeechGateway } from './speechGateway.ts';
import { RESPONSE_FORMATS, type SpeechTask } from './speechRequest.ts';

const PERSIST = {
  persist: { schema: { type: 'boolean', default: false }, description: 'Keeps the results for export. Default: the stream is ephemeral.' },
} as const satisfies QueryParameters;

const AUDIO = { type: 'string', format: 'binary', description: 'The recording, in any format that ffmpeg reads.' };

const SPEECH_FIELDS = {
  file: AUDIO,
  model: s.described(
    s.text,
    'gpt-transcribe, whisper-1, gpt-4o-transcribe, gpt-4o-mini-transcribe, gpt-4o-transcribe-diarize, or a template by id or name.',
  ),
  prompt: s.described(s.text, 'Words to expect, at most 4,096 characters.'),
  'keywords[]': s.described(s.list(s.text), 'Words to expect. With the prompt, at most 4,096 characters.'),
  temperature: { type: 'number', minimum: 0, maximum: 1, description: 'Passed on where the engine has one.' },
};

const formOf = (fields: Readonly<Record<string, object>>): Readonly<Record<string, DocumentedContent>> => ({
  'multipart/form-data': {
    schema: { type: 'object', properties: { ...SPEECH_FIELDS, ...fields }, required: ['file', 'model'] },
    examples: { form: { summary: 'The two required fields; the file is a recording', value: { file: 'RIFF...', model: 'whisper-1' } } },
  },
});

const FORMS: Readonly<Record<SpeechTask, Readonly<Record<string, DocumentedContent>>>> = {
  transcribe: formOf({
    language: s.described(s.text, 'Language code, at most 35 characters. Default: detected.'),
    'languages[]': s.described(s.list(s.text), 'Languages that the recording may be in, at most 20.'),
    'known_speaker_names[]': s.described(s.list(s.text), 'Names for the speakers in the order in which they appear. With diarized_json.'),
    response_format: { ...s.oneOf(...RESPONSE_FORMATS), default: 'json' },
    'timestamp_granularities[]': s.described(s.list(s.oneOf('segment', 'word')), 'Only with verbose_json. Default: segment.'),
    stream: s.described(s.flag, 'true: server-sent events.'),
    chunking_strategy: s.described(s.text, 'auto or server_vad. Checked, without effect: the engine decides.'),
    'include[]': s.described(s.list(s.oneOf('logprobs')), 'Checked, without effect.'),
  }),
  translate: formOf({ response_format: { ...s.oneOf('json', 'text', 'srt', 'verbose_json', 'vtt'), default: 'json' } }),
};

const usage = s.resource({ type: s.oneOf('duration'), seconds: s.number });
const segments = s.list(s.anyObject);

const TRANSCRIPT = s.named(
  'OpenAiTranscript',
  s.partial(
    {
      text: s.text,
      usage: s.described(usage, 'Length of the recording.'),
      task: s.described(s.oneOf('transcribe', 'translate'), 'With verbose_json and diarized_json.'),
      language: s.described(s.text, "The language's English name, with verbose_json."),
      duration: s.described(s.number, 'Seconds, with verbose_json and diarized_json.'),
      segments: s.described(segments, 'With verbose_json and diarized_json; times in seconds.'),
      words: s.described(
        s.list(s.resource({ word: s.text, start: s.number, end: s.number })),
        'With the granularity word; times in seconds.',
      ),
    },
    ['text'],
  ),
);

/** The two operations that take a recording. */
export const speechRoutes = (gateway: SpeechGateway): Route[] => [
  speechRoute(gateway, 'transcribe', {
    operationId: 'createTranscription',
    path: '/v1/audio/transcriptions',
    summary: 'Transcribes a recording.',
  }),
  speechRoute(gateway, 'translate', {
    operationId: 'createTranslation',
    path: '/v1/audio/translations',
    summary: 'Translates a recording into English.',
  }),
];

const speechRoute = (gateway: SpeechGateway, task: SpeechTask, about: Pick<Route, 'operationId' | 'path' | 'summary'>): Route =>
  defineRoute({
    ...about,
    tag: OPENAI_TAG,
    method: 'POST',
    description:
      'The form of OpenAI, its parts in any order; unknown fields are ignored. Lists may be `x[]`, `x[0]`, a repeated `x`, or values with commas. The recording becomes an ordinary stream, which the header `x-stream-id` names, and the answer comes at its end. A client that hangs up cancels the stream.',
    access: 'authenticated',
    query: PERSIST,
    body: { kind: 'raw', contentTypes: ['multipart/form-data'], documented: FORMS[task] },
    responses: {
      200: {
        description: 'The transcript, in the format asked for.',
        schema: TRANSCRIPT,
        alternatives: {
          'text/plain; charset=utf-8': s.text,
          'text/event-stream; charset=utf-8': { description: 'Server-sent events, each with a JSON object in `data`.' },
        },
      },
      404: { description: 'No such model.' },
      429: { description: 'Too many running streams.' },
      504: { description: 'The stream did not end within OPENAI_MAX_WAIT_MS. It continues; the error names it.' },
    },
    handle: (request) => gateway.handle(request, task),
  });
