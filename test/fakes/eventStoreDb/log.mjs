// The log of the fake: what an EventStoreDB 23.10 keeps, and how it decides about an append. In memory, for as long as the process lives.

import { randomUUID } from 'node:crypto';

/** The revision of an event stream without events. */
export const NO_STREAM = -1;
/** A soft delete: everything below is gone. */
const DELETED = Number.MAX_SAFE_INTEGER;
const MAX_APPEND_BYTES = 1_048_576;

export class FakeLog {
  /** In the order of the log; positions are byte offsets. */
  records = [];
  streams = new Map();
  #position = 0;
  #followers = new Set();
  /** Milliseconds that tests have let go by. */
  passed = 0;

  constructor() {
    // A server has written for itself before anybody else does.
    const system = (type) => ({
      id: randomUUID(),
      type,
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.alloc(0),
    });
    this.append('$users', NO_STREAM, [system('$UserCreated')]);
    this.append('$epoch', NO_STREAM, [system('$epoch')]);
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
      stream = { name, records: [], byId: new Map(), truncateBefore: 0, maxAge: null, maxCount: null, tombstoned: false };
      this.streams.set(name, stream);
    }
    return stream;
  }

  /** -1 when it never had an event. */
  revisionOf(name) {
    return (this.streams.get(name)?.records.length ?? 0) - 1;
  }

  softDeleted(stream) {
    return stream.truncateBefore === DELETED;
  }

  /**
   * `expected`: a revision, NO_STREAM, 'any' or 'stream_exists'. Answers `{kind: 'ok', revision, position}`, `{kind: 'wrong', revision}`, `{kind: 'deleted'}`,
   * `{kind: 'too large'}`, `{kind: 'bad request'}` or `{kind: 'silence'}`: the server never answers that one.
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
    if (this.softDeleted(stream)) stream.truncateBefore = written[0].revision;
    if (name.startsWith('$$')) this.#applyMetadata(name.slice(2), written.at(-1).data);
    for (const follower of this.#followers) follower(written);
    return stream.records.length - 1;
  }

  #applyMetadata(name, data) {
    const given = JSON.parse(Buffer.from(data).toString());
    const stream = this.stream(name);
    stream.maxAge = typeof given.$maxAge === 'number' ? given.$maxAge * 1000 : null;
    stream.maxCount = typeof given.$maxCount === 'number' ? given.$maxCount : null;
    if (typeof given.$tb === 'number') stream.truncateBefore = Math.min(given.$tb, DELETED);
  }

  /** Answers as `append` does, for a soft delete (`for ever` false) or a tombstone. */
  delete(name, expected, forEver) {
    const stream = this.streams.get(name);
    const current = this.revisionOf(name);
    if (stream?.tombstoned) return { kind: 'deleted' };
    if (expected !== 'any' && expected !== 'stream_exists' && expected !== current) return { kind: 'wrong', revision: current };
    const target = this.stream(name);
    if (forEver) target.tombstoned = true;
    else target.truncateBefore = DELETED;
    return { kind: 'ok', revision: current, position: this.#position };
  }

  /** What a reading of the event stream may see; `null` when there is no such event stream, 'deleted' behind a tombstone. */
  visible(name) {
    const stream = this.streams.get(name);
    if (stream?.tombstoned) return 'deleted';
    if (!stream || stream.records.length === 0 || this.softDeleted(stream)) return null;
    let from = stream.truncateBefore;
    if (stream.maxCount !== null) from = Math.max(from, stream.records.length - stream.maxCount);
    if (stream.maxAge !== null) {
      const oldest = this.now() - stream.maxAge;
      while (from < stream.records.length && stream.records[from].created < oldest) from += 1;
    }
    return { records: stream.records, from };
  }

  /** Index of the first record at `position` or behind it. */
  indexAt(position) {
    let [low, high] = [0, this.records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.records[middle].position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether an event lies exactly there, or the log ends there. */
  isPosition(position) {
    const at = this.records[this.indexAt(position)];
    return at ? at.position === position : position === this.#position;
  }
}

const sizeOf = (events) => events.reduce((sum, { type, data, metadata }) => sum + type.length + data.length + metadata.length, 0);
