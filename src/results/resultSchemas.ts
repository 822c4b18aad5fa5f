import * as s from '../schema.ts';

/** OpenAPI schemas of results: exports and messages of sinks. Times are milliseconds. */

const sentiment = s.named('Sentiment', s.oneOf('negative', 'neutral', 'positive'));
const counts = { negativeCount: s.count, positiveCount: s.count, neutralCount: s.count, averageScore: s.number, sentiment };

const sentimentSegment = s.named(
  'SentimentSegment',
  s.partial(
    { text: s.text, sentiment, channel: s.number, startTime: s.nullable(s.number), endTime: s.nullable(s.number), score: s.number },
    ['text', 'sentiment', 'startTime', 'endTime', 'score'],
  ),
);

const sentimentSummary = s.named(
  'SentimentSummary',
  s.partial(
    { ...counts, channels: s.list(s.named('ChannelSentiment', s.resource({ channel: s.number, ...counts }))) },
    Object.keys(counts) as (keyof typeof counts)[],
  ),
);

export const WORD = s.named(
  'Word',
  s.partial(
    {
      word: s.described(s.text, 'Includes its leading space: the words joined without separator are the text.'),
      start: s.number,
      end: s.number,
      confidence: { ...s.number, minimum: 0, maximum: 1 },
      language: s.text,
      speakers: s.list(s.text),
      speakersOverlap: s.flag,
      channel: s.text,
    },
    ['word'],
  ),
);

export const UTTERANCE = s.named(
  'Utterance',
  s.partial(
    { speakerIds: s.list(s.text), overlap: s.flag, channel: s.text, start: s.number, end: s.number, text: s.text, words: s.list(WORD) },
    ['text', 'words'],
  ),
);

const transcription = s.named('Transcription', s.resource({ text: s.text, words: s.list(WORD) }));

export const TRANSCRIPT = s.named('EnhancedTranscription', s.resource({ transcription, utterances: s.list(UTTERANCE) }));

export const PROMPT_ANSWER = s.named(
  'PromptAnswer',
  s.resource({ promptId: s.text, content: s.text, responseFormatSpecification: s.nullable(s.text) }),
);

const WARNING = s.named(
  'ResultWarning',
  s.resource({ code: s.described(s.text, 'For programs, such as `LANGUAGE_UNLIKELY`.'), message: s.described(s.text, 'For people.') }),
);

/** Inapplicable members are absent. */
export const EXPORT_RESULT_SCHEMA = s.named(
  'ExportResult',
  s.partial({
    transcription,
    utterances: s.list(UTTERANCE),
    speakerNames: s.described(s.map(s.text), 'Names of speakers by their ids; of several streams by `<streamId>/<id>`.'),
    summary: s.named('Summary', s.resource({ content: s.text })),
    askAnything: s.described(s.map(PROMPT_ANSWER), 'By prompt id.'),
    sentimentAnalysis: s.named('SentimentAnalysis', s.resource({ segments: s.list(sentimentSegment), summary: sentimentSummary })),
    enhancedTranscription: TRANSCRIPT,
    metadata: s.described(
      s.map(
        s.named(
          'ResultMetadata',
          s.partial(
            {
              engine: s.described(
                s.text,
                'What made the result, such as `faster-whisper 1.2.1`; `extractive` for extracts of the text itself.',
              ),
              model: s.text,
              language: s.nullable(s.text),
              languageProbability: s.described(s.number, 'Present if the language was detected.'),
              wordTimes: s.described(s.oneOf('aligned', 'estimated'), 'Whether the engine measured the times of words.'),
              recordingLength: s.described(
                s.number,
                'Length of the recording as its file states it, in milliseconds. Absent if it states none.',
              ),
              warnings: s.described(
                s.list(WARNING),
                'Problems that did not fail the run. A warning of an older result has the code `NOTE`.',
              ),
            },
            ['engine'],
          ),
        ),
      ),
      'By processor id; of several streams by `<streamId>/<processorId>`.',
    ),
  }),
);

const transcribedWord = s.named(
  'TranscribedWord',
  s.resource({
    word: s.text,
    start: s.nullable(s.number),
    end: s.nullable(s.number),
    confidence: s.nullable(s.number),
    language: s.nullable(s.text),
    metadata: s.described(s.anyObject, '`speakers` and `speakersOverlap` are present after a diarization.'),
  }),
);

const transcriptionMessage = s.named(
  'TranscriptionMessage',
  s.resource({
    transcription: s.text,
    words: s.list(transcribedWord),
    start: s.nullable(s.number),
    end: s.nullable(s.number),
    metadata: s.anyObject,
    channel: s.nullable(s.text),
    utterance: s.described(s.flag, 'Whether this message is a whole utterance.'),
  }),
);

const diarizationMessage = s.named(
  'DiarizationMessage',
  s.resource({ speakerIds: s.list(s.text), overlap: s.flag, start: s.number, end: s.number, metadata: s.anyObject }),
);

const contents = s.list(s.named('LlmContent', s.resource({ content: s.text })));

const llmMessage = s.named(
  'LlmMessage',
  s.partial(
    {
      promptId: s.nullable(s.text),
      sequenceId: s.count,
      responseFormatSpecification: s.described(s.nullable(s.text), 'The requested JSON Schema, as text.'),
      summary: contents,
      askAnything: contents,
      sentimentAnalysis: s.list(sentimentSegment),
      sentimentAnalysisSummary: sentimentSummary,
      metadata: s.anyObject,
    },
    ['promptId', 'sequenceId', 'responseFormatSpecification', 'metadata'],
  ),
);

/** Possible contents of `SinkMessage.payload` besides text, named by `payloadSchema`. */
export const PAYLOAD_SCHEMAS = [transcriptionMessage, diarizationMessage, llmMessage];

export const SINK_MESSAGE_SCHEMA = s.named(
  'SinkMessage',
  s.resource({
    streamId: s.uuid,
    groupId: s.uuid,
    tags: s.list(s.text),
    sinkTopicName: s.text,
    messageId: s.described(s.text, 'Id of the message within its sink. `resume` continues after it.'),
    processorId: s.text,
    sequenceId: s.described(
      s.count,
      'Counts the final messages of the sink from 0. A partial message has the number that the next final one will have.',
    ),
    publishTimestamp: s.described(s.count, 'Milliseconds since the epoch.'),
    frameType: s.oneOf('final', 'partial'),
    payloadSchema: s.described(s.text, '`bytes` (base64), `string`, or the fully qualified name of the schema of the payload.'),
    payload: {
      description:
        'Payload in the form that `payloadSchema` names: text, or a `TranscriptionMessage`, `DiarizationMessage` or `LlmMessage`. Null if it was omitted on request.',
    },
    headers: s.anyObject,
  }),
);
