// One node of the fake, on its own TCP port that can be closed and reopened.
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { Appends } from './appends.mjs';
import { Faults } from './faults.mjs';
import { httpSide } from './http.mjs';
import { FakeLog } from './log.mjs';
import { Reads } from './reads.mjs';
import { Rights } from './rights.mjs';
import { Witness } from './witness.mjs';

const VERSION = '23.10.6.0';
/** Of `VNodeState`. */
const LEADER = 8;

export class FakeServer {
  log = new FakeLog();
  faults = new Faults();
  witness = new Witness();
  /** `[{host, port, state, alive}]` of the cluster in gossip; default: this node only, as its leader. */
  members = null;
  port = 0;
  #sockets = new Map();
  #listener = null;
  #reads;
  #tls;
  #http;
  #grpc = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });

  /** `tls`: `{cert, key}`, PEM. `users`: see rights.mjs. */
  constructor({ tls = null, users = null } = {}) {
    this.#tls = tls;
    const rights = new Rights(this.log, users);
    const { log, faults, witness } = this;
    const parts = { log, faults, witness, rights, leads: () => this.#leads(), drop: (call) => this.#drop(call) };
    this.#http = httpSide(parts);
    const { batchAppend, append, delete: softDelete, tombstone } = new Appends(parts);
    this.#reads = new Reads(parts);
    const asItIs = { ...streams.StreamsService, read: { ...streams.StreamsService.read, responseSerialize: (bytes) => bytes } };
    this.#grpc.addService(asItIs, { read: this.#reads.read, append, delete: softDelete, tombstone, batchAppend });
    this.#grpc.addService(features.ServerFeaturesService, {
      getSupportedMethods: (_, answer) => this.#soon(() => answer(null, supported())),
    });
    this.#grpc.addService(gossip.GossipService, { read: (_, answer) => this.#soon(() => answer(null, this.#cluster())) });
  }

  async listen(port, address = '127.0.0.1') {
    const injector = this.#grpc.createConnectionInjector(ServerCredentials.createInsecure());
    const onConnection = async (socket) => {
      const key = `${socket.remoteAddress}:${socket.remotePort}`;
      this.#sockets.set(key, socket);
      socket.once('close', () => this.#sockets.delete(key));
      socket.on('error', () => undefined);
      socket.setNoDelay(true);
      if (await speaksHttp2(socket)) injector.injectConnection(socket);
      else this.#http.emit('connection', socket);
    };
    const alpn = ['h2', 'http/1.1'];
    this.#listener = this.#tls
      ? createTlsServer({ ...this.#tls, ALPNProtocols: alpn }, onConnection).on('tlsClientError', () => undefined)
      : createServer(onConnection);
    await new Promise((resolve, reject) => this.#listener.once('error', reject).listen(port, address, resolve));
    this.port = this.#listener.address().port;
  }

  /** Sets faults; `refuse` closes the port, and its end reopens it. */
  async set(given) {
    this.faults.set(given);
    if (this.faults.refuse && this.#listener) {
      const closed = new Promise((resolve) => this.#listener.close(resolve));
      this.#listener = null;
      this.dropAll();
      await closed;
    } else if (!this.faults.refuse && !this.#listener) await this.listen(this.port);
  }

  dropAll() {
    for (const socket of this.#sockets.values()) cut(socket);
  }

  state() {
    const { reads, live, liveDrops } = this.#reads;
    return {
      port: this.port,
      events: this.log.records.length,
      connections: this.#sockets.size,
      reads,
      live,
      liveDrops,
      faults: { ...this.faults },
    };
  }

  #drop(call) {
    const socket = this.#sockets.get(call.getPeer());
    if (socket) cut(socket);
  }

  #leads() {
    return this.members === null || this.members.some(({ port, state }) => port === this.port && state === LEADER);
  }

  #soon(answer) {
    if (!this.faults.hang) setTimeout(answer, this.faults.slow);
  }

  #cluster() {
    const members = this.members ?? [{ host: '127.0.0.1', port: this.port, state: LEADER }];
    const info = new gossipPb.ClusterInfo();
    for (const { host, port, state, alive = true } of members) {
      const endPoint = new gossipPb.EndPoint();
      endPoint.setAddress(host);
      endPoint.setPort(port);
      const id = new shared.UUID();
      id.setString('00000000-0000-4000-8000-000000000000');
      const member = new gossipPb.MemberInfo();
      member.setInstanceId(id);
      member.setTimeStamp(String(Date.now()));
      member.setState(state);
      member.setIsAlive(alive);
      member.setHttpEndPoint(endPoint);
      info.addMembers(member);
    }
    return info;
  }
}

/** From TLS itself, otherwise from the first bytes, which are put back. */
const speaksHttp2 = async (socket) => {
  if (socket.encrypted) return socket.alpnProtocol === 'h2';
  await new Promise((resolve) => socket.once('readable', resolve).once('close', resolve));
  const first = socket.read();
  if (first === null) return false;
  socket.unshift(first);
  return first.subarray(0, 3).toString() === 'PRI';
};

const cut = (socket) => (socket.encrypted ? socket.destroy() : socket.resetAndDestroy());

const supported = () => {
  const answer = new featuresPb.SupportedMethods();
  answer.setEventStoreServerVersion(VERSION);
  for (const { path } of Object.values(streams.StreamsService)) {
    const [, service, name] = path.split('/');
    const method = new featuresPb.SupportedMethod();
    method.setServiceName(service);
    method.setMethodName(name.toLowerCase());
    answer.addMethods(method);
  }
  return answer;
};
