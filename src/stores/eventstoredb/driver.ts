import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';

/** What is used of the client package and of its generated definitions. */
export type Driver = Awaited<ReturnType<typeof loadDriver>>;

/** Loads the client when a store is opened with it: an embedded start never does. */
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

/** What the client does inside for every call of its own: it makes a channel to its node, and adds credentials and deadlines. */
interface ClientInsides {
  getChannel(): Promise<Channel>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
}

/** The insides of a client of the pinned version. Throws when another version no longer has them. */
export const insidesOf = (client: object): ClientInsides => {
  for (const name of ['getChannel', 'callArguments']) {
    if (typeof Reflect.get(client, name) !== 'function')
      throw new Error(`@eventstore/db-client no longer has ${name}. Install the version that package.json names.`);
  }
  // Just checked.
  return client as ClientInsides;
};
