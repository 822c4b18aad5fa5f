import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js';

/** What is used of the client package and of its generated definitions. */
export type Driver = Awaited<ReturnType<typeof loadDriver>>;

/** Loads the client when a store is opened with it: an embedded start never does. */
export const loadDriver = async () => {
  const [grpc, client, streamsGrpc, streams, shared, empty, timestamp] = await Promise.all([
    import('@grpc/grpc-js'),
    import('@eventstore/db-client'),
    import('@eventstore/db-client/generated/streams_grpc_pb.js'),
    import('@eventstore/db-client/generated/streams_pb.js'),
    import('@eventstore/db-client/generated/shared_pb.js'),
    import('google-protobuf/google/protobuf/empty_pb.js'),
    import('google-protobuf/google/protobuf/timestamp_pb.js'),
  ]);
  return {
    insecure: grpc.credentials.createInsecure(),
    EventStoreDBClient: client.EventStoreDBClient,
    StreamsClient: streamsGrpc.default.StreamsClient,
    streams: streams.default,
    shared: shared.default,
    Empty: empty.default.Empty,
    Timestamp: timestamp.default.Timestamp,
  };
};

/** What the client does inside for every call of its own: it finds a node, and adds credentials and deadlines. */
interface ClientInsides {
  getChannel(): Promise<Channel>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
}

/** The insides of a client of the pinned version. Throws when another version has them no more. */
export const insidesOf = (client: object): ClientInsides => {
  for (const name of ['getChannel', 'callArguments']) {
    if (typeof Reflect.get(client, name) !== 'function') throw new Error(`@eventstore/db-client has no ${name} any more`);
  }
  // Just checked.
  return client as ClientInsides;
};
