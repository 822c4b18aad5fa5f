import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import { call } from '../e2e/client.ts';
import { Receiver } from '../receiver.ts';
import type { AuditedEvent } from './auditedLog.ts';

const ENDPOINTS = '/notification-service/api/v1/webhook-endpoints';
export const DYNAMIC = '/dynamic';
/** One in this many answers is a refusal, so that retries are pending when the server dies. */
const ONE_IN = 20;

/** The webhook types of each event of the log, written a second time so that the test does not trust `plan/webhookTypes.ts`. */
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

/** The same for the group that a stream has to itself. */
const TOLD_OF_OWN_GROUP: Readonly<Record<string, readonly string[]>> = {
  StreamCreated: ['group.created', 'group.stream-joined'],
  StreamCompleted: ['group.completed'],
  StreamFailed: ['group.failed'],
  StreamCanceled: ['group.failed'],
};

/** Receivers that outlive the server, their endpoints, and the list of webhooks that must arrive. */
export class WebhookLoad {
  readonly #receiver: Receiver;
  #created: string[] = [];
  /** Accepted webhooks, as `<path> <webhook-id>`: a refused one must be sent again. */
  readonly #taken = new Set<string>();
  /** Due webhooks that have not been accepted, with their names. */
  readonly #due = new Map<string, string>();
  readonly #uploaded = new Set<string>();
  /** Streams that have their group to themselves. */
  readonly #lone = new Set<string>();
  /** Whether the log has reached the moment at which both endpoints existed. */
  #listens = false;

  private constructor(receiver: Receiver, oneIn: number) {
    this.#receiver = receiver;
    for (const path of ['/all', '/streams', DYNAMIC])
      receiver.answer(path, ({ headers }, response) => {
        const refused = Math.random() < 1 / oneIn;
        if (!refused) this.#take(`${path} ${headers['webhook-id']}`);
        response.writeHead(refused ? 500 : 204).end();
      });
  }

  /** Two endpoints that are never disabled: one receives everything, one only stream events. */
  static async start(url: string, oneIn = ONE_IN): Promise<WebhookLoad> {
    const load = new WebhookLoad(await Receiver.start(0, { keeps: false }), oneIn);
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

  /** An endpoint that the load may enable and disable. Returns its id. */
  async switched(url: string): Promise<string> {
    const body = { url: this.#receiver.url(`/switched/${randomUUID()}`), events: ['group.*'] };
    const answer = await call(url, ENDPOINTS, { method: 'PUT', body });
    if (answer.status !== 200) throw new Error(`no endpoint: ${answer.text}`);
    return answer.body.id;
  }

  /** URL for an upload's dynamic webhook. */
  get dynamicUrl(): string {
    return this.#receiver.url(DYNAMIC);
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  /** Adds the webhooks that the next event of the log makes due. `dynamic`: streams with a webhook for their completion. */
  owe(event: AuditedEvent, dynamic: ReadonlySet<string>): void {
    const { type: source, eventStream, data, id, revision } = event;
    if (source === 'UploadCompleted') this.#uploaded.add(eventStream);
    if (source === 'StreamCreated' && data.ownGroup) this.#lone.add(eventStream);
    if (source === 'OwnGroupShared') this.#lone.delete(eventStream);
    const ofGroup = this.#lone.has(eventStream) ? (TOLD_OF_OWN_GROUP[source] ?? []) : [];
    for (const type of [...toldBy(event, this.#uploaded), ...ofGroup]) {
      const webhookId = v5(type, Buffer.from(id.replaceAll('-', ''), 'hex'));
      const paths = this.#listens ? ['/all', ...(type.startsWith('stream.') ? ['/streams'] : [])] : [];
      if (type === 'stream.completed' && dynamic.has(eventStream.slice('stream-'.length))) paths.push(DYNAMIC);
      for (const path of paths) {
        const key = `${path} ${webhookId}`;
        if (!this.#taken.has(key)) this.#due.set(key, `${path} ${type} of ${eventStream}@${revision}`);
      }
    }
    this.#listens ||= source === 'EndpointCreated' && data.endpointId === this.#created.at(-1);
  }

  #take(key: string): void {
    this.#taken.add(key);
    this.#due.delete(key);
  }

  /** Webhooks due by the events so far and not accepted, as `<path> <type> of <source event>`. */
  missing(): string[] {
    return [...this.#due.values()];
  }

  /** For a load that does not check them afterwards. */
  forget(): void {
    this.#taken.clear();
  }

  /** Number of distinct accepted webhooks. */
  get taken(): number {
    return this.#taken.size;
  }
}

const toldBy = ({ type, eventStream }: AuditedEvent, uploaded: ReadonlySet<string>): readonly string[] => {
  if (type === 'StreamCanceled') return uploaded.has(eventStream) ? ['stream.failed'] : ['stream.failed', 'gateway.closed'];
  return TOLD[type] ?? [];
};

export const toggle = (url: string, endpointId: string, enabled: boolean) =>
  call(url, `${ENDPOINTS}/${endpointId}/enabled/${enabled}`, { method: 'PATCH' });
