import { join } from 'node:path';
import { type Compare, defineBench, percentile } from './frame.ts';
import { fillLibrary } from './searchLibrary.ts';
import { accessToken, benchDirectory, startTributary } from './serverProcess.ts';

/** Some ten hours of speech. */
const WORDS = 100_000;
const REQUESTS = 10;
/** What is promised at the full size, in milliseconds. */
const BARS = { read: 300, edit: 100 };

type Edit = Readonly<Record<string, string | boolean>>;

/** A transcript, read and corrected over HTTP. */
class Editor {
  readonly #url: string;
  readonly #path: string;
  #etag = '';
  #edits = 0;

  constructor(url: string, streamId: string) {
    this.#url = url;
    this.#path = `/stream-service/api/v1/streams/${streamId}/transcript`;
  }

  /** Resolves with the milliseconds of the whole answer. */
  async read(): Promise<number> {
    return (await this.#took('GET', '')).whole;
  }

  /** Resolves with the milliseconds that the server took for a correction, which is then taken back. */
  async corrected(edit: (n: number) => Edit): Promise<number> {
    const { server } = await this.#took('PATCH', '', { edits: [edit(this.#edits++)] });
    await this.#took('POST', '/undo');
    return server;
  }

  /** Milliseconds until the answer begins, which the server has made whole by then, and until all of it is here. */
  async #took(method: string, path: string, body?: object): Promise<{ readonly server: number; readonly whole: number }> {
    const headers = {
      authorization: `Bearer ${await accessToken(this.#url)}`,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      ...(this.#etag !== '' && { 'if-match': this.#etag }),
    };
    const began = performance.now();
    const answer = await fetch(this.#url + this.#path + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const server = performance.now() - began;
    const { byteLength } = await answer.arrayBuffer();
    const whole = performance.now() - began;
    const etag = answer.headers.get('etag');
    if (answer.status !== 200 || etag === null || byteLength === 0) throw new Error(`${method} ${path}: ${answer.status}`);
    this.#etag = etag;
    return { server, whole };
  }
}

const CASES: readonly (readonly [label: string, bar: number, work: (editor: Editor) => Promise<number>])[] = [
  ['GET, 1/p95', BARS.read, (editor) => editor.read()],
  ['PATCH of a text, 1/p95', BARS.edit, (editor) => editor.corrected((n) => ({ op: 'text', utterance: `u${100 + n}`, text: `New ${n}.` }))],
  ['PATCH with replace, 1/p95', BARS.edit, (editor) => editor.corrected((n) => ({ op: 'replace', find: `karimo`, with: `new ${n}` }))],
  ['PATCH with join, 1/p95', BARS.edit, (editor) => editor.corrected(() => ({ op: 'join', speaker: 'B', into: 'A' }))],
];

const measured = async (compare: Compare, editor: Editor, [label, bar, work]: (typeof CASES)[number]): Promise<void> => {
  const took: number[] = [];
  await compare(label, {
    unit: '1/s',
    rounds: 5,
    ours: async () => {
      const round: number[] = [];
      for (let n = 0; n < REQUESTS; n += 1) round.push(await work(editor));
      took.push(...round);
      return 1_000 / percentile(round, 0.95);
    },
    baseline: async () => 1_000 / bar,
    notes: () => ({
      fastest: `${Math.min(...took).toFixed(0)} ms`,
      p50: `${percentile(took, 0.5).toFixed(0)} ms`,
      p95: `${percentile(took, 0.95).toFixed(0)} ms`,
    }),
  });
};

/** One long transcript of two speakers, read and corrected: each compared with its bound. */
export const transcript = defineBench({
  name: 'transcript',
  bar: 1,
  run: async (compare) => {
    const dataDir = join(benchDirectory(), 'data');
    const { streamIds } = await fillLibrary(dataDir, 1, WORDS, ['A', 'B']);
    // Without policies and processors, because the log was filled without them.
    const server = await startTributary(dataDir, { ROLES: 'http,projections' });
    const editor = new Editor(server.url, streamIds[0] ?? '');
    for (const one of CASES) await measured(compare, editor, one);
    await server.stop();
  },
});
