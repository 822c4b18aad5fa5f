// Appends as a server handles them: one commit at a time for all that came since the last one.
import pb from '@eventstore/db-client/generated/streams_pb.js';
import { appendAnswer, batchAnswer, deleteAnswer, expectedOf, nameOf, proposedEvent } from './messages.mjs';
import { anyStatus, denied, notLeader, notReady, outcomeStatus } from './statuses.mjs';

const { DeleteResp, TombstoneResp } = pb;

/** The server side of appends and deletes. `drop(call)` cuts the connection of a call. */
export class Appends {
  #log;
  #faults;
  #witness;
  #rights;
  #leads;
  #drop;
  #queue = [];

  constructor({ log, faults, witness, rights, leads, drop }) {
    this.#log = log;
    this.#faults = faults;
    this.#witness = witness;
    this.#rights = rights;
    this.#leads = leads;
    this.#drop = drop;
  }

  /** The duplex call on which one client sends all its appends. */
  batchAppend = (call) => {
    const begun = new Map();
    call.on('data', (request) => {
      const correlation = request.getCorrelationId();
      const key = correlation.getString();
      const work = begun.get(key) ?? { call, correlation, options: request.getOptions(), events: [] };
      for (const message of request.getProposedMessagesList()) work.events.push(proposedEvent(message));
      if (!request.getIsFinal()) return begun.set(key, work);
      begun.delete(key);
      this.#submit({ ...work, name: nameOf(work.options.getStreamIdentifier()), expected: expectedOf(work.options) });
    });
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  };

  /** An append as a call of its own. */
  append = (call, answer) => {
    let options;
    const events = [];
    call.on('data', (request) => {
      if (request.hasOptions()) options = request.getOptions();
      else events.push(proposedEvent(request.getProposedMessage()));
    });
    call.on('error', () => undefined);
    call.on('end', async () => {
      if (await this.#held()) return;
      const failure = this.#failure();
      if (failure) return answer(failure);
      const [name, expected] = [nameOf(options.getStreamIdentifier()), expectedOf(options)];
      const outcome = this.#log.append(name, expected, events);
      if (outcome.kind === 'silence') return;
      const response = appendAnswer(outcome);
      if (response) answer(null, response);
      else answer(outcomeStatus(name, outcome, expected));
    });
  };

  delete = (call, answer) => this.#delete(call, answer, DeleteResp, false);
  tombstone = (call, answer) => this.#delete(call, answer, TombstoneResp, true);

  async #delete(call, answer, Response, forEver) {
    if (await this.#held()) return;
    const options = call.request.getOptions();
    const [name, expected] = [nameOf(options.getStreamIdentifier()), expectedOf(options)];
    if (!this.#rights.allows(call.metadata.get('authorization')[0], 'd', name)) return answer(denied());
    const outcome = this.#log.delete(name, expected, forEver);
    if (outcome.kind === 'ok') answer(null, deleteAnswer(Response, outcome));
    else answer(outcomeStatus(name, outcome, expected));
  }

  /** Whether the request must never be answered; waits first if the server is slow. */
  async #held() {
    if (this.#faults.slow > 0) await new Promise((resolve) => setTimeout(resolve, this.#faults.slow));
    return this.#faults.hang;
  }

  #failure() {
    const faults = this.#faults;
    if (faults.strikes('appendErrors')) return anyStatus(faults.appendError);
    if (faults.strikes('notLeaderTimes')) return notLeader(faults.notLeader);
    return faults.notReady ? notReady() : null;
  }

  #submit(work) {
    if (this.#faults.slow > 0) return setTimeout(() => this.#enqueue(work), this.#faults.slow);
    this.#enqueue(work);
  }

  #enqueue(work) {
    this.#queue.push(work);
    if (this.#queue.length === 1) setImmediate(() => this.#commit());
  }

  #commit() {
    const seen = new Set();
    const queue = this.#queue;
    this.#queue = [];
    for (const work of queue) {
      // Of two identical appends in flight on one client, the second is not answered before its deadline.
      const key = work.events.map(({ id }) => id).join();
      const twins = seen.has(work.call) && seen.has(`${work.name} ${key}`);
      seen.add(work.call).add(`${work.name} ${key}`);
      if (twins && key !== '') this.#answerAtDeadline(work);
      else this.#handle(work);
    }
  }

  #answerAtDeadline({ call, correlation, name, options }) {
    const left = (options.getDeadline()?.toDate().getTime() ?? Date.now() + 10_000) - Date.now();
    setTimeout(() => call.writable && call.write(batchAnswer(correlation, name, { kind: 'timeout' })), Math.max(0, left)).unref();
  }

  #handle(work) {
    const { call, correlation, name } = work;
    const faults = this.#faults;
    // A follower forwards appends to its leader; if that is paused, no answer comes.
    if (faults.hang || !this.#leads() || faults.strikes('ignoreAppends')) return;
    if (faults.strikes('dropBeforeCommit')) return this.#drop(call);
    if (faults.strikes('endCleanly')) return call.end();
    if (faults.strikes('appendErrors')) return call.emit('error', anyStatus(faults.appendError));
    if (faults.strikes('notLeaderTimes')) return call.emit('error', notLeader(faults.notLeader));
    if (faults.notReady) return call.write(batchAnswer(correlation, name, { kind: 'not ready' }));
    const mayWrite = this.#rights.allows(call.metadata.get('authorization')[0], 'w', name);
    if (!mayWrite || faults.strikes('accessDenied')) return call.write(batchAnswer(correlation, name, { kind: 'access denied' }));
    const [by] = call.metadata.get('connection-name');
    const hold = this.#witness.meets(by, work.events);
    if (hold && !hold.stored) return this.#witness.note(by, name, work.events, null);
    const outcome = this.#log.append(name, work.expected, work.events);
    if (outcome.kind === 'ok') this.#witness.note(by, name, work.events, outcome.position);
    if (hold) return;
    if (faults.strikes('dropAfterCommit')) return this.#drop(call);
    if (faults.strikes('endAfterCommit')) return call.end();
    if (outcome.kind !== 'silence') call.write(batchAnswer(correlation, name, outcome));
  }
}
