import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import type { StoredEvent } from '../../src/stores/eventStore.ts';
import { call } from '../e2e/client.ts';
import { Receiver } from '../receiver.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
export const DYNAMIC = '/dynamic';
/** One in so many answers is a refusal, so that retries are under way when the server dies. */
const REFUSED = 20;

/** What each event of the log tells webhooks, written down once more from the contract, section 11. */
const TOLD: Readonly<Record<string, readonly string[]>> = {
  StreamCreated: ['stream.ready', 'gateway.connected'],
  UploadCompleted: ['gateway.disconnected', 'gateway.closed'],
  UploadFailed: ['gateway.error'],
  ProcessorStarted: ['processor.running'],
  ProcessorCompleted: ['processor.completed'],
  ProcessorFailed: ['processor.error'],
  StreamCompleted: ['stream.completed'],
  StreamFailed: ['stream.failed'],
  GroupCreated: ['group.created'],
  StreamJoined: ['group.stream-joined'],
  GroupCompleted: ['group.completed'],
  GroupFailed: ['group.failed'],
};

/** Receivers that outlive the server, the endpoints that point at them, and the oracle of what must have come. */
export class WebhookLoad {
  readonly #receiver: Receiver;
  #created: string[] = [];

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
    for (const path of ['/all', '/streams', DYNAMIC])
      receiver.answer(path, (_, response) => response.writeHead(Math.random() < 1 / REFUSED ? 500 : 204).end());
  }

  /** Two endpoints that are never switched off: one hears of everything, one of streams only. */
  static async start(url: string): Promise<WebhookLoad> {
    const load = new WebhookLoad(await Receiver.start());
    for (const [path, events] of [
      ['/all', ['*']],
      ['/streams', ['stream.*']],
    ] as const) {
      const answer = await call(url, ENDPOINTS, { method: 'PUT', body: { url: load.#receiver.url(path), events } });
      if (answer.status !== 200) throw new Error(`no endpoint: ${answer.text}`);
      load.#created.push(answer.body.id);
    }
    return load;
  }

  /** An endpoint that the load may switch on and off. Answers its id. */
  async switched(url: string): Promise<string> {
    const body = { url: this.#receiver.url(`/switched/${randomUUID()}`), events: ['group.*'] };
    const answer = await call(url, ENDPOINTS, { method: 'PUT', body });
    if (answer.status !== 200) throw new Error(`no endpoint: ${answer.text}`);
    return answer.body.id;
  }

  /** For an upload's dynamic webhook. */
  get dynamicUrl(): string {
    return this.#receiver.url(DYNAMIC);
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  /** What the log says is due and has not come yet, as `<path> <type> of <source event>`. `dynamic`: streams that asked for their completion. */
  missing(events: readonly StoredEvent[], dynamic: ReadonlySet<string>): string[] {
    const heard = new Set(this.#receiver.received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`));
    const due = new Map<string, string>();
    const since = events.findIndex(({ type, data }) => type === 'EndpointCreated' && data.endpointId === this.#created.at(-1));
    const uploaded = new Set<string>();
    for (const [index, event] of events.entries()) {
      if (event.type === 'UploadCompleted') uploaded.add(event.eventStream);
      for (const type of toldBy(event, uploaded)) {
        const id = v5(type, Buffer.from(event.id.replaceAll('-', ''), 'hex'));
        const owe = (path: string) => due.set(`${path} ${id}`, `${path} ${type} of ${event.eventStream}@${event.revision}`);
        if (index > since) owe('/all');
        if (index > since && type.startsWith('stream.')) owe('/streams');
        if (type === 'stream.completed' && dynamic.has(event.eventStream.slice('stream-'.length))) owe(DYNAMIC);
      }
    }
    return [...due].filter(([key]) => !heard.has(key)).map(([, what]) => what);
  }

  /** For a load that asks nothing of them afterwards. */
  forget(): void {
    this.#receiver.received.length = 0;
  }

  get received(): number {
    return this.#receiver.received.length;
  }
}

const toldBy = ({ type, eventStream }: StoredEvent, uploaded: ReadonlySet<string>): readonly string[] => {
  if (type === 'StreamCanceled') return uploaded.has(eventStream) ? ['stream.failed'] : ['stream.failed', 'gateway.closed'];
  return TOLD[type] ?? [];
};

export const toggle = (url: string, endpointId: string, enabled: boolean) =>
  call(url, `${ENDPOINTS}/${endpointId}/enabled/${enabled}`, { method: 'PATCH' });
