import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, PING_TEMPLATE } from '../e2e/client.ts';
import { type Launched, launch } from '../e2e/launch.ts';
import { settings } from '../e2e/server.ts';

/** The watchers' figures for a time. */
export interface Seen {
  readonly health: { readonly asked: number; readonly failures: number; readonly p99: number; readonly max: number };
  /** Work that the innocent tenant got done. */
  readonly innocent: Readonly<Record<'uploads' | 'reads' | 'lists' | 'webhooks', number>> & { readonly failures: readonly string[] };
  /** Largest resident memory of the server, bytes. */
  readonly memory: number;
  readonly seconds: number;
}

const SAMPLE_MILLISECONDS = 50;

/** A server under attack, with watchers in processes of their own: the latency of `/health/live`, an innocent tenant, resident memory. */
export class Rig {
  readonly url: string;
  readonly #dataDir: string;
  readonly #launched: Launched;
  readonly #probe: ChildProcess;
  readonly #innocent: ChildProcess;

  private constructor(url: string, dataDir: string, launched: Launched, probe: ChildProcess, innocent: ChildProcess) {
    this.url = url;
    this.#dataDir = dataDir;
    this.#launched = launched;
    this.#probe = probe;
    this.#innocent = innocent;
  }

  static async start(): Promise<Rig> {
    const dataDir = mkdtempSync(join(tmpdir(), 'tributary-attack-'));
    const launched = launch(settings({ DATA_DIR: dataDir, LOG_LEVEL: 'error', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }));
    const url = await launched.ready;
    const probe = watcher('healthProbe.mjs', url);
    const innocent = watcher('innocent.mjs', url, (await newUser(url, 'innocent')).key, PING_TEMPLATE);
    await once(innocent, 'message');
    return new Rig(url, dataDir, launched, probe, innocent);
  }

  /** The watchers' figures while `work` runs. */
  async watch(work: () => Promise<void>): Promise<Seen> {
    await Promise.all([ask(this.#probe), ask(this.#innocent)]);
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
    return { health: health as Seen['health'], innocent: innocent as Seen['innocent'], memory, seconds };
  }

  /** Acknowledged uploads of the innocent tenant that the server does not know any more. */
  async lost(): Promise<readonly string[]> {
    return (await ask(this.#innocent, 'lost')) as readonly string[];
  }

  async stop(): Promise<void> {
    for (const one of [this.#probe, this.#innocent]) if (one.connected) one.disconnect();
    await this.#launched.kill();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  #memory(): number {
    const status = readFileSync(`/proc/${this.#launched.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024;
  }
}

/** A new user. */
export const newUser = async (url: string, label: string): Promise<{ key: string; subject: string }> => {
  const body = { kind: 'api-key', label, role: 'user' };
  const { body: made } = await call(url, '/credential-service/api/v1/credentials', { method: 'POST', body });
  return { key: made.secret, subject: made.subject };
};

const watcher = (script: string, ...words: readonly string[]): ChildProcess =>
  fork(new URL(script, import.meta.url), [...words], { execArgv: [] });

const ask = async (child: ChildProcess, what = 'tell'): Promise<unknown> => {
  const answer = once(child, 'message');
  child.send(what);
  return (await answer)[0];
};
