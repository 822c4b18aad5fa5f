import { lookup } from 'node:dns/promises';
import type { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { Clock } from '../../clock.ts';
import { within } from '../../supervision/within.ts';
import { Away, failureOf } from './away.ts';
import { channelCredentials, type ServerAddress } from './connectionString.ts';
import type { Driver } from './driver.ts';
import { type Answers, claimedLeader, electedLeader, type Member } from './election.ts';

/** A node that has not answered for this long counts as not answering. */
const ANSWER_MILLISECONDS = 1_000;
/** Pause between two requests to the same node. */
const AGAIN_MILLISECONDS = 250;

/** Separate connections, which show the node's current state and reconnect at once. */
const GOSSIP_OPTIONS = {
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': AGAIN_MILLISECONDS,
  'grpc.max_reconnect_backoff_ms': AGAIN_MILLISECONDS,
};

/**
 * Finds the leader of a cluster. Asks all nodes at once, repeatedly, and decides by all their answers (`election.ts`). The client package would ask
 * one after another, 5 s each, and believe the first answer.
 */
export class Cluster {
  readonly #driver: Driver;
  readonly #address: ServerAddress;
  readonly #clock: Clock;
  /** Members named in answers, besides the nodes of the connection string. */
  #members: readonly string[] = [];

  constructor(driver: Driver, address: ServerAddress, clock: Clock) {
    this.#driver = driver;
    this.#address = address;
    this.#clock = clock;
  }

  /** `host:port` of the nodes in the newest answer. */
  get members(): readonly string[] {
    return this.#members;
  }

  /** `host:port` of the leader. Rejects with `Away` if no leader is found in time, and when the signal aborts. */
  async find(milliseconds: number, signal: AbortSignal): Promise<string> {
    const began = this.#clock.monotonic();
    let failure: Error | null = null;
    const decide = (answers: Answers): string | null => {
      const waited = this.#clock.monotonic() - began >= ANSWER_MILLISECONDS;
      return electedLeader(answers) ?? (waited ? claimedLeader(answers) : null);
    };
    const onFailure = (error: Error) => {
      failure = error;
    };
    const found = await this.#askAll({ decide, onFailure, milliseconds, signal });
    if (found !== null) return found;
    const last = failure as Error | null;
    throw new Away(`no leader was found among its nodes${last === null ? '' : `: ${last.message}`}`, { cause: last });
  }

  /** Whether the cluster has elected another leader than the current node; asks while `isWaiting` holds. */
  async hasMoved(current: string, isWaiting: () => boolean, signal: AbortSignal): Promise<boolean> {
    const decide = (answers: Answers): 'moved' | 'stay' | null => {
      if (!isWaiting()) return 'stay';
      const leader = electedLeader(answers);
      return leader !== null && leader !== current ? 'moved' : null;
    };
    return (await this.#askAll({ decide, signal, milliseconds: LONGEST_LOOK_MILLISECONDS })) === 'moved';
  }

  async #askAll<Decision>({ decide, onFailure, milliseconds, signal }: Questions<Decision>): Promise<Decision | null> {
    const answers = new Map<string, readonly Member[]>();
    const over = new AbortController();
    const asking = new Map<string, Promise<void>>();
    let decision: Decision | null = null;
    const heard = (address: string, answer: readonly Member[] | Error): void => {
      if (answer instanceof Error) {
        answers.delete(address);
        onFailure?.(answer);
      } else {
        answers.set(address, answer);
        this.#members = answer.map((member) => member.address);
        for (const member of this.#members) ask(member);
      }
      decision ??= decide(answers);
      if (decision !== null) over.abort();
    };
    const until = AbortSignal.any([signal, over.signal]);
    const ask = (address: string): void => {
      if (!asking.has(address) && !until.aborted) asking.set(address, this.#ask(address, heard, until));
    };
    for (const address of new Set([...(await this.#seeds()), ...this.#members])) ask(address);
    await this.#clock.pause(milliseconds, until);
    over.abort();
    await Promise.all(asking.values());
    return decision;
  }

  /** Repeats until the signal aborts. */
  async #ask(address: string, heard: (address: string, answer: readonly Member[] | Error) => void, until: AbortSignal): Promise<void> {
    const { GossipClient } = this.#driver;
    const client = new GossipClient(address, channelCredentials(this.#driver, this.#address.tls), GOSSIP_OPTIONS);
    try {
      while (!until.aborted) {
        const answer = await this.#gossip(client, until);
        if (until.aborted) return;
        heard(address, answer);
        await this.#clock.pause(AGAIN_MILLISECONDS, until);
      }
    } finally {
      client.close();
    }
  }

  async #gossip(client: GossipClient, until: AbortSignal): Promise<readonly Member[] | Error> {
    const { shared, grpc } = this.#driver;
    let cancel = (): void => {};
    const answer = new Promise<readonly Member[] | Error>((resolve) => {
      const call = client.read(new shared.Empty(), new grpc.Metadata(), (error, info) =>
        resolve(error ? failureOf(error) : membersOf(info)),
      );
      cancel = () => call.cancel();
    });
    const heard = await within(this.#clock, ANSWER_MILLISECONDS, answer, until);
    if (heard !== 'late') return heard;
    cancel();
    return new Away('a node did not answer');
  }

  /** The nodes of the connection string, with all addresses of a name. */
  async #seeds(): Promise<readonly string[]> {
    const { hosts } = this.#address;
    const [only = ''] = hosts;
    if (hosts.length > 1) return hosts;
    const [name = '', port] = only.split(':');
    const found = await lookup(name, { all: true, family: 4 }).catch(() => []);
    return found.length > 1 ? [only, ...found.map(({ address }) => `${address}:${port}`)] : hosts;
  }
}

interface Questions<Decision> {
  /** Called after each answer or failure; a result other than `null` ends the requests. */
  readonly decide: (answers: Answers) => Decision | null;
  readonly onFailure?: (error: Error) => void;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/** The callers have timed out long before. */
const LONGEST_LOOK_MILLISECONDS = 60_000;

const membersOf = (info: ClusterInfo): Member[] =>
  info.getMembersList().map((member) => {
    const endPoint = member.getHttpEndPoint();
    return {
      address: `${endPoint?.getAddress()}:${endPoint?.getPort()}`,
      state: member.getState(),
      isAlive: member.getIsAlive(),
    };
  });
