import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { headerLinesProblem, rawAnswer } from '../../server/server.ts';

/**
 * Serves a request without the upgrade that it offers, as RFC 9110, 7.8 allows: Java's HttpClient and `curl --http2` offer h2c with every request.
 * Node hands over the connection of such a request; here it is read again from its first line, without the offer. A request
 * with too many header lines is refused first: if Node has dropped its `Content-Length`, its body would be read as a second request.
 */
export const ignoreUpgrade = (server: Server, incoming: IncomingMessage, socket: Duplex, head: Uint8Array): void => {
  const problem = headerLinesProblem(incoming);
  if (problem) {
    // Node has removed its own listener.
    socket.on('error', () => socket.destroy());
    return void socket.end(rawAnswer(problem), () => socket.destroy());
  }
  const lines = [`${incoming.method} ${incoming.url} HTTP/${incoming.httpVersion}`];
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = incoming.rawHeaders.slice(at, at + 2);
    const kept = withoutOffer(name, value);
    if (kept !== null) lines.push(`${name}: ${kept}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};

/** The value of a header without upgrade offers; `null` if nothing is left. */
const withoutOffer = (name: string, value: string): string | null => {
  switch (name.toLowerCase()) {
    case 'upgrade':
    case 'http2-settings':
      return null;
    case 'connection': {
      const options = value.split(',').map((option) => option.trim());
      return options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option)).join(', ') || null;
    }
    default:
      return value;
  }
};
