import { join } from 'node:path';
import { Tributary, TributaryError } from '#client';
import { COMMAND } from '../../commandName.ts';
import { callControlSocket } from '../controlSocket.ts';
import { type DemoServer, startDemoServer } from './demoServer.ts';
import { speakLive } from './liveSession.ts';
import { heading, say } from './say.ts';
import { showResults } from './showResults.ts';
import { SPOKEN_TEXT, speechMissing, spokenWav } from './spokenWav.ts';
import { WebhookInbox } from './webhookInbox.ts';

/** One line per component, rewritten in place on a terminal; elsewhere one line per change. */
class LiveLines {
  readonly #output: NodeJS.WriteStream;
  #shown = new Map<string, string>();

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  show(lines: ReadonlyMap<string, string>): void {
    if (this.#output.isTTY) {
      if (this.#shown.size > 0) this.#output.write(`\x1b[${this.#shown.size}A`);
      for (const [name, state] of lines) this.#output.write(`\x1b[2K  ${name.padEnd(14)} ${state}\n`);
    } else {
      for (const [name, state] of lines) if (this.#shown.get(name) !== state) this.#output.write(`  ${name.padEnd(14)} ${state}\n`);
    }
    this.#shown = new Map(lines);
  }
}

const TRANSCRIPTION_TEMPLATE = '668115d123bca7e3509723d4';
const TEXT_TEMPLATE = '7472696275746172790a7478';

/** Shows the whole product: speech in; transcript, summary, sentiment, cost and events out. Uses `TRIBUTARY_URL` if set. `live`: speaks in real time. */
export const demo = async ({ live = false }: { readonly live?: boolean } = {}): Promise<void> => {
  const server = await chooseServer();
  try {
    await demonstrate(server, live);
  } finally {
    await server.stop();
  }
};

const chooseServer = async (): Promise<DemoServer> => {
  const url = process.env.TRIBUTARY_URL;
  if (!url) {
    say('Starting a server on a fresh data directory ...');
    return startDemoServer();
  }
  const apiKey = process.env.TRIBUTARY_API_KEY;
  if (!apiKey) throw new Error('TRIBUTARY_URL is set. Set TRIBUTARY_API_KEY to an API key of that server too.');
  return { url: url.replace(/\/+$/, ''), apiKey, dataDir: null, stop: async () => {} };
};

const demonstrate = async (server: DemoServer, live: boolean): Promise<void> => {
  say(`Server: ${server.url}`);
  const tributary = new Tributary({ url: server.url, credential: { apiKey: server.apiKey } });
  const inbox = await WebhookInbox.open();
  try {
    const { streamId, hears } = live ? { streamId: await speakLive(tributary), hears: false } : await uploadHeard(tributary, inbox);
    await follow(tributary, streamId);
    await showResults(tributary, streamId);
    if (hears) await inbox.show(tributary);
    await showEvents(server, streamId);
  } finally {
    inbox.close();
  }
  heading('What to try next');
  if (!live) suggest('demo --live', 'the same, spoken in real time');
  suggest('start', 'your own server; it prints an API key at its first start');
  suggest('--help', 'credentials, projections, audit');
  say('  README.md, "First transcription"   the same with curl');
};

const suggest = (words: string, meaning: string): void => say(`  ${`${COMMAND} ${words}`.padEnd(30)} ${meaning}`);

/** Receives the stream's webhooks here, unless the server refuses this machine's loopback addresses. */
const uploadHeard = async (tributary: Tributary, inbox: WebhookInbox): Promise<{ streamId: string; hears: boolean }> => {
  try {
    return { streamId: await upload(tributary, inbox.url), hears: true };
  } catch (error) {
    if (!(error instanceof TributaryError) || error.internalErrorName !== 'WEBHOOK_CONFIGURATION_ERROR') throw error;
    say('  This server sends no webhooks to local addresses, so the demo skips them. A server that is started with');
    say('  WEBHOOK_ALLOW_CIDRS=127.0.0.0/8 sends them to this demo. It opens every local address, so use it for trying out only.');
    return { streamId: await upload(tributary, null), hears: false };
  }
};

const upload = async (tributary: Tributary, webhook: string | null): Promise<string> => {
  const missing = await speechMissing();
  heading('Upload');
  if (missing !== null) say(`  As text, not speech: ${missing}.`);
  say(`  ${missing === null ? 'spoken: ' : ''}"${SPOKEN_TEXT}"`);
  const body = missing === null ? await spokenWav() : Buffer.from(SPOKEN_TEXT);
  const { streamId } = await tributary.upload({
    template: missing === null ? TRANSCRIPTION_TEMPLATE : TEXT_TEMPLATE,
    name: 'Demonstration',
    persist: true,
    patches: { summary: true, sentimentAnalysis: true, ask0: 'When should I call back?' },
    ...(webhook === null ? {} : { webhooks: { [webhook]: ['*'] } }),
    body,
  });
  say(`  ${body.length} bytes uploaded, stream ${streamId}`);
  return streamId;
};

const described = (state: string, description: string | null): string => (description === null ? state : `${state}  ${description}`);

const follow = async (tributary: Tributary, streamId: string): Promise<void> => {
  heading('Stream');
  const lines = new LiveLines(process.stdout);
  for (;;) {
    const { data } = await tributary.http.GET('/stream-service/api/v1/streams/{streamId}/components', { params: { path: { streamId } } });
    if (!data) return;
    const { gateway, processors, state, stateDescription } = data;
    lines.show(
      new Map([
        ['gateway', gateway.state],
        ...processors.map((one): [string, string] => [one.processorId, described(one.state, one.stateDescription)]),
        ['stream', described(state, stateDescription)],
      ]),
    );
    if (state !== 'READY') return;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
};

interface ShownEvent {
  type: string;
  eventStream: string;
  revision: string;
  metadata: { time: string };
}

const showEvents = async (server: DemoServer, streamId: string): Promise<void> => {
  if (server.dataDir === null) return;
  heading('Events of the stream, as in the log');
  const shown = async (text: string): Promise<void> => {
    for (const line of text.split('\n').filter(Boolean)) {
      // Safe cast: the control socket belongs to our own server.
      const { metadata, revision, type }: ShownEvent = JSON.parse(line);
      say(`  ${metadata.time}  ${revision.padStart(2)}  ${type}`);
    }
  };
  await callControlSocket(
    join(server.dataDir, 'control.sock'),
    'audit events',
    { eventStream: `stream-${streamId}`, order: 'asc' },
    { progress: say, output: shown },
  );
};
