import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Possible faults: the members of `Faults` in faults.mjs, which describes them. */
export interface EventStoreDbFaults {
  readonly refuse?: boolean;
  readonly hang?: boolean;
  readonly silentHttp?: boolean;
  readonly slow?: number;
  readonly notReady?: boolean;
  readonly notLeader?: { readonly host: string; readonly port: number } | Record<string, never>;
  readonly notLeaderTimes?: number;
  readonly dropAfterCommit?: number;
  readonly dropBeforeCommit?: number;
  readonly endCleanly?: number;
  readonly endAfterCommit?: number;
  readonly ignoreAppends?: number;
  readonly appendError?: { readonly code: number; readonly message?: string };
  readonly appendErrors?: number;
  readonly readError?: { readonly code: number; readonly message?: string };
  readonly readErrors?: number;
  readonly accessDenied?: number;
  readonly dropLiveEvery?: number;
  readonly endSubscriptions?: number;
}

/** An append as the fake received it. `by` is the `connectionName` of the client's connection string. */
export interface WitnessedAppend {
  readonly by: string;
  readonly eventStream: string;
  /** `data` is JSON text. */
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: string }[];
  /** `null` if it was held and not stored. */
  readonly position: number | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The next append of one of these clients whose last event has this type. */
export interface HeldAppend {
  readonly by: readonly string[];
  readonly last: string;
  readonly stored: boolean;
}

export interface FakeEventStoreDb {
  /** A connection string. */
  readonly url: string;
  readonly port: number;
  /** HTTP address for other processes; see server.mjs. */
  readonly control: string;
  faults(given: EventStoreDbFaults): Promise<void>;
  /** Removes all faults. */
  heal(): Promise<void>;
  /** Advances the time of expiry by this many seconds. */
  pass(seconds: number): Promise<void>;
  /** Cuts all connections. */
  drop(): Promise<void>;
  /** The cluster in gossip. */
  members(
    given: readonly { readonly host: string; readonly port: number; readonly state: number; readonly alive?: boolean }[],
  ): Promise<void>;
  /** Removes hidden and expired events from the whole log. */
  scavenge(): Promise<void>;
  /** `reads`: running reads and subscriptions; `live`: subscriptions that have caught up; `liveDrops`: subscriptions dropped as too slow so far. */
  state(): Promise<{
    events: number;
    connections: number;
    reads: number;
    live: number;
    liveDrops: number;
    faults: Required<EventStoreDbFaults>;
  }>;
  /** From now on `witnessed` has the appends since its last call. */
  watch(): Promise<void>;
  witnessed(): Promise<WitnessedAppend[]>;
  /** Never answers that append. Resolves with the client's name when it has come, or with `null` after `milliseconds` without one. */
  hold(held: HeldAppend, milliseconds: number): Promise<string | null>;
  /** SIGSTOP and SIGCONT: connections stay, nothing answers. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface FakeServerOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Without users everyone may do everything. */
  readonly users?: Readonly<Record<string, { readonly password: string; readonly groups: readonly string[] }>>;
}

/** A fake EventStoreDB in its own process. The connection string has neither TLS nor a user. */
export const startEventStoreDb = async ({ port = 0, ...secured }: FakeServerOptions = {}): Promise<FakeEventStoreDb> => {
  const child = spawn(process.execPath, [new URL('server.mjs', import.meta.url).pathname, String(port)], {
    env: { ...process.env, FAKE_EVENTSTOREDB: JSON.stringify(secured) },
    // The channel tells it when a killed test run has ended.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  if (!child.stdout) throw new Error('no output to read');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error('the fake EventStoreDB did not start'))),
  ]);
  const [, url = '', boundPort = '', control = ''] =
    /^eventstoredb ready (esdb:\/\/127\.0\.0\.1:(\d+)\?tls=false) (\S+)$/.exec(String(line)) ?? [];
  const ask = async (path: string, body: unknown = {}) => {
    const response = await fetch(`${control}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  return {
    url,
    port: Number(boundPort),
    control,
    faults: (given) => ask('/faults', given).then(() => undefined),
    heal: () => ask('/heal').then(() => undefined),
    pass: (seconds) => ask('/pass', { seconds }).then(() => undefined),
    drop: () => ask('/drop').then(() => undefined),
    scavenge: () => ask('/scavenge').then(() => undefined),
    members: (given) => ask('/members', given).then(() => undefined),
    // The state reported by its own control port.
    state: async () => (await ask('/state')) as Awaited<ReturnType<FakeEventStoreDb['state']>>,
    watch: () => ask('/watch').then(() => undefined),
    // Both as its own control port reports them.
    witnessed: async () => (await ask('/witnessed')) as WitnessedAppend[],
    hold: async (held, milliseconds) => ((await ask('/hold', { ...held, milliseconds })) as { by: string | null }).by,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
