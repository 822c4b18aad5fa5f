import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';

/** The parts of the client package and its generated definitions in use. */
export type Driver = Awaited<ReturnType<typeof loadDriver>>;

/** Loads the client when a store is opened with it, so that an embedded start never loads it. */
export const loadDriver = async () => {
  const [grpc, client, streamsGrpc, gossipGrpc, streams, shared, empty, timestamp] = await Promise.all([
    import('@grpc/grpc-js'),
    import('@eventstore/db-client'),
    import('@eventstore/db-client/generated/streams_grpc_pb.js'),
    import('@eventstore/db-client/generated/gossip_grpc_pb.js'),
    import('@eventstore/db-client/generated/streams_pb.js'),
    import('@eventstore/db-client/generated/shared_pb.js'),
    import('google-protobuf/google/protobuf/empty_pb.js'),
    import('google-protobuf/google/protobuf/timestamp_pb.js'),
  ]);
  return {
    grpc: { credentials: grpc.credentials, Metadata: grpc.Metadata },
    EventStoreDBClient: client.EventStoreDBClient,
    StreamsClient: streamsGrpc.default.StreamsClient,
    GossipClient: gossipGrpc.default.GossipClient,
    streams: streams.default,
    shared: shared.default,
    Empty: empty.default.Empty,
    Timestamp: timestamp.default.Timestamp,
  };
};

/** The client's internals for each of its calls: they make a channel to its node, and add credentials and deadlines. */
interface ClientInsides {
  getChannel(): Promise<Channel>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
}

/** The internals of a client of the pinned version. Throws if another version lacks them. */
export const insidesOf = (client: object): ClientInsides => {
  for (const name of ['getChannel', 'callArguments']) {
    if (typeof Reflect.get(client, name) !== 'function')
      throw new Error(`@eventstore/db-client no longer has ${name}. Install the version that package.json names.`);
  }
  // Just checked.
  return client as ClientInsides;
};
