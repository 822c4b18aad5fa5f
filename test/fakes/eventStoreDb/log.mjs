// The log of the fake: the data of an EventStoreDB 23.10, and its decisions about appends. In memory, for the life of the process.

import { randomUUID } from 'node:crypto';

/** The revision of an event stream without events. */
export const NO_STREAM = -1;
/** A soft delete: everything below is hidden. */
const DELETED = Number.MAX_SAFE_INTEGER;
/** As servers write it into the metadata, and the revision of a tombstone. */
const LAST_REVISION = 9_223_372_036_854_775_807n;
/** Bytes of a chunk. A scavenge completes the current one, so the next event is at the beginning of another. */
const CHUNK = 268_435_456;
const MAX_APPEND_BYTES = 1_048_576;

export class FakeLog {
  /** In the order of the log; positions are byte offsets. */
  records = [];
  streams = new Map();
  #position = 0;
  /** Positions of events that a scavenge has removed: reads may still start there. */
  #scavenged = new Set();
  #followers = new Set();
  /** Milliseconds by which tests have advanced the time. */
  passed = 0;

  constructor() {
    // A server has written its own events before its first client does.
    this.append('$users', NO_STREAM, [systemEvent('$UserCreated')]);
    this.append('$epoch', NO_STREAM, [systemEvent('$epoch')]);
  }

  now() {
    return Date.now() + this.passed;
  }

  follow(follower) {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  stream(name) {
    let stream = this.streams.get(name);
    if (!stream) {
      stream = { name, records: [], byId: new Map(), truncateBefore: 0, maxAge: null, maxCount: null, tombstoned: false, scavenged: 0 };
      this.streams.set(name, stream);
    }
    return stream;
  }

  /** -1 if it never had an event. */
  revisionOf(name) {
    return (this.streams.get(name)?.records.length ?? 0) - 1;
  }

  softDeleted(stream) {
    return stream.truncateBefore === DELETED;
  }

  /**
   * `expected`: a revision, NO_STREAM, 'any' or 'stream_exists'. Answers `{kind: 'ok', revision, position}`, `{kind: 'wrong', revision}`, `{kind: 'deleted'}`,
   * `{kind: 'too large'}`, `{kind: 'bad request'}` or `{kind: 'silence'}`: a server never answers.
   */
  append(name, expected, events) {
    if (name === '' || events.some(({ type }) => type === '')) return { kind: 'bad request' };
    if (sizeOf(events) > MAX_APPEND_BYTES) return { kind: 'too large' };
    const stream = this.streams.get(name);
    if (stream?.tombstoned) return { kind: 'deleted' };
    if (events.length === 0) return { kind: 'ok', revision: 0, position: this.#position };
    const current = this.revisionOf(name);
    const verdict = this.#verdict(stream, current, expected, events);
    if (verdict === 'wrong') return { kind: 'wrong', revision: stream && this.softDeleted(stream) ? NO_STREAM : current };
    if (verdict === 'silence') return { kind: 'silence' };
    const revision = verdict === 'write' ? this.#write(name, events) : verdict;
    return { kind: 'ok', revision, position: this.stream(name).records[revision].position };
  }

  /** 'write', 'wrong', 'silence', or the revision that a repeated append is answered with. */
  #verdict(stream, current, expected, events) {
    if (expected === 'stream_exists') {
      if (current === NO_STREAM || this.softDeleted(stream)) return 'wrong';
      return this.#repeatedAnywhere(stream, events);
    }
    if (expected === 'any') return stream ? this.#repeatedAnywhere(stream, events) : 'write';
    if (expected > current) return 'wrong';
    if (expected === current) return 'write';
    for (let i = 0; i < events.length; i += 1) {
      const there = stream.records[expected + 1 + i];
      if (there?.id === events[i].id) continue;
      return i === 0 && expected === NO_STREAM && this.softDeleted(stream) ? 'write' : 'wrong';
    }
    return expected + events.length;
  }

  #repeatedAnywhere(stream, events) {
    const revisions = events.map(({ id }) => stream.byId.get(id));
    if (revisions[0] === undefined) return 'write';
    if (revisions.includes(undefined)) return 'wrong';
    return revisions[0] > revisions.at(-1) ? 'silence' : revisions.at(-1);
  }

  #write(name, events) {
    const stream = this.stream(name);
    const written = events.map(({ id, type, contentType, data, metadata }) => {
      const record = { id, stream: name, revision: stream.records.length, type, contentType, data, metadata };
      record.position = this.#position;
      record.created = this.now();
      record.system = name.startsWith('$');
      this.#position += 120 + data.length + metadata.length;
      stream.records.push(record);
      stream.byId.set(id, record.revision);
      this.records.push(record);
      return record;
    });
    if (name.startsWith('$$')) this.#applyMetadata(name.slice(2), written.at(-1).data);
    for (const follower of this.#followers) follower(written);
    if (this.softDeleted(stream)) this.#writeMetadata(name, `{"$tb":${written[0].revision}}`);
    return stream.records.length - 1;
  }

  #applyMetadata(name, data) {
    const given = JSON.parse(Buffer.from(data).toString());
    const stream = this.stream(name);
    stream.maxAge = typeof given.$maxAge === 'number' ? given.$maxAge * 1000 : null;
    stream.maxCount = typeof given.$maxCount === 'number' ? given.$maxCount : null;
    stream.truncateBefore = typeof given.$tb === 'number' ? Math.min(given.$tb, DELETED) : 0;
  }

  #writeMetadata(name, json) {
    this.append(`$$${name}`, 'any', [systemEvent('$metadata', json)]);
  }

  /** Returns the same as `append`, for a soft delete (`for ever` false) or a tombstone. */
  delete(name, expected, forEver) {
    const stream = this.streams.get(name);
    const current = this.revisionOf(name);
    if (stream?.tombstoned) return { kind: 'deleted' };
    if (expected !== 'any' && expected !== 'stream_exists' && expected !== current) return { kind: 'wrong', revision: current };
    this.stream(name);
    this.#writeMetadata(name, `{"$tb":${LAST_REVISION}}`);
    if (forEver) this.#tombstone(name);
    return { kind: 'ok', revision: current, position: this.#position };
  }

  #tombstone(name) {
    const record = {
      ...systemEvent('$streamDeleted'),
      stream: name,
      revision: LAST_REVISION,
      position: this.#position,
      created: this.now(),
      system: true,
    };
    this.#position += 120;
    this.records.push(record);
    this.stream(name).tombstoned = true;
    for (const follower of this.#followers) follower([record]);
  }

  /** Removes from the log the events that reads of event streams do not see. The last event of an event stream stays, unless it has a tombstone. */
  scavenge() {
    for (const stream of this.streams.values()) {
      const last = stream.records.length - 1;
      const isMetadata = stream.name.startsWith('$$');
      const from = stream.tombstoned ? last + 1 : isMetadata ? last : Math.min(last, this.#firstVisible(stream));
      stream.scavenged = Math.max(stream.scavenged, from);
    }
    const isKept = ({ stream, revision }) => revision >= this.streams.get(stream).scavenged;
    for (const record of this.records) if (!isKept(record)) this.#scavenged.add(record.position);
    this.records = this.records.filter(isKept);
    this.#position = Math.ceil(this.#position / CHUNK) * CHUNK;
  }

  /** The events visible to a read of the event stream; `null` if it does not exist, 'deleted' after a tombstone. */
  visible(name) {
    const stream = this.streams.get(name);
    if (stream?.tombstoned) return 'deleted';
    if (!stream || stream.records.length === 0 || this.softDeleted(stream)) return null;
    return { records: stream.records, from: this.#firstVisible(stream) };
  }

  #firstVisible(stream) {
    let from = Math.max(stream.truncateBefore, stream.scavenged);
    if (stream.maxCount !== null) from = Math.max(from, stream.records.length - stream.maxCount);
    if (stream.maxAge !== null) {
      const oldest = this.now() - stream.maxAge;
      while (from < stream.records.length && stream.records[from].created < oldest) from += 1;
    }
    return from;
  }

  /** Index of the first record at or after `position`. */
  indexAt(position) {
    let [low, high] = [0, this.records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.records[middle].position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** 'an event' starts exactly there, 'nothing' does inside the log, or it is 'beyond' the end of the log. */
  whatLiesAt(position) {
    if (position >= this.#position) return 'beyond';
    return this.#scavenged.has(position) || this.records[this.indexAt(position)]?.position === position ? 'an event' : 'nothing';
  }
}

const systemEvent = (type, json = '{}') => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(json),
  metadata: Buffer.alloc(0),
});

const sizeOf = (events) => events.reduce((sum, { type, data, metadata }) => sum + type.length + data.length + metadata.length, 0);
