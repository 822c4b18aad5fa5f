import type { WitnessedAppend } from '../fakes/eventStoreDb/startEventStoreDb.ts';

export const CLUSTER_STEPS = [
  // http
  'a place is taken, its stream is not created',
  'the bytes of an upload are stored, its stream is not created',
  'a stream has joined its group, but is not created',
  'a stream is created, its upload has not ended',
  'an upload is stored, but not answered',
  'a lone stream shares its group, which has no events yet',
  // processors
  'an upload is answered, its run is not stored',
  'a run has started, but not ended',
  'the output of a run is stored, its events are not',
  // delivery
  'a stream has ended, its webhooks are not scheduled',
  'webhooks are scheduled, their results are not recorded',
  'webhooks were sent, their results are not recorded',
  // policies
  'a stream has ended, its group does not know',
  'a stream has ended, its place is taken',
  // projections
  'an event is stored, a read model has not saved a checkpoint after it',
] as const;
export type ClusterStep = (typeof CLUSTER_STEPS)[number];

/** An append at which a node dies: its last event, and whether it is stored before. */
export interface ClusterPoint {
  readonly name: string;
  /** A role of the node. */
  readonly role: 'http' | 'policies' | 'processors' | 'delivery';
  readonly last: string;
  readonly stored: boolean;
  /** How long to wait for such an append, milliseconds. */
  readonly patience: number;
}

const SOON = 8_000;
/** Also for the only deliverer, which has to wait for the leases of the one before. */
const RARELY = 30_000;

export const CLUSTER_POINTS: readonly ClusterPoint[] = [
  { name: 'before a stream is created', role: 'http', last: 'StreamCreated', stored: false, patience: SOON },
  { name: 'before a stream is created with its upload', role: 'http', last: 'UploadCompleted', stored: false, patience: SOON },
  { name: 'after a stream has joined its group', role: 'http', last: 'StreamJoined', stored: true, patience: SOON },
  { name: 'after a stream is created', role: 'http', last: 'StreamCreated', stored: true, patience: SOON },
  { name: 'after an upload is stored', role: 'http', last: 'UploadCompleted', stored: true, patience: SOON },
  { name: 'after a lone stream shares its group', role: 'http', last: 'OwnGroupShared', stored: true, patience: RARELY },
  { name: 'after a run has started', role: 'processors', last: 'ProcessorStarted', stored: true, patience: SOON },
  { name: 'before a run ends', role: 'processors', last: 'StreamCompleted', stored: false, patience: SOON },
  { name: 'after a run has ended', role: 'processors', last: 'StreamCompleted', stored: true, patience: SOON },
  { name: 'after webhooks are scheduled', role: 'delivery', last: 'DeliveriesScheduled', stored: true, patience: RARELY },
  { name: 'before results of webhooks are recorded', role: 'delivery', last: 'AttemptsRecorded', stored: false, patience: RARELY },
  { name: 'before a group learns that a stream has ended', role: 'policies', last: 'StreamFinished', stored: false, patience: SOON },
];

/** A node from its start to its death. */
export interface DeadNode {
  /** The name of its connection to the log. */
  readonly name: string;
  readonly roles: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly died: number;
}

interface Stream {
  /** Topics of outputs. */
  readonly outputs: readonly string[];
  /** `null` if the stream has its group to itself. */
  readonly groupId: string | null;
}

/** What the log says of each stream, as far as the steps need it. */
export class ClusterLog {
  /** The newest append of each event stream of a stream or group. */
  readonly last = new Map<string, WitnessedAppend>();
  readonly streams = new Map<string, Stream>();
  /** Ends of streams that are not scheduled, by the id of the event. */
  readonly unscheduled = new Map<string, WitnessedAppend>();
  /** Schedules without a recorded attempt, by the id of their source event. */
  readonly unattempted = new Map<string, WitnessedAppend>();
  /** Joins whose stream is not created, by stream id. */
  readonly joined = new Map<string, WitnessedAppend>();
  /** Ends of streams that their group does not know, by stream id. */
  readonly unknownEnds = new Map<string, WitnessedAppend>();
  head = 0;
  #listens = false;

  fold(append: WitnessedAppend): void {
    const { eventStream, events, position } = append;
    if (position === null) return;
    this.head = Math.max(this.head, position);
    if (/^(stream|group)-/.test(eventStream)) this.last.set(eventStream, append);
    for (const { id, type, data } of events) this.#foldEvent(append, id, type, JSON.parse(data));
  }

  // biome-ignore lint/suspicious/noExplicitAny: stored by the platform under test; a wrong shape shows as a step that is never counted
  #foldEvent(append: WitnessedAppend, id: string, type: string, data: any): void {
    const streamId = append.eventStream.slice('stream-'.length);
    if (type === 'StreamCreated') {
      this.streams.set(streamId, { outputs: topicsIn(JSON.stringify(data), 'outputs'), groupId: data.ownGroup ? null : data.groupId });
      this.joined.delete(streamId);
    } else if (type === 'StreamJoined') {
      if (!this.streams.has(data.streamId)) this.joined.set(data.streamId, append);
    } else if (type === 'StreamWithdrawn') this.joined.delete(data.streamId);
    else if (type === 'StreamFinished') this.unknownEnds.delete(data.streamId);
    else if (type === 'StreamCompleted') {
      if (this.#listens) this.unscheduled.set(id, append);
      if (this.streams.get(streamId)?.groupId) this.unknownEnds.set(streamId, append);
    } else if (type === 'DeliveriesScheduled') {
      this.#listens = true;
      this.unscheduled.delete(data.sourceEventId);
      this.unattempted.set(data.sourceEventId, append);
    } else if (type === 'AttemptsRecorded') {
      for (const { sourceEventId } of data.attempts) this.unattempted.delete(sourceEventId);
    }
  }
}

/** Ids of the topics that an event names: of its data source, or of its outputs. */
export const topicsIn = (data: string, which: 'source' | 'outputs'): string[] => {
  const named = [...data.matchAll(/"persistent:\/\/[^"]*\/([^"/]*)\/([0-9a-f-]{36})"/g)];
  const wanted = named.filter(([, kind]) => (kind === 'data-sources') === (which === 'source'));
  return [...new Set(wanted.map(([, , id = '']) => id))];
};
