import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Json } from '../../src/json.ts';

/** One request that the engine received. */
export interface EngineCall {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The whole body as it came. */
  readonly raw: Buffer;
  /** Of a form: its text fields, repeated names joined by a comma. */
  readonly fields: Readonly<Record<string, string>>;
  /** Of a form: its file. */
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer } | null;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked by assertions
  readonly json: any;
}

/** The engine's reaction to a request: an answer, or a fault of real ones. */
export type Behaviour =
  | { readonly status?: number; readonly body: Json; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status?: number; readonly text: string; readonly type?: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'drip'
  | 'reset'
  | 'reset in the answer'
  | 'huge'
  | 'never reads';

export interface StubEngine {
  readonly url: string;
  readonly calls: readonly EngineCall[];
  /** Requests that are neither answered nor closed. */
  open(): number;
  /** Reactions to the next requests, one each; afterwards `always` applies again. */
  next(...behaviours: readonly Behaviour[]): void;
  always(behaviour: Behaviour | ((call: EngineCall) => Behaviour | Promise<Behaviour>)): void;
  reset(): void;
  close(): Promise<void>;
}

const fileIn = (part: string, head: string): EngineCall['file'] => ({
  name: /filename="([^"]*)"/.exec(head)?.[1] ?? '',
  type: /content-type: *(\S+)/i.exec(head)?.[1] ?? '',
  bytes: Buffer.from(part, 'latin1'),
});

const formOf = (raw: Buffer, contentType: string): Pick<EngineCall, 'fields' | 'file'> => {
  const boundary = /boundary=(\S+)/.exec(contentType)?.[1];
  const fields: Record<string, string> = {};
  let file: EngineCall['file'] = null;
  if (boundary === undefined) return { fields, file };
  for (const part of `\r\n${raw.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
    const content = rest.join('\r\n\r\n');
    if (head.includes('filename=')) file = fileIn(content, head);
    else fields[name] = (fields[name] === undefined ? '' : `${fields[name]},`) + Buffer.from(content, 'latin1').toString('utf8');
  }
  return { fields, file };
};

const jsonOf = (raw: Buffer, contentType: string): unknown =>
  contentType.startsWith('application/json') ? JSON.parse(raw.toString()) : null;

const drip = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

const huge = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1_048_576, '[');
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', pour);
  pour();
};

const act = (behaviour: Behaviour, response: ServerResponse): void => {
  switch (behaviour) {
    case 'hang':
    case 'never reads':
      break;
    case 'drip':
      drip(response);
      break;
    case 'huge':
      huge(response);
      break;
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
    case 'reset in the answer':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"text": "half', () => response.socket?.resetAndDestroy());
      break;
    default:
      answer(behaviour, response);
  }
};

const answer = (given: Exclude<Behaviour, string>, response: ServerResponse): void => {
  const [type, content] = 'text' in given ? [given.type ?? 'text/plain', given.text] : ['application/json', JSON.stringify(given.body)];
  response.writeHead(given.status ?? 200, { 'content-type': type, ...given.headers });
  response.end(content);
};

/** A server that behaves like an OpenAI-compatible one, or has one of its faults. */
export const startStubEngine = async (): Promise<StubEngine> => {
  const calls: EngineCall[] = [];
  const queue: Behaviour[] = [];
  let fallback: Parameters<StubEngine['always']>[0] = { status: 500, body: { error: { message: 'nothing to say' } } };
  let open = 0;
  const server = createServer(async (request, response) => {
    open++;
    response.on('close', () => open--);
    if (queue[0] === 'never reads') {
      queue.shift();
      return;
    }
    const raw = await buffer(request).catch(() => null);
    if (raw === null) return;
    const contentType = request.headers['content-type'] ?? '';
    const call = { path: request.url ?? '', headers: request.headers, raw, ...formOf(raw, contentType), json: jsonOf(raw, contentType) };
    calls.push(call);
    act(queue.shift() ?? (typeof fallback === 'function' ? await fallback(call) : fallback), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    open: () => open,
    next: (...behaviours) => void queue.push(...behaviours),
    always(behaviour) {
      fallback = behaviour;
    },
    reset() {
      queue.length = 0;
      calls.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** `[word, start, end]` in seconds, as such servers return them. */
export const heardWords = (...words: readonly (readonly [string, number, number])[]): Json =>
  words.map(([word, start, end]) => ({ word, start, end }));

/** A chat server's answer with this content. */
export const chatAnswer = (
  content: string,
  usage: { prompt: number; completion: number } | null = { prompt: 10, completion: 5 },
): Behaviour => ({
  body: {
    id: 'chat-1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    ...(usage && {
      usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: usage.prompt + usage.completion },
    }),
  },
});

/** What a speech server answers to a recording in which somebody says hello. */
export const HELLO_HEARD = {
  ...{ language: 'english', duration: 60, text: 'Hello there.' },
  segments: [{ start: 0, end: 1.5, text: ' Hello there.' }],
  words: heardWords(['Hello', 0, 0.5], ['there', 0.6, 1.5]),
};
