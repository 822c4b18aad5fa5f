import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';
import type { ServerAddress } from './connectionString.ts';
import { type Driver, insidesOf } from './driver.ts';

/** One client and its connection to one node. After `retire` it closes when its last call has ended, so that running calls are not cut off. */
export class Session {
  readonly streams: StreamsClient;
  /** `host:port`. */
  readonly node: string;
  readonly #channel: Channel;
  readonly #arguments: () => [Metadata, CallOptions];
  readonly #retiring = new AbortController();
  #calls = 0;

  private constructor(driver: Driver, node: string, channel: Channel, callArguments: () => [Metadata, CallOptions]) {
    this.node = node;
    this.#channel = channel;
    this.#arguments = callArguments;
    // With a channel of its own, the client needs neither address nor credentials.
    this.streams = new driver.StreamsClient('', driver.grpc.credentials.createInsecure(), { channelOverride: channel });
  }

  /** `node` is `host:port`; the first call connects. */
  static async open(driver: Driver, { urlOf }: ServerAddress, node: string): Promise<Session> {
    const insides = insidesOf(driver.EventStoreDBClient.connectionString(urlOf(node)));
    // For a connection string with one node, the client returns it without asking any server.
    const channel = await insides.getChannel();
    return new Session(driver, node, channel, () => insides.callArguments({}, { deadline: Number.POSITIVE_INFINITY }));
  }

  /** Credentials and options of a call. Without a deadline, because the adapter cancels it. */
  callArguments(): [Metadata, CallOptions] {
    return this.#arguments();
  }

  /** Aborts when no new call may begin. */
  get retired(): AbortSignal {
    return this.#retiring.signal;
  }

  begin(): void {
    this.#calls += 1;
  }

  end(): void {
    this.#calls -= 1;
    this.#closeWhenDone();
  }

  retire(): void {
    if (this.retired.aborted) return;
    this.#retiring.abort();
    this.#closeWhenDone();
  }

  #closeWhenDone(): void {
    if (this.retired.aborted && this.#calls === 0) this.#channel.close();
  }
}
