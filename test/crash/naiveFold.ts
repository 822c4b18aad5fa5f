import type { StoredEvent } from '../../src/stores/eventStore.ts';

export interface NaiveStream {
  state: string;
  canceled: boolean;
  upload: { bytes: number; sha256: string } | null;
  processors: Record<string, string>;
  /** 1 is the upload; each rerun adds 1. */
  attempt: number;
  /** Number of stage runs in all attempts together: each has a usage record. */
  stages: number;
  /** Reruns by `Idempotency-Key`. */
  keys: Set<string>;
}

export interface NaiveBulkRerun {
  queued: number;
  handled: number;
}

export interface NaiveGroup {
  members: Set<string>;
  state: string;
  /** The last end, until a rerun, with the number of members then: the group returns to it when a stream that never came is withdrawn. */
  ended?: { state: string; members: number };
  /** Only while its first stream has it to itself: the events of that stream change it. */
  own?: boolean;
}

export interface NaiveView {
  streams: Map<string, NaiveStream>;
  groups: Map<string, NaiveGroup>;
  /** Credential id to the hash of its secret; `null` once revoked. */
  credentials: Map<string, string | null>;
  /** Template id to its newest version; a deleted one keeps it. */
  templates: Map<string, { version: number; deleted: boolean }>;
  /** Endpoint id to whether it is enabled; `null` once deleted. */
  endpoints: Map<string, boolean | null>;
  bulkReruns: Map<string, NaiveBulkRerun>;
  /** Stream id to the newest revision of its transcript. */
  transcripts: Map<string, number>;
  /** Runs, reruns and revisions of transcripts that are in the log twice. */
  doubled: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the stored form is JSON; a wrong shape fails the comparison that follows
type Data = any;

export const emptyView = (): NaiveView => ({
  ...{ streams: new Map(), groups: new Map(), credentials: new Map(), templates: new Map(), endpoints: new Map() },
  ...{ bulkReruns: new Map(), transcripts: new Map(), doubled: [] },
});

/**
 * Folds the log in the plainest possible way, for comparison with the product's own read models. An event needs no line here unless it changes what
 * this view shows.
 */
export const fold = (view: NaiveView, { type, data, eventStream }: Pick<StoredEvent, 'type' | 'data' | 'eventStream'>): void => {
  const id = eventStream.slice(eventStream.indexOf('-') + 1);
  foldOwnGroup(view, id, type, data);
  foldStream(view, id, type, data);
  foldGroup(view, id, type, data);
  foldCredential(view, type, data);
  foldTemplate(view, type, data);
  foldEndpoint(view, type, data);
  foldBulkRerun(view, type, data);
  foldTranscript(view, id, type, data);
};

export const naiveFold = (events: Iterable<Pick<StoredEvent, 'type' | 'data' | 'eventStream'>>): NaiveView => {
  const view = emptyView();
  for (const event of events) fold(view, event);
  return view;
};

const foldTranscript = ({ transcripts, doubled }: NaiveView, id: string, type: string, data: Data): void => {
  if (type !== 'TranscriptEdited' && type !== 'TranscriptEditUndone') return;
  if (data.revision !== (transcripts.get(id) ?? 0) + 1) doubled.push(`revision ${data.revision} of the transcript of ${id}`);
  transcripts.set(id, data.revision);
};

const foldBulkRerun = ({ bulkReruns }: NaiveView, type: string, data: Data): void => {
  if (type === 'BulkRerunRequested') bulkReruns.set(data.requestId, { queued: 0, handled: 0 });
  const bulk = bulkReruns.get(data.requestId);
  if (!bulk) return;
  if (type === 'RerunsQueued') bulk.queued += data.streamIds.length;
  else if (type === 'QueuedRerunsHandled') bulk.handled += data.handled;
};

const foldRerun = ({ doubled }: NaiveView, id: string, stream: NaiveStream, data: Data): void => {
  const key = data.idempotency?.keyId;
  if (data.attempt !== stream.attempt + 1 || stream.state === 'READY' || stream.keys.has(key))
    doubled.push(`rerun ${data.attempt} of ${id}`);
  if (key !== undefined) stream.keys.add(key);
  stream.attempt = data.attempt;
  stream.stages += data.processors.length;
  stream.state = 'READY';
  stream.canceled = false;
  for (const { processorId } of data.processors) stream.processors[processorId] = 'WAITING';
};

const foldStream = (view: NaiveView, id: string, type: string, data: Data): void => {
  const { streams } = view;
  const stream = streams.get(id);
  if (type === 'StreamCreated') {
    const waiting = data.chain.map(({ processorId }: { processorId: string }) => [processorId, 'WAITING']);
    const processors = Object.fromEntries(waiting);
    streams.set(id, { state: 'READY', canceled: false, upload: null, processors, attempt: 1, stages: waiting.length, keys: new Set() });
    return;
  }
  if (!stream) return;
  const close = () => {
    for (const [processor, state] of Object.entries(stream.processors)) if (state === 'WAITING') stream.processors[processor] = 'CLOSED';
  };
  if (type === 'UploadCompleted') stream.upload = { bytes: data.bytes, sha256: data.sha256 };
  else if (type === 'ProcessorStarted') {
    if (stream.processors[data.processorId] === 'COMPLETED') view.doubled.push(`start of ${data.processorId} of ${id}`);
    stream.processors[data.processorId] = 'RUNNING';
  } else if (type === 'ProcessorCompleted') {
    if (stream.processors[data.processorId] === 'COMPLETED') view.doubled.push(`completion of ${data.processorId} of ${id}`);
    stream.processors[data.processorId] = 'COMPLETED';
  } else if (type === 'ProcessorFailed') stream.processors[data.processorId] = 'ERROR';
  else if (type === 'RerunStarted') foldRerun(view, id, stream, data);
  else if (type === 'StreamCompleted') stream.state = 'COMPLETED';
  else if (type === 'StreamFailed' || type === 'StreamCanceled') {
    stream.state = 'FAILED';
    stream.canceled ||= type === 'StreamCanceled';
    close();
  } else if (type === 'StreamExpired') stream.state = 'EXPIRED';
};

const OWN_GROUP_STATES: Readonly<Record<string, string>> = {
  ...{ StreamCompleted: 'COMPLETED', StreamFailed: 'FAILED', StreamCanceled: 'FAILED', RerunStarted: 'CREATED', StreamExpired: 'EXPIRED' },
};

const foldOwnGroup = ({ groups }: NaiveView, id: string, type: string, data: Data): void => {
  if (type === 'StreamCreated' && data.ownGroup) groups.set(id, { members: new Set([id]), state: 'CREATED', own: true });
  const group = groups.get(id);
  if (!group?.own) return;
  if (type === 'OwnGroupShared') delete group.own;
  else if (OWN_GROUP_STATES[type] !== undefined) change(group, OWN_GROUP_STATES[type]);
};

const change = (group: NaiveGroup, state: string): void => {
  group.state = state;
  if (state === 'COMPLETED' || state === 'FAILED') group.ended = { state, members: group.members.size };
  else delete group.ended;
};

const foldGroup = ({ groups }: NaiveView, id: string, type: string, data: Data): void => {
  if (type === 'GroupCreated') groups.set(id, { members: new Set(), state: 'CREATED' });
  const group = groups.get(id);
  if (!group) return;
  if (type === 'StreamJoined') {
    group.members.add(data.streamId);
    group.state = 'CREATED';
  } else if (type === 'StreamWithdrawn') {
    group.members.delete(data.streamId);
    if (group.ended?.members === group.members.size) group.state = group.ended.state;
  } else if (type === 'StreamReopened') change(group, 'CREATED');
  else if (type === 'GroupCompleted') change(group, 'COMPLETED');
  else if (type === 'GroupFailed') change(group, 'FAILED');
  else if (type === 'GroupExpired') change(group, 'EXPIRED');
};

const foldCredential = ({ credentials }: NaiveView, type: string, data: Data): void => {
  if (type === 'CredentialIssued' || type === 'CredentialRotated') credentials.set(data.credentialId, data.secretHash);
  else if (type === 'CredentialRevoked') credentials.set(data.credentialId, null);
};

const foldTemplate = ({ templates }: NaiveView, type: string, data: Data): void => {
  if (type === 'TemplateSaved') templates.set(data.template.id, { version: data.template.version, deleted: false });
  else if (type === 'TemplateDeleted')
    templates.set(data.templateId, { version: templates.get(data.templateId)?.version ?? 0, deleted: true });
};

const foldEndpoint = ({ endpoints }: NaiveView, type: string, data: Data): void => {
  if (type === 'EndpointCreated' || type === 'EndpointUpdated' || type === 'EndpointToggled') endpoints.set(data.endpointId, data.enabled);
  else if (type === 'EndpointDisabled') endpoints.set(data.endpointId, false);
  else if (type === 'EndpointDeleted') endpoints.set(data.endpointId, null);
};
