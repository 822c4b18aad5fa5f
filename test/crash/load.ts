import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, behind, call, PING_TEMPLATE, TEXT_TEMPLATE, upload } from '../e2e/client.ts';
import { OWN_STAGE } from './ownProcessor.ts';
import { toggle } from './webhooks.ts';

/** The last stage of a stream: the built-in echo, a user's own processor that echoes, or a language model. */
export type LastStage = 'echo' | typeof OWN_STAGE | 'llm';

/** Acknowledged results, which the server must never lose. */
export interface Acknowledged {
  readonly uploads: Map<string, { sha256: string; bytes: number; stage: LastStage; groupId: string }>;
  readonly cancels: Set<string>;
  /** Credential id to the hex SHA-256 of its newest secret. */
  readonly secrets: Map<string, string>;
  readonly revoked: Set<string>;
  /** Template id to its newest version. */
  readonly templates: Map<string, number>;
  readonly deletedTemplates: Set<string>;
  /** Uploads with their own webhook for completion. */
  readonly dynamic: Set<string>;
  /** Endpoint id to whether it is enabled; absent while it is being switched. */
  readonly switched: Map<string, boolean>;
  /** Stream id to its newest attempt. */
  readonly reruns: Map<string, number>;
  /** Bulk rerun id to the number of its queued streams. */
  readonly bulks: Map<string, number>;
}

/** Shares of all commands; the rest saves templates. */
interface Shares {
  readonly uploadToRerun: number;
  /** Of `BURST` uploads at once. */
  readonly burst: number;
  readonly rerun: number;
  readonly bulkRerun: number;
  readonly toggle: number;
  readonly uploadAndCancel: number;
  readonly credential: number;
}

const SHARES: Readonly<Record<'mixed' | 'reruns', Shares>> = {
  mixed: { uploadToRerun: 0.26, burst: 0.02, rerun: 0.19, bulkRerun: 0.03, toggle: 0.15, uploadAndCancel: 0.15, credential: 0.15 },
  reruns: { uploadToRerun: 0.3, burst: 0, rerun: 0.4, bulkRerun: 0.2, toggle: 0.05, uploadAndCancel: 0.05, credential: 0 },
};
/** `LOAD=reruns`: most commands run streams again. */
const shares = SHARES[process.env.LOAD === 'reruns' ? 'reruns' : 'mixed'];

/** A rerun that waits for its answer. However often it is sent under its key, it may start only once. */
interface AskedRerun {
  readonly streamId: string;
  readonly key: string;
  readonly body: { readonly from: string | null; readonly reason: string };
}

/** Each counts the streams of its filter, for which FerretDB reads all streams: with more at once it comes to a standstill. */
const MOST_BULKS = 4;
/** More small uploads at once than light runs (16): these wait until the uploads are stored. */
const BURST = 32;
/** Bytes of each. */
const BURST_BYTES = [40_000, 60_000] as const;
/** Streams of one group, so that a bulk rerun finds several and is killed in the middle. */
const TOGETHER = 12;
/** Streams kept for reruns: the newest, whose data a short retention has not deleted yet. */
const RERUNNABLE = 200;

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const oneOf = <T>(...choices: readonly [T, ...T[]]): T => choices[Math.floor(Math.random() * choices.length)] ?? choices[0];

export interface LoadOptions {
  /** The webhook of some uploads. */
  readonly dynamicUrl: string;
  /** Endpoints that may be switched. */
  readonly endpoints: readonly string[];
  /** A template whose only stage is a user's own processor that echoes. */
  readonly ownTemplate?: string;
  /** Each caller's pause between two commands, milliseconds. */
  readonly pause?: number;
  /** Milliseconds of a further pause after a command if one was refused meanwhile: at a user's limit, the server reads the log and the places to refuse. */
  readonly pauseAfterRefusal?: number;
}

/** Callers that continue with any available server until stopped. A missing answer is not an acknowledgement. */
export class Load {
  readonly acknowledged: Acknowledged = {
    uploads: new Map(),
    cancels: new Set(),
    secrets: new Map(),
    revoked: new Set(),
    templates: new Map(),
    deletedTemplates: new Set(),
    dynamic: new Set(),
    switched: new Map(),
    reruns: new Map(),
    bulks: new Map(),
  };
  /** Answers that must never occur. */
  readonly surprises: string[] = [];
  answered = 0;
  /** Refusals of a dying or full server. */
  refused = 0;
  /** Reruns refused because retention had deleted the data. */
  expired = 0;
  /** Commands in progress. */
  underWay = 0;
  #urls: () => readonly string[] = () => [];
  #running = true;
  readonly #dynamicUrl: string;
  readonly #ownTemplate: string | null;
  readonly #pause: number;
  readonly #pauseAfterRefusal: number;
  /** Endpoints that are not being switched at the moment. */
  readonly #free: string[];
  /** Streams that are not being cancelled or rerun at the moment. */
  readonly #rerunnable: string[] = [];
  /** Reruns whose answer was lost when the server died, or refused for now. */
  readonly #unanswered: AskedRerun[] = [];
  readonly #callers: Promise<void>[];
  /** The group that streams join at the moment, and how many may still. */
  #group: { id: string; left: number } = { id: randomUUID(), left: TOGETHER };
  /** Bulk reruns in progress. */
  #bulks = 0;
  /** The newest stream that has its group to itself. */
  #lone: string | null = null;

  constructor(callers: number, { dynamicUrl, endpoints, ownTemplate, pause = 0, pauseAfterRefusal = 0 }: LoadOptions) {
    this.#dynamicUrl = dynamicUrl;
    this.#ownTemplate = ownTemplate ?? null;
    this.#pause = pause;
    this.#pauseAfterRefusal = pauseAfterRefusal;
    this.#free = [...endpoints];
    this.#callers = Array.from({ length: callers }, () => this.#go());
  }

  /** Addresses of the platform at the moment: each command goes to one of them. Empty while there is no server. */
  pointAt(urls: () => readonly string[]): void {
    this.#urls = urls;
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#callers);
  }

  async #go(): Promise<void> {
    while (this.#running) {
      const urls = this.#urls();
      const url = urls[Math.floor(Math.random() * urls.length)];
      const { refused } = this;
      try {
        if (url === undefined) await wait(5);
        else await this.#counted(url);
        const pause = this.#pause + (this.refused > refused ? this.#pauseAfterRefusal : 0);
        if (pause > 0) await wait(pause);
      } catch (error) {
        // The server died during the call, so the command was not acknowledged.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }

  async #counted(url: string): Promise<void> {
    this.underWay += 1;
    try {
      await this.#something(url);
    } finally {
      this.underWay -= 1;
    }
  }

  async #something(url: string): Promise<void> {
    const choices: readonly (readonly [number, (url: string) => Promise<void>])[] = [
      [shares.uploadToRerun, (to) => this.#uploadToRerun(to)],
      [shares.burst, (to) => this.#burst(to)],
      [shares.rerun, (to) => this.#rerun(to)],
      [shares.bulkRerun, (to) => this.#bulkRerun(to)],
      [shares.toggle, (to) => this.#toggle(to)],
      [shares.uploadAndCancel, (to) => this.#uploadAndCancel(to)],
      [shares.credential, (to) => this.#credential(to)],
    ];
    let dice = Math.random();
    for (const [share, command] of choices) {
      if (dice < share) return command(url);
      dice -= share;
    }
    await this.#template(url);
  }

  /** A 2xx, or `null` for a refusal that a dying or full server may give. */
  #expect(answer: Answer, what: string): Answer | null {
    if (answer.status === 503 || answer.status === 429) {
      this.refused += 1;
      return null;
    }
    if (answer.status >= 200 && answer.status < 300) {
      this.answered += 1;
      return answer;
    }
    this.surprises.push(`${what}: ${answer.status} ${answer.text}`);
    return null;
  }

  #templateFor(stage: LastStage): string {
    if (stage === 'llm') return TEXT_TEMPLATE;
    return (stage === OWN_STAGE && this.#ownTemplate) || PING_TEMPLATE;
  }

  async #upload(
    url: string,
    group: { readonly groupId?: string } = {},
    stage: LastStage = oneOf('echo', this.#ownTemplate === null ? 'echo' : OWN_STAGE, 'llm'),
    [from, to]: readonly [number, number] = [1, oneOf(60_000, 60_000, 200_000)],
  ): Promise<string | null> {
    const body = stage === 'llm' ? `I love it. ${randomUUID()} is awful.` : randomBytes(from + Math.floor(Math.random() * (to - from)));
    const extra = stage === 'llm' ? { sentimentAnalysis: 'true', summary: 'true' } : {};
    const dynamic = Math.random() < 0.25;
    const query = {
      ...{ streamConfigurationTemplateId: this.#templateFor(stage), persist: 'true', name: `load ${randomUUID()}` },
      ...(dynamic ? { 'webhook.stream.completed': this.#dynamicUrl } : {}),
      ...extra,
      ...group,
    };
    const answer = await upload(url, query, body);
    const stream: { streamId: string; groupId: string } | undefined = this.#expect(answer, 'upload')?.body;
    if (!stream) return null;
    const { streamId, groupId } = stream;
    this.acknowledged.uploads.set(streamId, { sha256: sha256(body), bytes: Buffer.byteLength(body), stage, groupId });
    if (dynamic) this.acknowledged.dynamic.add(streamId);
    return streamId;
  }

  async #uploadToRerun(url: string): Promise<void> {
    const alone = Math.random() < 0.5;
    const streamId = await this.#upload(url, alone ? {} : { groupId: this.#groupToJoin() });
    if (streamId !== null) this.#rerunnable.push(streamId);
    if (alone) this.#lone = streamId;
    if (this.#rerunnable.length > RERUNNABLE) this.#rerunnable.shift();
  }

  async #burst(url: string): Promise<void> {
    await Promise.all(Array.from({ length: BURST }, () => this.#upload(url, {}, 'echo', BURST_BYTES)));
  }

  async #rerun(url: string): Promise<void> {
    const asked = this.#unanswered.pop() ?? this.#nextRerun();
    if (!asked) return this.#uploadToRerun(url);
    const { streamId, key, body } = asked;
    const path = `/stream-service/api/v1/streams/${streamId}/rerun`;
    let again: 'another' | 'the same' | 'never' = 'the same';
    try {
      const answer = await call(url, path, { method: 'POST', body, headers: { 'Idempotency-Key': key } });
      // 409: the upload, or the previous rerun, is still running. 410: retention has deleted the data.
      if (answer.status === 409) again = 'another';
      else if (answer.status === 410) {
        again = 'never';
        this.expired += 1;
        this.acknowledged.reruns.delete(streamId);
      } else {
        const accepted = this.#expect(answer, 'rerun');
        if (accepted) this.acknowledged.reruns.set(streamId, accepted.body.attempt);
        if (answer.status !== 503 && answer.status !== 429) again = 'another';
      }
    } finally {
      if (again === 'another') this.#rerunnable.push(streamId);
      else if (again === 'the same') this.#unanswered.push(asked);
    }
  }

  #groupToJoin(): string {
    if (this.#group.left === 0) this.#group = { id: this.#newGroup(), left: TOGETHER };
    this.#group.left -= 1;
    return this.#group.id;
  }

  /** Half of the groups begin with a lone stream, whose group gets an event stream when the next one joins. */
  #newGroup(): string {
    const lone = Math.random() < 0.5 ? this.#lone : null;
    this.#lone = null;
    return lone ?? randomUUID();
  }

  /** Of one stream or of a group. No caller cancels a stream of these groups. */
  async #bulkRerun(url: string): Promise<void> {
    const groupId = this.acknowledged.uploads.get(this.#rerunnable[0] ?? '')?.groupId;
    if (groupId === undefined || this.#bulks >= MOST_BULKS) return this.#uploadToRerun(url);
    const body = { filter: { groupId }, reason: 'load' };
    this.#bulks += 1;
    try {
      const answer = await call(url, '/stream-service/api/v1/streams/rerun', { method: 'POST', body });
      const accepted = this.#expect(answer, 'bulk rerun');
      if (accepted) this.acknowledged.bulks.set(accepted.body.requestId, accepted.body.started);
    } finally {
      this.#bulks -= 1;
    }
  }

  #nextRerun(): AskedRerun | null {
    // The stream that was uploaded or rerun longest ago, since it has most likely ended.
    const streamId = this.#rerunnable.shift();
    if (streamId === undefined) return null;
    const from = oneOf(null, this.acknowledged.uploads.get(streamId)?.stage ?? null);
    return { streamId, key: randomUUID(), body: { from, reason: 'load' } };
  }

  async #toggle(url: string): Promise<void> {
    const endpointId = this.#free.pop();
    if (endpointId === undefined) return;
    const enabled = !(this.acknowledged.switched.get(endpointId) ?? true);
    this.acknowledged.switched.delete(endpointId);
    try {
      const answer = this.#expect(await toggle(url, endpointId, enabled), 'toggle');
      if (answer) this.acknowledged.switched.set(endpointId, answer.body.enabled);
    } finally {
      this.#free.push(endpointId);
    }
  }

  async #uploadAndCancel(url: string): Promise<void> {
    const streamId = await this.#upload(url);
    if (streamId === null) return;
    const answer = await call(url, `/stream-service/api/v1/streams/${streamId}/cancel`, { method: 'PUT' });
    // It may have completed before.
    if (answer.status !== 409 && this.#expect(answer, 'cancel')) this.acknowledged.cancels.add(streamId);
  }

  async #credential(url: string): Promise<void> {
    const path = '/credential-service/api/v1/credentials';
    const issued = this.#expect(await call(url, path, { method: 'POST', body: { kind: 'api-key', label: 'load', role: 'user' } }), 'issue');
    if (issued === null) return;
    const { id, secret } = issued.body;
    this.acknowledged.secrets.set(id, sha256(secret));
    // Until the answer, either secret may be the valid one.
    this.acknowledged.secrets.delete(id);
    const rotated = this.#expect(await call(url, `${path}/${id}/rotate`, { method: 'POST', ...behind(issued) }), 'rotate');
    if (rotated === null) return;
    this.acknowledged.secrets.set(id, sha256(rotated.body.secret));
    if (Math.random() < 0.5 && this.#expect(await call(url, `${path}/${id}`, { method: 'DELETE', ...behind(rotated) }), 'revoke'))
      this.acknowledged.revoked.add(id);
  }

  async #template(url: string): Promise<void> {
    const path = '/stream-configuration-service/api/v1/stream-configuration-templates';
    const draft = { name: 'load', dataSourceSchema: 'string', processors: [{ id: 'llm', processorDeclarationId: 'llm' }] };
    const made = this.#expect(await call(url, path, { method: 'PUT', body: draft }), 'template');
    if (made === null) return;
    const { id } = made.body;
    this.acknowledged.templates.set(id, 1);
    for (const length of ['brief', 'detailed']) {
      const patch = { op: 'replace', path: 'processors/llm/properties/summary/properties/length', value: length };
      const patched = this.#expect(await call(url, `${path}/${id}`, { method: 'PATCH', body: { jsonPatches: [patch] } }), 'patch');
      if (patched === null) return;
      this.acknowledged.templates.set(id, patched.body.version);
    }
    if (this.#expect(await call(url, `${path}/${id}`, { method: 'DELETE' }), 'delete of a template'))
      this.acknowledged.deletedTemplates.add(id);
  }
}
