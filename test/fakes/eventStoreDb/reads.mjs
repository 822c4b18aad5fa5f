// Pages of an event stream and of $all, forwards and backwards, and subscriptions to both.
import { randomUUID } from 'node:crypto';
import { caughtUp, checkpoint, confirmation, eventAnswer, nameOf, streamNotFound } from './messages.mjs';
import { anyStatus, badCount, badPosition, denied, notLeader, notReady, outcomeStatus, tooSlow } from './statuses.mjs';

const BACKWARDS = 1;
/** Most unread answers of a live subscription before it is dropped. */
const LIVE_BUFFER = 2_000;

export class Reads {
  #log;
  #faults;
  #rights;
  /** Running calls. */
  reads = 0;
  /** Subscriptions that have caught up. */
  live = 0;
  /** Live subscriptions that were dropped as too slow. */
  liveDrops = 0;

  constructor({ log, faults, rights }) {
    this.#log = log;
    this.#faults = faults;
    this.#rights = rights;
  }

  read = async (call) => {
    const faults = this.#faults;
    this.reads += 1;
    call.once('close', () => {
      this.reads -= 1;
    });
    call.on('error', () => undefined);
    if (faults.slow > 0) await new Promise((resolve) => setTimeout(resolve, faults.slow));
    if (faults.hang) return;
    if (faults.strikes('readErrors')) return call.emit('error', anyStatus(faults.readError));
    if (faults.strikes('notLeaderTimes')) return call.emit('error', notLeader(faults.notLeader));
    if (faults.notReady) return call.emit('error', notReady());
    const options = call.request.getOptions();
    const about = options.hasAll() ? '$all' : nameOf(options.getStream().getStreamIdentifier());
    if (!this.#rights.allows(call.metadata.get('authorization')[0], 'r', about)) return call.emit('error', denied());
    if (options.hasSubscription()) return this.#subscribe(call, options);
    if (options.getCount() === '0') return call.emit('error', badCount());
    if (options.hasAll()) return this.#readAll(call, options);
    return this.#readStream(call, options);
  };

  #readStream(call, options) {
    const from = options.getStream();
    const name = nameOf(from.getStreamIdentifier());
    const seen = this.#log.visible(name);
    if (seen === 'deleted') return call.emit('error', outcomeStatus(name, { kind: 'deleted' }));
    if (seen === null) return answerAll(call, [streamNotFound(name)]);
    const count = Number(options.getCount());
    const { records } = seen;
    if (options.getReadDirection() === BACKWARDS) {
      const start = Math.min(from.hasEnd() ? records.length - 1 : Number(from.hasStart() ? 0 : from.getRevision()), records.length - 1);
      return answerAll(call, records.slice(Math.max(seen.from, start - count + 1), start + 1).reverse());
    }
    const start = from.hasEnd() ? records.length : Math.max(seen.from, Number(from.hasStart() ? 0 : from.getRevision()));
    return answerAll(call, records.slice(start, start + count));
  }

  #readAll(call, options) {
    const from = options.getAll();
    const { records } = this.#log;
    const backwards = options.getReadDirection() === BACKWARDS;
    let start = from.hasStart() ? 0 : records.length;
    if (from.hasPosition()) {
      const position = Number(from.getPosition().getCommitPosition());
      const there = this.#log.whatLiesAt(position);
      // As on a real server: forwards it refuses positions in the log that are not events, backwards positions beyond its end.
      if (there === (backwards ? 'beyond' : 'nothing')) return call.emit('error', badPosition());
      if (there === 'nothing') return answerAll(call, []);
      start = this.#log.indexAt(position);
    }
    const count = Number(options.getCount());
    return answerAll(call, backwards ? records.slice(Math.max(0, start - count), start).reverse() : records.slice(start, start + count));
  }

  async #subscribe(call, options) {
    call.write(confirmation(randomUUID()));
    const source = options.hasAll() ? this.#wholeLog(options) : this.#oneStream(options);
    if (options.hasFilter()) call.write(checkpoint(0));
    let next = source.start;
    let examined = 0;
    const reached = (record) => {
      examined += 1;
      return source.checkpointEvery > 0 && examined % source.checkpointEvery === 0 ? checkpoint(record.position) : null;
    };
    // Catching up at the consumer's pace.
    for (; next < source.records().length; next += 1) {
      const record = source.records()[next];
      const answers = [source.wanted(record) ? eventAnswer(record) : null, reached(record)];
      for (const answer of answers) if (answer !== null && !call.write(answer)) await drained(call);
      if (call.cancelled) return;
    }
    call.write(caughtUp());
    if (this.#faults.strikes('endSubscriptions')) return call.end();
    this.#live(call, source, reached);
  }

  #live(call, source, reached) {
    let delivered = 0;
    const stop = this.#log.follow((written) => {
      if (this.#faults.hang) return;
      for (const record of written) {
        if (!source.mine(record)) continue;
        const at = reached(record);
        if (source.wanted(record)) {
          delivered += 1;
          call.write(eventAnswer(record));
        }
        if (at) call.write(at);
        if (call.writableLength > LIVE_BUFFER || (this.#faults.dropLiveEvery > 0 && delivered >= this.#faults.dropLiveEvery)) {
          stop();
          this.liveDrops += 1;
          return call.emit('error', tooSlow());
        }
      }
    });
    this.live += 1;
    call.once('close', () => {
      this.live -= 1;
      stop();
    });
  }

  #wholeLog(options) {
    const from = options.getAll();
    const { records } = this.#log;
    let start = from.hasStart() ? 0 : records.length;
    if (from.hasPosition()) start = this.#log.indexAt(Number(from.getPosition().getCommitPosition()) + 1);
    const filter = options.hasFilter() ? options.getFilter() : null;
    const window = filter?.hasMax() ? filter.getMax() : 32;
    return {
      start,
      records: () => records,
      mine: () => true,
      wanted: filter ? wantedBy(filter) : () => true,
      checkpointEvery: filter ? window * Math.max(1, filter.getCheckpointintervalmultiplier()) : 0,
    };
  }

  #oneStream(options) {
    const from = options.getStream();
    const name = nameOf(from.getStreamIdentifier());
    const records = () => this.#log.streams.get(name)?.records ?? [];
    const start = from.hasStart() ? 0 : from.hasEnd() ? records().length : Number(from.getRevision()) + 1;
    return { start, records, mine: (record) => record.stream === name, wanted: () => true, checkpointEvery: 0 };
  }
}

const wantedBy = (filter) => {
  const byStream = filter.hasStreamIdentifier();
  const expression = byStream ? filter.getStreamIdentifier() : filter.getEventType();
  const prefixes = expression.getPrefixList();
  const regex = expression.getRegex() === '' ? null : new RegExp(expression.getRegex());
  return (record) => {
    const text = byStream ? record.stream : record.type;
    return regex ? regex.test(text) : prefixes.some((prefix) => text.startsWith(prefix));
  };
};

/** Resolves when the consumer can take more, or has left. */
const drained = (call) =>
  new Promise((resolve) => {
    const done = () => {
      for (const name of ['drain', 'cancelled', 'close']) call.off(name, done);
      resolve();
    };
    for (const name of ['drain', 'cancelled', 'close']) call.on(name, done);
  });

/** Answers are records, or already serialised. */
const answerAll = async (call, answers) => {
  for (const answer of answers) {
    if (!call.write(Buffer.isBuffer(answer) ? answer : eventAnswer(answer))) await drained(call);
    if (call.cancelled) return;
  }
  call.end();
};
