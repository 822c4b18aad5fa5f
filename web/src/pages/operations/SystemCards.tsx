import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { bytes, count, counted } from '../../parts/format.ts';
import { Loaded, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { Time } from '../../parts/Time.tsx';
import { type System, useSystem } from './operations.ts';

/** Version, disk, last backup and queues of the node that answers. */
export const SystemCards = () => {
  const system = useSystem();
  return (
    <div class="halves">
      <Card title="This node">
        <Loaded resource={system}>{(data) => <Facts system={data} />}</Loaded>
      </Card>
      <Card title="Queues of this node" class="flush headed">
        <Loaded resource={system}>
          {(data) => (
            <>
              <RunningStreams system={data} />
              <DataTable label="Queues" columns={COLUMNS} rows={queuesOf(data)} keyOf={({ name }) => name} />
            </>
          )}
        </Loaded>
      </Card>
    </div>
  );
};

const Facts = ({ system: { version, nodeVersion, form, startedTimestamp, disk, lastBackup } }: { readonly system: System }) => (
  <>
    {disk?.shortage && <Note tone="bad">{disk.shortage}</Note>}
    <dl class="facts">
      <dt>Tributary</dt>
      <dd>
        {version}, {form}
      </dd>
      <dt>Node.js</dt>
      <dd>{nodeVersion}</dd>
      <dt>Started</dt>
      <dd>
        <Time at={startedTimestamp} />
      </dd>
      <dt>Disk</dt>
      <dd>{disk ? space(disk) : 'MongoDB keeps the bytes'}</dd>
      <dt>Last backup</dt>
      <dd>
        <Backup backup={lastBackup} form={form} />
      </dd>
    </dl>
  </>
);

type Disk = NonNullable<System['disk']>;

const space = ({ freeBytes, totalBytes, reservedBytes }: Disk): string =>
  `${bytes(freeBytes)} of ${bytes(totalBytes)} free; uploads stop below ${bytes(reservedBytes)}`;

const Backup = ({ backup, form }: { readonly backup: System['lastBackup']; readonly form: System['form'] }) => {
  if (form === 'cluster')
    return <span class="quiet">Not recorded here. Back up EventStoreDB first, then MongoDB, with their own tools.</span>;
  if (!backup)
    return (
      <>
        None yet. Run <code>tributary backup &lt;directory&gt;</code>.
      </>
    );
  return (
    <>
      <Time at={backup.timestamp} />, {bytes(backup.bytes)}, {backup.verified ? 'verified' : 'not verified'},{' '}
      <code>{backup.directory}</code>
    </>
  );
};

/** How full the server is: at the limit it refuses uploads and reruns. */
const RunningStreams = ({
  system: {
    queues: { runningStreams },
  },
}: {
  readonly system: System;
}) => {
  if (runningStreams === null) return null;
  const { running, limit } = runningStreams;
  return (
    <div class="queue-total">
      <p>
        <strong>{count(running)}</strong> of at most {counted(limit, 'stream')} are running or waiting.
      </p>
      <progress value={running} max={limit} aria-label="Running streams" />
      {running >= limit && (
        <Note tone="bad">New uploads and reruns are refused until some have ended. MAX_RUNNING_STREAMS sets the limit.</Note>
      )}
    </div>
  );
};

interface Queue {
  readonly name: string;
  readonly busy: number;
  readonly waiting: number;
}

const LANES: Readonly<Record<string, string>> = {
  live: 'Live streams',
  engine: 'Live streams with an engine',
  remote: 'Users’ processors',
  short: 'Short uploads',
  long: 'Long uploads',
};

const queuesOf = ({ queues: { runs, deliveries } }: System): readonly Queue[] => [
  ...runs.map(({ lane, running, waiting }) => ({ name: LANES[lane] ?? lane, busy: running, waiting })),
  { name: 'Webhook deliveries', busy: deliveries.inFlight, waiting: deliveries.due },
  { name: 'Webhook retries', busy: 0, waiting: deliveries.scheduled },
];

const COLUMNS: readonly Column<Queue>[] = [
  { header: 'Queue', cell: ({ name }) => name },
  { header: 'Running', numeric: true, cell: ({ busy }) => count(busy) },
  { header: 'Waiting', numeric: true, cell: ({ waiting }) => count(waiting) },
];
