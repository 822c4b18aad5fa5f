import {
  anyObject,
  count,
  described,
  flag,
  listOf,
  mapOf,
  named,
  number,
  numberOrNull,
  oneOf,
  partial,
  resource,
  text,
  textOrNull,
  uuid,
} from '../input/jsonSchemas.ts';

/** OpenAPI schemas of results: exports and messages of sinks. Times are milliseconds. */

const sentiment = named('Sentiment', oneOf('negative', 'neutral', 'positive'));
const counts = { negativeCount: count, positiveCount: count, neutralCount: count, averageScore: number, sentiment };

const sentimentSegment = named(
  'SentimentSegment',
  partial({ text, sentiment, channel: number, startTime: numberOrNull, endTime: numberOrNull, score: number }, [
    'text',
    'sentiment',
    'startTime',
    'endTime',
    'score',
  ]),
);

const sentimentSummary = named(
  'SentimentSummary',
  partial({ ...counts, channels: listOf(named('ChannelSentiment', resource({ channel: number, ...counts }))) }, Object.keys(counts)),
);

const word = named(
  'Word',
  partial(
    {
      word: described(text, 'Includes its leading space: the words joined without separator are the text.'),
      start: number,
      end: number,
      confidence: { type: 'number', minimum: 0, maximum: 1 },
      language: text,
      speakers: listOf(text),
      speakersOverlap: flag,
      channel: text,
    },
    ['word'],
  ),
);

const utterance = named(
  'Utterance',
  partial({ speakerIds: listOf(text), overlap: flag, channel: text, start: number, end: number, text, words: listOf(word) }, [
    'text',
    'words',
  ]),
);

const transcription = named('Transcription', resource({ text, words: listOf(word) }));

/** Inapplicable members are absent. */
export const EXPORT_RESULT_SCHEMA = named(
  'ExportResult',
  partial({
    transcription,
    utterances: listOf(utterance),
    summary: named('Summary', resource({ content: text })),
    askAnything: described(
      mapOf(named('PromptAnswer', resource({ promptId: text, content: text, responseFormatSpecification: textOrNull }))),
      'By prompt id.',
    ),
    sentimentAnalysis: named('SentimentAnalysis', resource({ segments: listOf(sentimentSegment), summary: sentimentSummary })),
    enhancedTranscription: named('EnhancedTranscription', resource({ transcription, utterances: listOf(utterance) })),
    metadata: described(
      mapOf(
        named(
          'ResultMetadata',
          partial(
            {
              engine: described(
                text,
                'What made the result, such as `faster-whisper 1.2.1`; `extractive` for extracts of the text itself.',
              ),
              model: text,
              language: textOrNull,
              languageProbability: described(number, 'Present if the language was detected.'),
              wordTimes: described(oneOf('aligned', 'estimated'), 'Whether the engine measured the times of words.'),
              recordingLength: described(number, 'Length of the recording as its file announces it, in milliseconds.'),
              warnings: described(listOf(text), 'What is wrong with the recording.'),
            },
            ['engine'],
          ),
        ),
      ),
      'By processor id; of several streams by `<streamId>/<processorId>`.',
    ),
  }),
);

const transcribedWord = named(
  'TranscribedWord',
  resource({
    word: text,
    start: numberOrNull,
    end: numberOrNull,
    confidence: numberOrNull,
    language: textOrNull,
    metadata: described(anyObject, '`speakers` and `speakersOverlap` are present after a diarization.'),
  }),
);

const transcriptionMessage = named(
  'TranscriptionMessage',
  resource({
    transcription: text,
    words: listOf(transcribedWord),
    start: numberOrNull,
    end: numberOrNull,
    metadata: anyObject,
    channel: textOrNull,
    utterance: described(flag, 'Whether this message is a whole utterance.'),
  }),
);

const diarizationMessage = named(
  'DiarizationMessage',
  resource({ speakerIds: listOf(text), overlap: flag, start: number, end: number, metadata: anyObject }),
);

const contents = listOf(named('LlmContent', resource({ content: text })));

const llmMessage = named(
  'LlmMessage',
  partial(
    {
      promptId: textOrNull,
      sequenceId: count,
      responseFormatSpecification: described(textOrNull, 'The requested JSON Schema, as text.'),
      summary: contents,
      askAnything: contents,
      sentimentAnalysis: listOf(sentimentSegment),
      sentimentAnalysisSummary: sentimentSummary,
      metadata: anyObject,
    },
    ['promptId', 'sequenceId', 'responseFormatSpecification', 'metadata'],
  ),
);

/** Possible contents of `SinkMessage.payload` besides text, named by `payloadSchema`. */
export const PAYLOAD_SCHEMAS = [transcriptionMessage, diarizationMessage, llmMessage];

export const SINK_MESSAGE_SCHEMA = named(
  'SinkMessage',
  resource({
    streamId: uuid,
    groupId: uuid,
    tags: listOf(text),
    sinkTopicName: text,
    messageId: described(text, 'Id of the message within its sink. `resume` continues after it.'),
    processorId: text,
    sequenceId: described(
      count,
      'Counts the final messages of the sink from 0. A partial message has the number that the next final one will have.',
    ),
    publishTimestamp: described(count, 'Milliseconds since the epoch.'),
    frameType: oneOf('final', 'partial'),
    payloadSchema: described(text, '`bytes` (base64), `string`, or the fully qualified name of the schema of the payload.'),
    payload: {
      description:
        'Payload in the form that `payloadSchema` names: text, or a `TranscriptionMessage`, `DiarizationMessage` or `LlmMessage`. Null if it was omitted on request.',
    },
    headers: anyObject,
  }),
);
