import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const PATIENCE_MILLISECONDS = 2_000;
const HEADER_BYTES = 16;
const OP_MSG = 2_013;
const OP_QUERY = 2_004;
const OP_REPLY = 1;

/** Whether a server of MongoDB's protocol speaks TLS or plain text at the address; `null` if neither. Sends no credentials, and never rejects. */
export const spokenAt = async (host: string, port: number): Promise<'tls' | 'plain' | null> => {
  if (await answers(connectTls({ host, port, rejectUnauthorized: false }), 'secureConnect')) return 'tls';
  const plain = connectPlain({ host, port });
  plain.once('connect', () => plain.write(helloMessage()));
  return (await answers(plain, 'data', isReply)) ? 'plain' : null;
};

const answers = (socket: Socket, event: string, isAnswer: (data: unknown) => boolean = () => true): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PATIENCE_MILLISECONDS, () => end(false));
    socket.once(event, (data) => end(isAnswer(data)));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });

const isReply = (data: unknown): boolean =>
  Buffer.isBuffer(data) && data.length >= HEADER_BYTES && [OP_MSG, OP_REPLY].includes(data.readInt32LE(12));

/** `{ hello: 1 }` in the oldest form: an OP_QUERY on `admin.$cmd`. */
const helloMessage = (): Buffer => {
  const document = Buffer.from('10000000' + '10' + '68656c6c6f00' + '01000000' + '00', 'hex');
  const namespace = Buffer.from('admin.$cmd\0');
  const message = Buffer.alloc(HEADER_BYTES + 4 + namespace.length + 8 + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(OP_QUERY, 12);
  namespace.copy(message, HEADER_BYTES + 4);
  // Skip nothing; one document.
  message.writeInt32LE(-1, HEADER_BYTES + 4 + namespace.length + 4);
  document.copy(message, HEADER_BYTES + 4 + namespace.length + 8);
  return message;
};
