import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_MSG = 2013;
/** Offset of the first document in a message. */
const DOCUMENT_AT = { [OP_REPLY]: HEADER_BYTES + 20, [OP_MSG]: HEADER_BYTES + 5 } as const;

/** An error answer of the server. */
export interface Refusal {
  readonly code: number;
  readonly codeName: string;
  readonly errmsg: string;
}

interface Command {
  readonly name: string;
  readonly document: BSON.Document;
}

export interface FakeReplicaSet {
  /** Of 127.0.0.1. Use it with `replicaSet=rs`, or with `directConnection=true` for the server without its set. */
  readonly port: number;
  /** The server stops being primary at its `nth` command of this name (1: the next one): it refuses this command and every later write. */
  stepDownAt(command: string, nth: number): void;
  /** Makes it a secondary. */
  stepDown(): void;
  /** Makes it the primary again. */
  stepUp(): void;
  /** Answers each command of that name, with that member if one is named, with this error. */
  refuse(command: string, refusal: Refusal, member?: string): void;
  /** The commands so far, in order. */
  readonly all: readonly Command[];
  /** Those of that name. */
  sent(command: string): readonly BSON.Document[];
  /** The server executes the next command of that name, and its answer is lost with the connection. */
  loseAnswerTo(command: string): void;
  /** Delays each command of that name. */
  slowDown(command: string, milliseconds: number): void;
  /** Writes refused so far. */
  readonly refused: number;
  close(): Promise<void>;
}

/**
 * Makes a single server of the wire protocol look like the primary of a replica set of one member that can step down, and that accepts at most
 * `most` writes per command, so that a bulk is split. It reads every message, answers some itself and rewrites the server's description of itself.
 */
export const openReplicaSet = async (target: { readonly port: number }, most: number): Promise<FakeReplicaSet> => {
  const state = { primary: true, refused: 0, command: '', left: 0, lost: '', slow: '', milliseconds: 0 };
  let port = 0;
  const sockets = new Set<Socket>();
  const refusals = new Map<string, { readonly refusal: Refusal; readonly member: string }>();
  const commands: Command[] = [];

  /** Whether the command is refused; counts it. */
  const refuses = (command: string, writes: boolean): boolean => {
    if (command === state.command && state.left > 0) {
      state.left -= 1;
      if (state.left === 0) state.primary = false;
    }
    if (state.primary || !writes) return false;
    state.refused += 1;
    return true;
  };

  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1');
    let losing = false;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on(
      'data',
      inMessages((message) => {
        const command = commandOf(message);
        const document = command === '' ? {} : documentOf(message);
        if (command !== '') commands.push({ name: command, document });
        const refused = refusals.get(command);
        if (refused && refused.member in document) return void client.write(failure(message.readInt32LE(4), refused.refusal));
        if (command !== '' && command === state.lost) [losing, state.lost] = [true, ''];
        if (refuses(command, WRITES.has(command))) client.write(notPrimary(message.readInt32LE(4)));
        else if (command !== '' && command === state.slow) setTimeout(() => upstream.write(message), state.milliseconds);
        else upstream.write(message);
      }),
    );
    upstream.on(
      'data',
      inMessages((message) => {
        if (losing) client.destroy();
        else client.write(asMember(message, { primary: state.primary, port, most }));
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  return {
    port,
    stepDownAt: (command, nth) => Object.assign(state, { command, left: nth }),
    stepDown: () => Object.assign(state, { primary: false }),
    refuse: (command, refusal, member = command) => void refusals.set(command, { refusal, member }),
    all: commands,
    sent: (command) => commands.filter(({ name }) => name === command).map(({ document }) => document),
    stepUp: () => Object.assign(state, { primary: true, command: '', left: 0 }),
    loseAnswerTo: (command) => Object.assign(state, { lost: command }),
    slowDown: (command, milliseconds) => Object.assign(state, { slow: command, milliseconds }),
    get refused() {
      return state.refused;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'createIndexes', 'drop', 'dropIndexes']);

/** Calls `take` with each whole message, however the bytes arrive. */
const inMessages = (take: (message: Buffer) => void): ((bytes: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
};

const opCode = (message: Buffer): number => message.readInt32LE(12);

/** The first section of a message is its command; the driver puts it there. */
const commandOf = (message: Buffer): string => {
  if (opCode(message) !== OP_MSG) return '';
  const at = DOCUMENT_AT[OP_MSG];
  // A document's length, the type of its first member, its name.
  return message.toString('utf8', at + 5, message.indexOf(0, at + 5));
};

/** Its first section. */
const documentOf = (message: Buffer): BSON.Document => {
  const at = DOCUMENT_AT[OP_MSG];
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)));
};

const notPrimary = (responseTo: number): Buffer => {
  const refusal = { errmsg: 'not primary', code: 10_107, codeName: 'NotWritablePrimary', errorLabels: ['RetryableWriteError'] };
  return failure(responseTo, refusal);
};

const failure = (responseTo: number, refusal: Refusal): Buffer => {
  const body = BSON.serialize({ ok: 0, ...refusal });
  const head = Buffer.alloc(DOCUMENT_AT[OP_MSG]);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
};

/** Rewrites the server's description of itself to that of a member of the set; other documents stay unchanged. */
const asMember = (message: Buffer, { primary, port, most }: { primary: boolean; port: number; most: number }): Buffer => {
  const code = opCode(message);
  if (code !== OP_REPLY && code !== OP_MSG) return message;
  const at = DOCUMENT_AT[code];
  if (!message.includes('maxWriteBatchSize')) return message;
  const me = `127.0.0.1:${port}`;
  const member = {
    isWritablePrimary: primary,
    ismaster: primary,
    secondary: !primary,
    setName: 'rs',
    hosts: [me],
    me,
    maxWriteBatchSize: most,
  };
  const body = BSON.serialize({ ...BSON.deserialize(message.subarray(at)), ...member });
  const head = Buffer.from(message.subarray(0, at));
  head.writeInt32LE(head.length + body.length, 0);
  return Buffer.concat([head, body]);
};
