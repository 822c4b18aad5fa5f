import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, PING_TEMPLATE } from '../e2e/client.ts';
import { type Launched, launch } from '../e2e/launch.ts';
import { settings } from '../e2e/server.ts';

/** The watchers' figures during one attack. */
export interface Seen {
  readonly health: { readonly asked: number; readonly failures: number; readonly p99: number; readonly max: number };
  /** Work that the innocent tenant got done. */
  readonly innocent: { readonly uploads: number; readonly reads: number; readonly webhooks: number; readonly failures: readonly string[] };
  /** Largest resident memory of the server, bytes. */
  readonly memory: number;
  /** Largest uses of memory by the server's main thread, bytes. */
  readonly used: { readonly heap: number; readonly buffers: number };
  readonly loop: LoopSeen;
  readonly seconds: number;
}

/** The longest turns of the server's event loop, milliseconds. */
interface LoopSeen {
  /** As its clients saw it. */
  readonly turn: number;
  /** What the loop itself ran in one turn. */
  readonly ran: number;
  /** What it waited for a processor that other threads and processes had. */
  readonly waited: number;
}

const SAMPLE_MILLISECONDS = 50;
const TURNS = fileURLToPath(new URL('turns.cjs', import.meta.url));
/** With ATTACK_FAR the attacker runs at a low priority, as if it had a machine of its own. Only root may start the server above it. */
const ATTACKER_NICE = 15;
const IS_FAR = process.env.ATTACK_FAR === '1';
if (IS_FAR) setPriority(ATTACKER_NICE);
const asUsual = IS_FAR ? ['nice', '-n', String(-ATTACKER_NICE)] : [];

/** The environment that `npm start` adds. */
const startSettings = (): Readonly<Record<string, string>> => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  return Object.fromEntries(scripts.start.split(' ').flatMap((word) => (word.includes('=') ? [word.split('=')] : [])));
};

/** A server under attack, with its watchers: the latency of `/health/live`, an innocent tenant, resident memory. */
export class Rig {
  readonly url: string;
  readonly dataDir: string;
  readonly #launched: Launched;
  readonly #probe: ChildProcess;
  readonly #innocent: ChildProcess;

  private constructor(url: string, dataDir: string, launched: Launched, probe: ChildProcess, innocent: ChildProcess) {
    this.url = url;
    this.dataDir = dataDir;
    this.#launched = launched;
    this.#probe = probe;
    this.#innocent = innocent;
  }

  static async start(environment: Readonly<Record<string, string>> = {}, directory = tmpdir()): Promise<Rig> {
    const dataDir = mkdtempSync(join(directory, 'tributary-attack-'));
    const watched = {
      ...startSettings(),
      NODE_OPTIONS: `--require ${TURNS}`,
      ATTACK_TURNS: turnsOf(dataDir),
      ...(process.env.ATTACK_PROFILE && { ATTACK_PROFILE: process.env.ATTACK_PROFILE }),
    };
    const server = settings({ DATA_DIR: dataDir, LOG_LEVEL: 'error', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ...watched, ...environment });
    const launched = launch(server, asUsual);
    const url = await launched.ready;
    const probe = watcher('healthProbe.mjs', url);
    const innocent = watcher('innocent.mjs', url, (await newUser(url, 'innocent')).key, PING_TEMPLATE);
    await once(innocent, 'message');
    return new Rig(url, dataDir, launched, probe, innocent);
  }

  /** The log of the server, for failures. */
  get log(): string {
    return this.#launched.log();
  }

  /** The watchers' figures while `work` runs. */
  async watch(work: () => Promise<void>): Promise<Seen> {
    await Promise.all([ask(this.#probe), ask(this.#innocent)]);
    rmSync(turnsOf(this.dataDir), { force: true });
    const began = performance.now();
    let memory = this.#memory();
    const sampling = setInterval(() => {
      memory = Math.max(memory, this.#memory());
    }, SAMPLE_MILLISECONDS);
    try {
      await work();
    } finally {
      clearInterval(sampling);
    }
    const seconds = (performance.now() - began) / 1_000;
    const [health, innocent] = await Promise.all([ask(this.#probe), ask(this.#innocent)]);
    // The watchers are scripts of this folder, and answer in these forms.
    return {
      health: health as Seen['health'],
      innocent: innocent as Seen['innocent'],
      memory,
      seconds,
      ...turnsSeen(turnsOf(this.dataDir)),
    };
  }

  /** May be called twice. */
  async stop(): Promise<void> {
    for (const watcher of [this.#probe, this.#innocent]) if (watcher.connected) watcher.disconnect();
    // A profile is written at the end.
    await (process.env.ATTACK_PROFILE ? this.#launched.stop() : this.#launched.kill());
    rmSync(turnsOf(this.dataDir), { force: true });
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  #memory(): number {
    const status = readFileSync(`/proc/${this.#launched.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024;
  }
}

/** A new user. */
export const newUser = async (url: string, label: string, role = 'user'): Promise<{ key: string; subject: string }> => {
  const { body } = await call(url, '/credential-service/api/v1/credentials', {
    method: 'POST',
    body: { kind: 'api-key', label, role },
  });
  return { key: body.secret, subject: body.subject };
};

const watcher = (script: string, ...words: readonly string[]): ChildProcess => {
  const child = fork(new URL(script, import.meta.url), [...words], { execArgv: [] });
  if (IS_FAR && child.pid !== undefined) setPriority(child.pid, 0);
  return child;
};

const turnsOf = (dataDir: string): string => `${dataDir}.turns`;

/** What `turns.cjs` wrote. */
type Written =
  | { readonly turn: number; readonly ran: number; readonly waited: number }
  | { readonly memory: { readonly heapTotal: number; readonly external: number } };

const turnsSeen = (file: string): Pick<Seen, 'loop' | 'used'> => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const written = lines.map((line): Written => JSON.parse(line));
  const turns = written.flatMap((one) => ('turn' in one ? [one] : []));
  const memories = written.flatMap((one) => ('memory' in one ? [one.memory] : []));
  const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);
  return {
    loop: {
      turn: most(turns.map(({ turn }) => turn)),
      ran: most(turns.map(({ ran }) => ran)),
      waited: most(turns.map(({ waited }) => waited)),
    },
    used: { heap: most(memories.map(({ heapTotal }) => heapTotal)), buffers: most(memories.map(({ external }) => external)) },
  };
};

const ask = async (child: ChildProcess): Promise<unknown> => {
  const answer = once(child, 'message');
  child.send('tell');
  return (await answer)[0];
};
