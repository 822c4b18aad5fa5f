import * as s from '../../../schema.ts';
import { OPERATION_TYPE, QUANTITY_MEMBERS } from '../streamSchemas.ts';

const CREDITS = s.described(s.nullable(s.text), 'A decimal number of credits. Null until the stage has ended.');

const QUANTITIES = s.named('StageQuantities', s.resource(QUANTITY_MEMBERS));

const DATA = s.named(
  'StageData',
  s.resource({
    messageSchema: s.described(s.text, '`bytes`, `string`, or the name of the schema of the messages.'),
    bytes: s.described(s.nullable(s.integer), 'Null while the size is not known.'),
    kept: s.described(s.flag, 'Whether the data can be read now.'),
  }),
);

const STAGE = s.named(
  'StageTimeline',
  s.resource({
    processorId: s.text,
    declarationId: s.described(s.text, 'Built-in processor, or `<declaration id>@<version>` of a processor of your own.'),
    operationType: OPERATION_TYPE,
    previousProcessorId: s.described(s.nullable(s.text), 'Stage whose output it reads. Null reads the upload.'),
    mode: s.oneOf('batch', 'live'),
    state: s.described(
      s.named('StageState', s.oneOf('WAITING', 'QUEUED', 'RUNNING', 'WAITING_FOR_ENGINE', 'COMPLETED', 'FAILED', 'CLOSED')),
      '`WAITING`: for its input. `QUEUED`: for its turn. `CLOSED`: canceled, or behind a failed stage.',
    ),
    queuedTimestamp: s.described(s.nullable(s.time), 'When its input was there.'),
    startedTimestamp: s.described(s.nullable(s.time), 'Start of the first try.'),
    endedTimestamp: s.nullable(s.time),
    tries: s.list(s.named('StageTry', s.resource({ number: s.count, startedTimestamp: s.time }))),
    waits: s.described(
      s.list(
        s.named(
          'EngineWait',
          s.resource({ since: s.time, until: s.described(s.nullable(s.time), 'Null while it waits.'), reason: s.nullable(s.text) }),
        ),
      ),
      'Times in which it waited for its engine.',
    ),
    input: DATA,
    output: DATA,
    engine: s.described(
      s.nullable(s.named('StageEngine', s.resource({ name: s.text, model: s.nullable(s.text) }))),
      'Null until it is known, which takes two seconds or the end of the stage, and for a stage without an engine.',
    ),
    description: s.nullable(s.text),
    error: s.described(
      s.nullable(
        s.named('StageError', s.resource({ name: s.text, message: s.nullable(s.text), advice: s.described(s.text, 'What to do next.') })),
      ),
      'Null unless it failed.',
    ),
    credits: CREDITS,
    quantities: s.described(s.nullable(QUANTITIES), 'Null until the stage has ended.'),
  }),
);

export const ATTEMPT_TIMELINE = s.named(
  'AttemptTimeline',
  s.resource({
    attempt: s.described(s.count, '1 is the upload; each rerun counts up.'),
    from: s.described(s.nullable(s.text), 'Stage that a rerun began with; null runs the whole chain.'),
    reason: s.nullable(s.text),
    state: s.oneOf('READY', 'COMPLETED', 'FAILED'),
    stateDescription: s.nullable(s.text),
    startedTimestamp: s.time,
    endedTimestamp: s.nullable(s.time),
    correlationId: s.described(s.text, 'Of the request that asked for the attempt. Its events and log lines carry it.'),
    traceId: s.described(s.text, 'Trace of the attempt (W3C Trace Context).'),
    credits: s.described(s.text, 'Sum over the stages that have ended, a decimal number.'),
    stages: s.described(s.list(STAGE), 'The stages that run in this attempt, in the order of the chain.'),
  }),
);
