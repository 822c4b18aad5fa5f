import { heldFor, OPEN_STREAMS } from '../../src/commands/openStreams/openStreams.ts';
import { silentLogger } from '../../src/logger.ts';
import { allProjections } from '../../src/projections/all.ts';
import { leaseOf } from '../../src/projections/engine/builds.ts';
import type { Documents } from '../../src/stores/documents.ts';
import { StoreUnavailable } from '../../src/stores/eventStore.ts';
import { type Mongo, openMongo } from '../../src/stores/mongodb/connection.ts';
import { openMongoDocuments } from '../../src/stores/mongodb/documents.ts';
import { manifestOf, TopicRecords } from '../../src/stores/mongodb/topicRecords.ts';
import type { FakeEventStoreDb, WitnessedAppend } from '../fakes/eventStoreDb/startEventStoreDb.ts';
import { CLUSTER_STEPS, ClusterLog, type ClusterStep, type DeadNode, topicsIn } from './clusterSteps.ts';
import { type Interruptions, Steps } from './steps.ts';

const MOST_SLOTS = 2_000;
const ENDS = new Set(['StreamCompleted', 'StreamFailed', 'StreamCanceled']);

/** What MongoDB has just after a node has died. */
interface Left {
  /** Streams that hold a place. */
  readonly places: ReadonlySet<string>;
  /** The checkpoint of the read models, as a byte offset of the log. */
  readonly checkpoints: readonly number[];
}

const NOTHING: Left = { places: new Set(), checkpoints: [] };

/** A database that is too busy to be looked at shows no steps: the kill counts for those that the log shows. */
const orNothing = (error: unknown): Left => {
  if (!(error instanceof StoreUnavailable)) throw error;
  console.log(`the documents after this kill could not be read: ${error.message}`);
  return NOTHING;
};

/** For the cluster form: the fake EventStoreDB says which node made each append, and MongoDB has the rest. */
export class ClusterInterrupted implements Interruptions {
  readonly #eventStore: FakeEventStoreDb;
  readonly #mongo: Mongo;
  readonly #documents: Documents;
  readonly #topics: TopicRecords;
  readonly #log = new ClusterLog();
  // Another stream joins a lone one rarely.
  readonly #steps = new Steps<ClusterStep>(CLUSTER_STEPS, ['a lone stream shares its group, which has no events yet']);
  #dead: { readonly node: DeadNode; readonly left: Promise<Left> } | null = null;

  private constructor(eventStore: FakeEventStoreDb, mongo: Mongo, documents: Documents) {
    this.#eventStore = eventStore;
    this.#mongo = mongo;
    this.#documents = documents;
    this.#topics = new TopicRecords(mongo);
  }

  static async open(eventStore: FakeEventStoreDb, mongoUrl: string): Promise<ClusterInterrupted> {
    await eventStore.watch();
    const mongo = await openMongo({ url: mongoUrl, logger: silentLogger });
    return new ClusterInterrupted(eventStore, mongo, await openMongoDocuments({ mongo, prefix: 'views' }));
  }

  async close(): Promise<void> {
    await this.#documents.close();
    await this.#mongo.close();
  }

  /** Call it as soon as the node has died: others soon clear up after it. */
  died(node: DeadNode): void {
    this.#dead = { node, left: this.#left(node).catch(orNothing) };
  }

  async look(acknowledged: { has(streamId: string): boolean }): Promise<void> {
    if (!this.#dead) throw new Error('no node has died');
    const { node, left } = this.#dead;
    const appends = await this.#eventStore.witnessed();
    for (const append of appends) if (append.at <= node.died) this.#log.fold(append);
    const held = appends.filter(({ by, position }) => by === node.name && position === null);
    const { places, checkpoints } = await left;
    this.#steps.add([
      ...(await this.#heldSteps(held, places)),
      ...this.#logSteps(node, acknowledged),
      ...this.#documentSteps(node, places, checkpoints),
    ]);
    for (const append of appends) if (append.at > node.died) this.#log.fold(append);
  }

  told(): string {
    return this.#steps.told();
  }

  missing(): readonly string[] {
    return this.#steps.missing();
  }

  async #left({ roles }: DeadNode): Promise<Left> {
    const running = await this.#documents.find(OPEN_STREAMS.name, { where: { state: 'running' }, limit: MOST_SLOTS });
    const checkpoints: number[] = [];
    const position = (await this.#documents.readCheckpoint(leaseOf(allProjections)))?.position;
    if (roles.includes('projections') && position) checkpoints.push(Number(position.split(':')[0]));
    return { places: new Set(running.map(({ id }) => heldFor(id).streamId)), checkpoints };
  }

  /** Steps before appends that the node sent and the log did not store. */
  async #heldSteps(held: readonly WitnessedAppend[], places: ReadonlySet<string>): Promise<ClusterStep[]> {
    const found: ClusterStep[] = [];
    for (const { eventStream, events } of held) {
      const streamId = eventStream.slice('stream-'.length);
      const created = events.find(({ type }) => type === 'StreamCreated');
      if (created && places.has(streamId)) found.push('a place is taken, its stream is not created');
      if (created && events.length > 1 && (await this.#anySealed(topicsIn(created.data, 'source'))))
        found.push('the bytes of an upload are stored, its stream is not created');
      const ended = events.some(({ type }) => type === 'ProcessorCompleted');
      const outputs = this.#log.streams.get(streamId)?.outputs ?? [];
      if (ended && (await this.#anySealed(outputs))) found.push('the output of a run is stored, its events are not');
      if (events.some(({ type }) => type === 'AttemptsRecorded')) found.push('webhooks were sent, their results are not recorded');
    }
    return found;
  }

  async #anySealed(topics: readonly string[]): Promise<boolean> {
    const unread = (error: unknown) => (error instanceof StoreUnavailable ? null : Promise.reject(error));
    const records = await Promise.all(topics.map((topic) => this.#topics.get(topic).catch(unread)));
    return records.some((record) => record !== null && manifestOf(record) !== null);
  }

  /** Steps that the log shows: the last append of each kind was made by the node or, for what it should have done next, while it ran. */
  #logSteps({ name, roles, since }: DeadNode, acknowledged: { has(streamId: string): boolean }): ClusterStep[] {
    const found: ClusterStep[] = [];
    const log = this.#log;
    const any = (appends: Iterable<WitnessedAppend>, own: boolean) => [...appends].some(({ by, at }) => (own ? by === name : at >= since));
    for (const [eventStream, { by, at, events }] of log.last) {
      const [streamId, last] = [eventStream.slice('stream-'.length), events.at(-1)?.type];
      if (last === 'UploadCompleted' && acknowledged.has(streamId) && roles.includes('processors') && at >= since)
        found.push('an upload is answered, its run is not stored');
      if (by !== name) continue;
      if (last === 'StreamCreated') found.push('a stream is created, its upload has not ended');
      if (last === 'UploadCompleted' && !acknowledged.has(streamId)) found.push('an upload is stored, but not answered');
      if (last === 'ProcessorStarted') found.push('a run has started, but not ended');
      if (last === 'OwnGroupShared' && !log.last.has(`group-${streamId}`))
        found.push('a lone stream shares its group, which has no events yet');
    }
    if (any(log.joined.values(), true)) found.push('a stream has joined its group, but is not created');
    if (roles.includes('delivery') && any(log.unscheduled.values(), false))
      found.push('a stream has ended, its webhooks are not scheduled');
    if (any(log.unattempted.values(), true)) found.push('webhooks are scheduled, their results are not recorded');
    if (roles.includes('policies') && any(log.unknownEnds.values(), false)) found.push('a stream has ended, its group does not know');
    return found;
  }

  #documentSteps({ roles, since }: DeadNode, places: ReadonlySet<string>, checkpoints: readonly number[]): ClusterStep[] {
    const found: ClusterStep[] = [];
    const ended = [...places].some((streamId) => {
      const last = this.#log.last.get(`stream-${streamId}`);
      return last !== undefined && last.at >= since && last.events.some(({ type }) => ENDS.has(type));
    });
    if (roles.includes('policies') && ended) found.push('a stream has ended, its place is taken');
    if (checkpoints.some((position) => position < this.#log.head))
      found.push('an event is stored, a read model has not saved a checkpoint after it');
    return found;
  }
}
