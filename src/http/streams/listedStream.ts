import { Big } from 'big.js';
import { adviceOnStream } from '../../domain/stream/advice.ts';
import { audioLengthOf } from '../../domain/stream/attempts.ts';
import type { StreamAggregate } from '../../domain/stream/state.ts';
import type { Stream } from '../../domain/stream/streamResource.ts';
import { warningsOf } from '../../domain/stream/warnings.ts';
import type { JsonSchema } from '../../json.ts';
import * as s from '../../schema.ts';
import { ADVICE, pageSchema, STREAM_SCHEMA } from './streamSchemas.ts';

const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  audioLength: s.described(s.nullable(s.integer), 'Milliseconds of audio that were processed. Null without audio, and until it is known.'),
  credits: s.described(s.text, 'Credits of all ended runs of all attempts, a decimal number.'),
  advice: ADVICE,
  warnings: s.described(
    s.list(s.text),
    'Codes of the warnings in the results, such as `LANGUAGE_UNLIKELY`. The results have them with their text.',
  ),
};

const LISTED_STREAM: JsonSchema = {
  ...STREAM_SCHEMA,
  title: 'ListedMediaStream',
  properties: { ...(STREAM_SCHEMA.properties as Readonly<Record<string, JsonSchema>>), ...MEMBERS },
  required: [...(STREAM_SCHEMA.required as readonly string[]), ...Object.keys(MEMBERS)],
};

/** Keeps its name, which generated clients know. */
export const STREAM_PAGE: JsonSchema = { ...pageSchema(LISTED_STREAM), title: 'MediaStreamPage' };

/** A stream of a list, with the length of its audio, its cost, advice and warnings. */
export const listedStream = (stream: Stream, aggregate: StreamAggregate): object => {
  const bills = aggregate.attempts.flatMap(({ runs }) => runs.flatMap(({ bill }) => bill ?? []));
  return {
    ...stream,
    audioLength: audioLengthOf(aggregate),
    credits: bills.reduce((sum, { credits }) => sum.plus(credits), new Big(0)).toFixed(),
    advice: adviceOnStream(aggregate),
    warnings: warningsOf(aggregate),
  };
};
