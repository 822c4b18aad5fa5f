import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { JsonObject } from '../../json.ts';
import type { Logger } from '../../logger.ts';
import { aborted } from '../../supervision/aborted.ts';
import type { Progressed } from '../../supervision/retrying.ts';
import { supervise } from '../../supervision/supervise.ts';
import type { Documents } from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import type { Lease, Leases } from './leases.ts';

/** A process that works on the stores while it holds its lease `node/<id>`. If it loses the lease, it takes it again or continues under a new id. */
export interface ClusterNode {
  readonly id: string;
  readonly roles: readonly string[];
  /** For people: where it runs. */
  readonly host: string;
  /** When it joined, milliseconds since the epoch. */
  readonly since: number;
}

interface JudgedNode extends ClusterNode {
  readonly isGone: boolean;
}

/** An id of this process, with the document that shows it to the others. */
interface Entry {
  readonly id: string;
  readonly lease: Lease;
  readonly body: JsonObject;
}

/** The processes that share the stores: servers, and imports. The embedded form has one, which writes nothing. */
export interface Nodes {
  /**
   * Runs until the signal aborts. Never rejects. A node that lost its lease keeps its id unless another node removed it, so that a store that hangs
   * for longer than the ttl costs no upload.
   */
  join(roles: readonly string[], signal: AbortSignal): Promise<void>;
  /** The id of this process; `null` in the embedded form. Rejects with `StoreUnavailable` if it gets none in time. */
  own(): Promise<string | null>;
  /** The running nodes, including this one. */
  alive(): Promise<ClusterNode[]>;
  /** The nodes that have stopped or died and have not been removed. */
  gone(): Promise<ClusterNode[]>;
  /**
   * Takes the lease of a dead node, runs `work`, which ends what the node began, and removes the node. Resolves with `false` without running `work`
   * if the node is alive. If `work` fails, the node is not removed. The signal aborts if the lease is lost.
   */
  remove(id: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean>;
}

/** The same for processes of the cluster form, whose topics carry the id of the node that writes them. */
export interface SharedNodes extends Nodes {
  /** The id of this process now; `null` while it has none. */
  readonly id: string | null;
  own(): Promise<string>;
  /** Tells whether a node has been removed: its topics are abandoned. */
  removed(): Promise<(id: string) => boolean>;
}

export interface NodesDeps {
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For people: where it runs. */
  readonly host: string;
}

const COLLECTION = 'nodes';
const MOST_NODES = 1_000;
/** How long callers wait for the id of this node. */
const ENTRY_MILLISECONDS = 2_000;

const nodeLease = (id: string): string => `node/${id}`;

export const openNodes = async (deps: NodesDeps): Promise<SharedNodes> => {
  await deps.documents.ensureCollection({ name: COLLECTION, indexes: [['epoch']] });
  return new DocumentNodes(deps);
};

/** For a process with exclusive stores. */
export const aloneNode: Nodes = {
  join: async () => undefined,
  own: async () => null,
  alive: async () => [],
  gone: async () => [],
  remove: async () => false,
};

/** Deliverers ask every two seconds, and wait five seconds before they change anything. */
const REMEMBERED_MILLISECONDS = 5_000;

class DocumentNodes implements SharedNodes {
  readonly #deps: NodesDeps;
  #looked: { readonly at: number; readonly nodes: readonly JudgedNode[] } | null = null;
  /** Aborts when this node has an id. */
  #entered = new AbortController();
  #entry: Entry | null = null;
  /** The entry with the lost lease. */
  #former: Entry | null = null;

  constructor(deps: NodesDeps) {
    this.#deps = deps;
  }

  async join(roles: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'registering this node failed; retrying');
    await supervise((progressed) => this.#stay(roles, signal, progressed), { clock, signal, onFailure });
  }

  /** Runs until the lease is lost or the signal aborts. */
  async #stay(roles: readonly string[], signal: AbortSignal, progressed: Progressed): Promise<void> {
    const entry = await this.#enter(roles);
    const { lease } = entry;
    try {
      this.#entry = entry;
      this.#entered.abort();
      progressed();
      await aborted(AbortSignal.any([signal, lease.signal]));
    } finally {
      this.#entry = null;
      this.#entered = new AbortController();
      this.#former = entry;
      await lease.release();
    }
  }

  get id(): string | null {
    return this.#entry?.lease.signal.aborted === false ? this.#entry.id : null;
  }

  async own(): Promise<string> {
    if (this.id === null) await this.#deps.clock.pause(ENTRY_MILLISECONDS, this.#entered.signal);
    const { id } = this;
    if (id === null) throw new StoreUnavailable('this node is currently not registered');
    return id;
  }

  async alive(): Promise<ClusterNode[]> {
    const { clock } = this.#deps;
    const known = this.#looked && clock.monotonic() - this.#looked.at < REMEMBERED_MILLISECONDS ? this.#looked.nodes : await this.#look();
    return known.filter(({ isGone }) => !isGone);
  }

  async gone(): Promise<ClusterNode[]> {
    return (await this.#look()).filter(({ isGone }) => isGone);
  }

  async removed(): Promise<(id: string) => boolean> {
    const found = await this.#deps.documents.find(COLLECTION, { limit: MOST_NODES });
    const known = new Set(found.map(({ id }) => id));
    return (id) => found.length < MOST_NODES && !known.has(id);
  }

  async remove(id: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const { documents, leases } = this.#deps;
    // The lease is taken first, so that a disconnected node cannot reuse its id while its uploads are failed.
    const lease = await leases.tryAcquire(nodeLease(id), { brief: true });
    if (!lease) return false;
    try {
      const found = await documents.get(COLLECTION, id);
      await work(lease.signal);
      // It stays if the node has returned because this process was paused: without a document, its topics would count as abandoned.
      const epoch = found?.body.epoch;
      await documents.remove(COLLECTION, id, typeof epoch === 'string' ? { epoch } : {});
      return true;
    } finally {
      // Released even while the store is away: renewing it would make a dead node look alive for as long as this one lives.
      await lease.release();
    }
  }

  async #enter(roles: readonly string[]): Promise<Entry> {
    const again = this.#former === null ? null : await this.#enterAgain(this.#former);
    this.#former = null;
    return again ?? this.#enterAnew(roles);
  }

  /** `null` if another node has removed it or is removing it. */
  #enterAgain({ id, body }: Entry): Promise<Entry | null> {
    return this.#enterAs(id, body, (entered) => this.#deps.documents.replace(COLLECTION, id, entered));
  }

  async #enterAnew(roles: readonly string[]): Promise<Entry> {
    const { documents, host, clock } = this.#deps;
    const id = randomUUID();
    const body = { roles: [...roles], host, since: clock.now() };
    const entry = await this.#enterAs(id, body, (entered) => documents.create(COLLECTION, id, entered));
    if (!entry) throw new StoreUnavailable('acquiring the lease of a new node failed');
    return entry;
  }

  /** The lease comes first: a node with a document is or was alive. The document carries the epoch, as text. */
  async #enterAs(id: string, before: JsonObject, write: (body: JsonObject) => Promise<boolean>): Promise<Entry | null> {
    const lease = await this.#deps.leases.tryAcquire(nodeLease(id), { brief: true });
    if (!lease) return null;
    const body = { ...before, epoch: String(lease.epoch) };
    try {
      if (await write(body)) return { id, lease, body };
    } catch (error) {
      await lease.release();
      throw error;
    }
    await lease.release();
    return null;
  }

  /** Two requests, however many nodes. */
  async #look(): Promise<readonly JudgedNode[]> {
    const { documents, leases, clock } = this.#deps;
    const at = clock.monotonic();
    const found = await documents.find(COLLECTION, { limit: MOST_NODES });
    const nodes = await Promise.all(
      found.map(async ({ id, body }) => ({
        id,
        roles: Array.isArray(body.roles) ? body.roles.map(String) : [],
        host: String(body.host ?? ''),
        since: Number(body.since ?? 0),
        isGone: await leases.isFree(nodeLease(id)),
      })),
    );
    this.#looked = { at, nodes };
    return nodes;
  }
}
