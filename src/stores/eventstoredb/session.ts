import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';
import { channelCredentials, type ServerAddress } from './connectionString.ts';
import type { Driver } from './driver.ts';

/** EventStoreDB stores events of up to 16 MiB, and gRPC adds a little. */
const MOST_RECEIVED_BYTES = 17 * 1_048_576;

/** One client and its connection to one node. After `retire` it closes when its last call has ended, so that running calls are not cut off. */
export class Session {
  readonly streams: StreamsClient;
  /** `host:port`. */
  readonly node: string;
  readonly #channel: Channel;
  readonly #driver: Driver;
  readonly #address: ServerAddress;
  readonly #retiring = new AbortController();
  #calls = 0;

  /** `node` is `host:port`; the first call connects. */
  constructor(driver: Driver, address: ServerAddress, node: string) {
    this.node = node;
    this.#driver = driver;
    this.#address = address;
    this.#channel = new driver.grpc.Channel(node, channelCredentials(driver, address.tls), {
      'grpc.keepalive_time_ms': address.keepAliveMilliseconds.interval,
      'grpc.keepalive_timeout_ms': address.keepAliveMilliseconds.timeout,
      'grpc.max_receive_message_length': MOST_RECEIVED_BYTES,
    });
    // With a channel of its own, the client needs neither address nor credentials.
    this.streams = new driver.StreamsClient('', driver.grpc.credentials.createInsecure(), { channelOverride: this.#channel });
  }

  /** Credentials and options of a call. Without a deadline, because the adapter cancels it. */
  callArguments(): [Metadata, CallOptions] {
    const { grpc } = this.#driver;
    const { connectionName, authorization } = this.#address;
    const metadata = new grpc.Metadata();
    metadata.add('connection-name', connectionName);
    if (authorization !== null) metadata.add('authorization', authorization);
    return [metadata, { deadline: Number.POSITIVE_INFINITY }];
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
