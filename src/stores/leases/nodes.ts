import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { aborted } from '../../supervision/aborted.ts';
import type { Progressed } from '../../supervision/retrying.ts';
import { supervise } from '../../supervision/supervise.ts';
import type { Documents } from '../documents.ts';
import { StoreUnavailable } from '../eventStore.ts';
import type { Lease, Leases } from './leases.ts';

/** A process that works on the stores while it holds its lease `node/<id>`. When the lease is lost, it continues under a new id. */
export interface ClusterNode {
  readonly id: string;
  readonly roles: readonly string[];
}

/** The processes that share the stores. The embedded form has one and writes nothing. */
export interface Nodes {
  /** Stays until the signal aborts, and comes back under a new id when its lease was lost. Never rejects. */
  join(signal: AbortSignal): Promise<void>;
  /** The id that this process goes by now; `null` where it is alone. Rejects with `StoreUnavailable` when it does not get one in time. */
  own(): Promise<string | null>;
  /** Those that are alive, this one among them. */
  alive(): Promise<ClusterNode[]>;
  /** Those that have stopped, or died, and have not been removed yet. */
  gone(): Promise<ClusterNode[]>;
  /** Call it when nothing that the node began is left. A node that is alive after all stays. */
  remove(id: string): Promise<void>;
}

export interface NodesDeps {
  readonly documents: Documents;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly roles: readonly string[];
  /** For people: where it runs. */
  readonly host: string;
}

const COLLECTION = 'nodes';
const MOST_NODES = 1_000;
/** How long who needs the id of this node waits for it. */
const ENTRY_MILLISECONDS = 2_000;

const nodeLease = (id: string): string => `node/${id}`;

export const openNodes = async (deps: NodesDeps): Promise<Nodes> => {
  await deps.documents.ensureCollection({ name: COLLECTION, indexes: [] });
  return new DocumentNodes(deps);
};

/** For a process that has its stores for itself. */
export const aloneNode: Nodes = {
  join: async () => undefined,
  own: async () => null,
  alive: async () => [],
  gone: async () => [],
  remove: async () => undefined,
};

class DocumentNodes implements Nodes {
  readonly #deps: NodesDeps;
  /** Aborts when this node has an id. */
  #entered = new AbortController();
  #lease: { readonly id: string; readonly lease: Lease } | null = null;

  constructor(deps: NodesDeps) {
    this.#deps = deps;
  }

  async join(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#deps;
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'registering this node failed; retrying');
    await supervise((progressed) => this.#stay(signal, progressed), { clock, signal, onFailure });
  }

  /** Until the lease is lost or the signal aborts. */
  async #stay(signal: AbortSignal, progressed: Progressed): Promise<void> {
    const { id, lease } = await this.#enter();
    try {
      this.#lease = { id, lease };
      this.#entered.abort();
      progressed();
      await aborted(AbortSignal.any([signal, lease.signal]));
      await lease.release();
    } finally {
      this.#lease = null;
      this.#entered = new AbortController();
    }
  }

  async own(): Promise<string> {
    const known = () => (this.#lease?.lease.signal.aborted === false ? this.#lease.id : null);
    if (known() === null) await this.#deps.clock.pause(ENTRY_MILLISECONDS, this.#entered.signal);
    const id = known();
    if (id === null) throw new StoreUnavailable('this node is currently not registered');
    return id;
  }

  async alive(): Promise<ClusterNode[]> {
    return this.#those((free) => !free);
  }

  async gone(): Promise<ClusterNode[]> {
    return this.#those((free) => free);
  }

  async remove(id: string): Promise<void> {
    const { documents, leases } = this.#deps;
    // Taken from it first: one that was only paused finds its lease lost when it wakes, and comes back under another id.
    const lease = await leases.tryAcquire(nodeLease(id));
    if (!lease) return;
    try {
      await documents.remove(COLLECTION, id);
    } finally {
      // Kept while the store is away, it would make a dead node live for as long as this one does.
      await lease.release();
    }
  }

  /** The lease first: a node whose document is there is alive, or was. */
  async #enter(): Promise<{ id: string; lease: Lease }> {
    const { documents, leases, roles, host, clock } = this.#deps;
    const id = randomUUID();
    const lease = await leases.tryAcquire(nodeLease(id));
    if (!lease) throw new StoreUnavailable('acquiring the lease of a new node failed');
    try {
      await documents.create(COLLECTION, id, { roles: [...roles], host, since: clock.now() });
    } catch (error) {
      await lease.release();
      throw error;
    }
    return { id, lease };
  }

  async #those(wanted: (free: boolean) => boolean): Promise<ClusterNode[]> {
    const { documents, leases } = this.#deps;
    const found = await documents.find(COLLECTION, { limit: MOST_NODES });
    const judged = await Promise.all(found.map(async ({ id }) => wanted(await leases.isFree(nodeLease(id)))));
    return found
      .filter((_, index) => judged[index])
      .map(({ id, body }) => ({ id, roles: Array.isArray(body.roles) ? body.roles.map(String) : [] }));
  }
}
