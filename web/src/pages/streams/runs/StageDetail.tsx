import { ask } from '../../../api/request.ts';
import { useResource } from '../../../api/useResource.ts';
import { Cost } from '../../../parts/Cost.tsx';
import { Download } from '../../../parts/Download.tsx';
import { bytes, duration, moment } from '../../../parts/format.ts';
import { Loaded, Note } from '../../../parts/Notes.tsx';
import { originInWords } from '../../../results/origins.ts';
import { dataPath, type Stage, type StageData } from './attempts.ts';

interface StageDetailProps {
  readonly streamId: string;
  readonly attempt: number;
  readonly stage: Stage;
}

/** Everything about one run of a stage: its error, its tries and waits, its engine, its cost, its input and output. */
export const StageDetail = ({ streamId, attempt, stage }: StageDetailProps) => {
  const { error, description, engine, declarationId, tries, waits, credits } = stage;
  return (
    <div class="run-detail">
      {error && (
        <Note tone="bad">
          <strong>{error.message ?? 'Failed.'}</strong> {error.advice} <code>{error.name}</code>
        </Note>
      )}
      {description && <Note>{description}</Note>}
      <dl class="facts">
        <dt>Processor</dt>
        <dd>{declarationId}</dd>
        {engine && (
          <>
            <dt>Engine</dt>
            <dd>{originInWords({ engine: engine.name, model: engine.model, language: null })}</dd>
          </>
        )}
        {tries.length > 0 && (
          <>
            <dt>{tries.length === 1 ? 'Started' : 'Tries'}</dt>
            <dd>{tries.map(({ startedTimestamp }) => moment(startedTimestamp)).join(', ')}</dd>
          </>
        )}
        {stage.endedTimestamp && (
          <>
            <dt>Ended</dt>
            <dd>{moment(stage.endedTimestamp)}</dd>
          </>
        )}
        {waits.map(({ since, until, reason }) => (
          <Wait key={since} since={since} until={until} reason={reason} />
        ))}
        {credits !== null && (
          <>
            <dt>Cost</dt>
            <dd>
              <Cost credits={credits} />
            </dd>
          </>
        )}
      </dl>
      <div class="run-data">
        <Data {...{ streamId, attempt, stage }} side="input" data={stage.input} />
        <Data {...{ streamId, attempt, stage }} side="output" data={stage.output} />
      </div>
    </div>
  );
};

const Wait = ({ since, until, reason }: Stage['waits'][number]) => (
  <>
    <dt>Waited for an engine</dt>
    <dd>
      {until === null ? `since ${moment(since)}` : duration(Date.parse(until) - Date.parse(since))}
      {reason && `: ${reason}`}
    </dd>
  </>
);

interface DataProps extends StageDetailProps {
  readonly side: 'input' | 'output';
  readonly data: StageData;
}

const SIDE_NAMES = { input: 'Input', output: 'Output' } as const;
const ENDINGS: Readonly<Record<string, string>> = { bytes: 'bin', string: 'txt' };

const Data = ({ streamId, attempt, stage: { processorId, state }, side, data: { messageSchema, bytes: size, kept } }: DataProps) => {
  const path = dataPath(streamId, attempt, processorId, side);
  const ending = ENDINGS[messageSchema] ?? 'ndjson';
  return (
    <section class="run-side" aria-label={`${SIDE_NAMES[side]} of ${processorId}`}>
      <h4>
        {SIDE_NAMES[side]}{' '}
        <span class="quiet small">{[messageSchema.split('.').at(-1), size !== null && bytes(size)].filter(Boolean).join(', ')}</span>
      </h4>
      {kept ? (
        <>
          {messageSchema !== 'bytes' && size !== 0 && (
            <FirstLines path={path} label={`First lines of the ${side} of ${processorId}`} state={state} />
          )}
          <div class="actions">
            <Download
              label={`Download ${side}`}
              path={path}
              fileName={`${streamId}-${attempt}-${processorId}-${side}.${ending}`}
              whenEmpty="There are no data"
            />
          </div>
        </>
      ) : (
        <p class="quiet small">{state === 'FAILED' && side === 'output' ? 'A failed stage keeps no output.' : 'Not kept.'}</p>
      )}
    </section>
  );
};

const FIRST_LINES = 5;
const REFRESH_MILLISECONDS = 2_000;

/** Read again while the stage runs and shows fewer lines than fit. */
const FirstLines = ({ path, label, state }: { readonly path: string; readonly label: string; readonly state: Stage['state'] }) => {
  const lines = useResource({
    key: `${path} ${state}`,
    load: async (signal) => (await ask('GET', path, { query: { lines: FIRST_LINES }, signal })).text(),
    every: (text = '') => (state === 'RUNNING' && text.split('\n').length <= FIRST_LINES ? REFRESH_MILLISECONDS : null),
  });
  return (
    <Loaded resource={lines}>
      {(text) =>
        text === '' ? (
          <p class="quiet small">Empty.</p>
        ) : (
          <pre class="run-lines" role="region" aria-label={label} tabIndex={0} dir="auto">
            {text}
          </pre>
        )
      }
    </Loaded>
  );
};
