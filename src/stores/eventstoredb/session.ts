import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';
import { Away, failureOf } from './away.ts';
import type { Deadlines } from './deadlines.ts';
import { type Driver, insidesOf } from './driver.ts';

/**
 * One client and its connection. In use until it is retired; then it is closed as soon as its last call has ended, so that calls which the server still
 * answers are not cut off.
 */
export class Session {
  readonly streams: StreamsClient;
  readonly #channel: Channel;
  readonly #arguments: () => [Metadata, CallOptions];
  readonly #retiring = new AbortController();
  #calls = 0;

  private constructor(driver: Driver, channel: Channel, callArguments: () => [Metadata, CallOptions]) {
    this.#channel = channel;
    this.#arguments = callArguments;
    // With a channel of its own, the client needs neither address nor credentials.
    this.streams = new driver.StreamsClient('', driver.insecure, { channelOverride: channel });
  }

  /** Finds a node; rejects with `Away` when none is found in time. */
  static async open(driver: Driver, url: string, deadlines: Deadlines): Promise<Session> {
    const client = driver.EventStoreDBClient.connectionString(url);
    const insides = insidesOf(client);
    const channel = await new Promise<Channel>((resolve, reject) => {
      let isLate = false;
      const deadline = deadlines.set(() => {
        isLate = true;
        reject(new Away('no node of it was found in time'));
      });
      insides
        .getChannel()
        .then(
          (found) => (isLate ? found.close() : resolve(found)),
          (error: unknown) => reject(failureOf(error)),
        )
        .finally(() => deadlines.clear(deadline));
    });
    return new Session(driver, channel, () => insides.callArguments({}, { deadline: Number.POSITIVE_INFINITY }));
  }

  /** Credentials and options for a call. Its time-out is ours. */
  callArguments(): [Metadata, CallOptions] {
    return this.#arguments();
  }

  /** Aborted when nothing new is to be begun here. */
  get retired(): AbortSignal {
    return this.#retiring.signal;
  }

  /** A call begins. */
  begin(): void {
    this.#calls += 1;
  }

  /** A call has ended. */
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
