import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, call, streamEnd, TRANSCRIPTION_TEMPLATE, upload } from '../e2e/client.ts';
import { eventually, PATIENCE } from '../eventually.ts';
import { HELLO_HEARD, startStubEngine } from '../fakes/engineServer.ts';
import { wavOf } from '../wav.ts';

const STREAMS = '/stream-service/api/v1/streams';
const TRANSCRIPTS = 12;
const EDITORS = 8;
const MOST_SHARES = 3;
/** Much faster than people, and slow enough that most of the time of 200 kills is not spent on reading revisions. */
const BETWEEN_EDITS_MS = 100;
const MACHINE = 'Hello there.';
const WAV = wavOf(Buffer.alloc(3_200, 1));

/** The members of a transcript's answer that are looked at. */
interface Shown {
  readonly revision?: number;
  readonly utterances?: readonly { readonly text: string }[];
  readonly speakers?: readonly { readonly name: string | null }[];
}

/** A state of a transcript. Its only utterance is the last word, and its speaker is named after it. */
interface Version {
  readonly revision: number;
  /** The texts that undos lead back to; the last one stands. */
  readonly words: readonly string[];
}

/** What was acknowledged about a transcript. */
interface Edited {
  readonly streamId: string;
  known: Version;
  /** A change without an answer: it may be there, or appear later. */
  maybe: Version | null;
  /** Whether it was not there when the transcript was read since. */
  absent: boolean;
  /** A word that was corrected away or undone. */
  former: string | null;
  labels: (string | null)[];
  readonly shares: Map<string, string>;
  readonly revoked: string[];
  /** Ends when the work on it has ended. */
  turn: Promise<void>;
}

/** The last word. */
const standing = ({ words }: Version): string => words.at(-1) ?? '';
const nameOf = (word: string): string | null => (word === MACHINE ? null : `Name of ${word}`);

/** A speech engine that outlives the servers. */
export const startEngine = async () => {
  const engine = await startStubEngine();
  engine.always({ body: HELLO_HEARD });
  return engine;
};

/** Transcripts that editors correct, undo, label and share while servers die. One at a time works on a transcript, so that its next state is known. */
export class TranscriptLoad {
  /** What must never be read. */
  readonly surprises: string[] = [];
  answered = 0;
  readonly #transcripts: readonly Edited[];
  readonly #urls: () => readonly string[];
  readonly #editors: Promise<void>[];
  #running = true;

  private constructor(transcripts: readonly Edited[], urls: () => readonly string[]) {
    this.#transcripts = transcripts;
    this.#urls = urls;
    this.#editors = Array.from({ length: EDITORS }, () => this.#edit());
  }

  static async start(url: string, urls: () => readonly string[]): Promise<TranscriptLoad> {
    const transcripts = await Promise.all(Array.from({ length: TRANSCRIPTS }, () => transcribed(url)));
    return new TranscriptLoad(transcripts, urls);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#editors);
  }

  /** Revisions by stream. */
  get revisions(): ReadonlyMap<string, number> {
    return new Map(this.#transcripts.map(({ streamId, known }) => [streamId, known.revision]));
  }

  /** Every acknowledged change is there, and a search finds what the transcripts say now, within `patience` milliseconds. */
  async check(url: string, patience: number): Promise<void> {
    for (const transcript of this.#transcripts) {
      await this.#alone(transcript, async () => {
        await this.#read(url, transcript);
        await this.#search(url, transcript, patience);
        await this.#described(url, transcript);
      });
    }
  }

  async #edit(): Promise<void> {
    while (this.#running) {
      const urls = this.#urls();
      const url = urls[Math.floor(Math.random() * urls.length)];
      const transcript = this.#transcripts[Math.floor(Math.random() * TRANSCRIPTS)];
      await wait(BETWEEN_EDITS_MS);
      if (url === undefined || !transcript) continue;
      await this.#alone(transcript, () => this.#change(url, transcript)).catch((error: unknown) => {
        // The server died during the call.
        if (!(error instanceof TypeError)) throw error;
      });
    }
  }

  #alone(transcript: Edited, work: () => Promise<void>): Promise<void> {
    const done = transcript.turn.then(work);
    transcript.turn = done.catch(() => undefined);
    return done;
  }

  async #change(url: string, transcript: Edited): Promise<void> {
    if (transcript.maybe && !transcript.absent) await this.#read(url, transcript);
    const dice = Math.random();
    if (dice < 0.55) return this.#correct(url, transcript);
    if (dice < 0.75) return this.#undo(url, transcript);
    return dice < 0.87 ? this.#label(url, transcript) : this.#share(url, transcript);
  }

  async #correct(url: string, transcript: Edited): Promise<void> {
    const { revision, words } = transcript.known;
    const word = `w${randomUUID().replaceAll('-', '')}`;
    const edits = [
      { op: 'text', utterance: 'u0', text: word },
      { op: 'speaker', utterance: 'u0', speaker: 'A' },
      { op: 'name', speaker: 'A', name: nameOf(word) },
    ];
    const body = { edits };
    await this.#revise(url, transcript, { method: 'PATCH', path: '', body }, { revision: revision + 1, words: [...words, word] });
  }

  async #undo(url: string, transcript: Edited): Promise<void> {
    const { revision, words } = transcript.known;
    if (words.length === 1) return;
    await this.#revise(url, transcript, { method: 'POST', path: '/undo' }, { revision: revision + 1, words: words.slice(0, -1) });
  }

  async #revise(
    url: string,
    transcript: Edited,
    { method, path, body }: { readonly method: string; readonly path: string; readonly body?: object },
    next: Version,
  ): Promise<void> {
    const { streamId, known } = transcript;
    transcript.maybe = next;
    transcript.absent = false;
    const headers = { 'if-match': `"transcript-1-${known.revision}"` };
    const answer = await call(url, `${STREAMS}/${streamId}/transcript${path}`, { method, headers, ...(body && { body }) });
    if (!this.#accepted(answer, `${method} ${path} of ${streamId}`, 412)) return;
    this.#becomes(transcript, next);
    this.#same(answer.body, transcript, 'the answer');
  }

  #becomes(transcript: Edited, next: Version): void {
    const before = standing(transcript.known);
    if (before !== MACHINE) transcript.former = before;
    transcript.known = next;
    transcript.maybe = null;
  }

  async #label(url: string, transcript: Edited): Promise<void> {
    const label = randomUUID();
    transcript.labels.push(label);
    const answer = await call(url, `${STREAMS}/${transcript.streamId}`, { method: 'PATCH', body: { labels: [label] } });
    if (this.#accepted(answer, 'label')) transcript.labels = [label];
  }

  async #share(url: string, transcript: Edited): Promise<void> {
    const path = `${STREAMS}/${transcript.streamId}/shares`;
    const [oldest] = transcript.shares;
    if (oldest && transcript.shares.size >= MOST_SHARES) {
      const [id, page] = oldest;
      transcript.shares.delete(id);
      if (this.#accepted(await call(url, `${path}/${id}`, { method: 'DELETE' }), 'revoke')) transcript.revoked.push(page);
      return;
    }
    const answer = await call(url, path, { method: 'POST', body: { expires: null } });
    if (this.#accepted(answer, 'share')) transcript.shares.set(answer.body.id, new URL(answer.body.url).pathname);
  }

  /** Whether it was done. A dying or full server may refuse, and `allowed` is no surprise either. */
  #accepted(answer: Answer, what: string, allowed?: number): boolean {
    if (answer.status >= 200 && answer.status < 300) {
      this.answered += 1;
      return true;
    }
    if (![429, 503, allowed].includes(answer.status)) this.surprises.push(`${what}: ${answer.status} ${answer.text}`);
    return false;
  }

  async #read(url: string, transcript: Edited): Promise<void> {
    const answer = await call(url, `${STREAMS}/${transcript.streamId}/transcript`);
    if (answer.status === 503 || answer.status === 429) return;
    if (answer.body?.revision === transcript.maybe?.revision && transcript.maybe) this.#becomes(transcript, transcript.maybe);
    transcript.absent = transcript.maybe !== null;
    this.#same(answer.body, transcript, `GET ${answer.status}`);
  }

  /** `body`: as an answer may be, since a wrong shape is a surprise. */
  #same(body: Shown | undefined, { streamId, known }: Edited, what: string): void {
    const word = standing(known);
    const found = [body?.revision, body?.utterances?.map(({ text }) => text).join(' '), body?.speakers?.[0]?.name ?? null];
    const wanted = [known.revision, word, nameOf(word)];
    if (JSON.stringify(found) !== JSON.stringify(wanted)) this.surprises.push(`${what} of ${streamId}: ${found} instead of ${wanted}`);
  }

  async #search(url: string, { known, former, streamId }: Edited, patience: number): Promise<void> {
    const found = async (word: string): Promise<string[]> => {
      const { body } = await call(url, `/export-service/api/v1/search?q=${word}`);
      return body.content.map((one: { streamId: string }) => one.streamId);
    };
    const word = standing(known);
    const isRight = async () =>
      (word === MACHINE || `${await found(word)}` === streamId) && (former === null || (await found(former)).length === 0);
    const isFound = await eventually(isRight, patience / PATIENCE).catch(() => false);
    if (!isFound) this.surprises.push(`the search of ${streamId} for "${word}" and "${former}" is wrong`);
  }

  async #described(url: string, { streamId, labels, shares, revoked, known }: Edited): Promise<void> {
    const { body } = await call(url, `${STREAMS}/${streamId}`);
    const label: string | null = body.labels[0] ?? null;
    if (!labels.includes(label)) this.surprises.push(`labels of ${streamId}: ${label} instead of ${labels}`);
    for (const page of shares.values()) {
      const shown = await call(url, page, { key: null });
      if (shown.status !== 200 || !shown.text.includes(standing(known))) this.surprises.push(`a link to ${streamId}: ${shown.status}`);
    }
    for (const page of revoked) {
      const { status } = await call(url, page, { key: null });
      if (status !== 404) this.surprises.push(`a revoked link to ${streamId}: ${status}`);
    }
  }
}

const transcribed = async (url: string): Promise<Edited> => {
  const query = { streamConfigurationTemplateId: TRANSCRIPTION_TEMPLATE, persist: 'true' };
  const { body } = await upload(url, query, WAV);
  const streamId: string = body.streamId;
  await streamEnd(url, streamId, 60_000);
  const known = { revision: 0, words: [MACHINE] };
  return {
    streamId,
    known,
    maybe: null,
    absent: false,
    former: null,
    labels: [null],
    shares: new Map(),
    revoked: [],
    turn: Promise.resolve(),
  };
};
