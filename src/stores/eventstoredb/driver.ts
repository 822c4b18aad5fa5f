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
    grpc: { credentials: grpc.credentials, Channel: grpc.Channel, Metadata: grpc.Metadata },
    EventStoreDBClient: client.EventStoreDBClient,
    StreamsClient: streamsGrpc.default.StreamsClient,
    GossipClient: gossipGrpc.default.GossipClient,
    streams: streams.default,
    shared: shared.default,
    Empty: empty.default.Empty,
    Timestamp: timestamp.default.Timestamp,
  };
};
