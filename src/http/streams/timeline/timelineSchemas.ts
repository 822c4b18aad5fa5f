import {
  count,
  described,
  flag,
  integerOrNull,
  listOf,
  named,
  oneOf,
  orNull,
  resource,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../../input/jsonSchemas.ts';
import { OPERATION_TYPE } from '../streamSchemas.ts';

const CREDITS = described(textOrNull, 'A decimal number of credits. Null until the stage has ended.');

const QUANTITIES = named(
  'StageQuantities',
  resource({
    executionTime: described(integerOrNull, 'Milliseconds.'),
    storageSize: described(integerOrNull, 'Bytes kept.'),
    ingressSize: described(integerOrNull, 'Bytes read.'),
    egressSize: described(integerOrNull, 'Bytes of output.'),
    processedAudioLength: described(integerOrNull, 'Milliseconds.'),
    processedTokens: integerOrNull,
    processedInputTokens: integerOrNull,
    processedOutputTokens: integerOrNull,
  }),
);

const DATA = named(
  'StageData',
  resource({
    messageSchema: described(text, '`bytes`, `string`, or the name of the schema of the messages.'),
    bytes: described(integerOrNull, 'Null while the size is not known.'),
    kept: described(flag, 'Whether the data can be read now.'),
  }),
);

const STAGE = named(
  'StageTimeline',
  resource({
    processorId: text,
    declarationId: described(text, 'Built-in processor, or `<declaration id>@<version>` of a processor of your own.'),
    operationType: OPERATION_TYPE,
    previousProcessorId: described(textOrNull, 'Stage whose output it reads. Null reads the upload.'),
    mode: oneOf('batch', 'live'),
    state: described(
      named('StageState', oneOf('WAITING', 'QUEUED', 'RUNNING', 'WAITING_FOR_ENGINE', 'COMPLETED', 'FAILED', 'CLOSED')),
      '`WAITING`: for its input. `QUEUED`: for its turn. `CLOSED`: canceled, or behind a failed stage.',
    ),
    queuedTimestamp: described(timeOrNull, 'When its input was there.'),
    startedTimestamp: described(timeOrNull, 'Start of the first try.'),
    endedTimestamp: timeOrNull,
    tries: listOf(named('StageTry', resource({ number: count, startedTimestamp: time }))),
    waits: described(
      listOf(named('EngineWait', resource({ since: time, until: described(timeOrNull, 'Null while it waits.'), reason: textOrNull }))),
      'Times in which it waited for its engine.',
    ),
    input: DATA,
    output: DATA,
    engine: described(
      orNull(named('StageEngine', resource({ name: text, model: textOrNull }))),
      'Null until it is known, which takes two seconds or the end of the stage, and for a stage without an engine.',
    ),
    description: textOrNull,
    error: described(
      orNull(named('StageError', resource({ name: text, message: textOrNull, advice: described(text, 'What to do next.') }))),
      'Null unless it failed.',
    ),
    credits: CREDITS,
    quantities: described(orNull(QUANTITIES), 'Null until the stage has ended.'),
  }),
);

export const ATTEMPT_TIMELINE = named(
  'AttemptTimeline',
  resource({
    attempt: described(count, '1 is the upload; each rerun counts up.'),
    from: described(textOrNull, 'Stage that a rerun began with; null runs the whole chain.'),
    reason: textOrNull,
    state: oneOf('READY', 'COMPLETED', 'FAILED'),
    stateDescription: textOrNull,
    startedTimestamp: time,
    endedTimestamp: timeOrNull,
    correlationId: described(text, 'Of the request that asked for the attempt. Its events and log lines carry it.'),
    traceId: described(text, 'Trace of the attempt (W3C Trace Context).'),
    credits: described(text, 'Sum over the stages that have ended, a decimal number.'),
    stages: described(listOf(STAGE), 'The stages that run in this attempt, in the order of the chain.'),
  }),
);
