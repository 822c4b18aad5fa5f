// What the tests make go wrong. Set over the control port; a count goes down by one each time that it strikes.

export class Faults {
  /** Connections are refused. */
  refuse = false;
  /** Connections are taken, requests are read, and nothing is ever answered. */
  hang = false;
  /** Milliseconds before each answer to an append, a page or a probe. */
  slow = 0;
  /** As while the server starts. */
  notReady = false;
  /** `{host, port}` of the leader, for the next `notLeaderTimes` appends and reads. */
  notLeader = null;
  notLeaderTimes = 0;
  /** So many appends are stored, and then the connection is dropped without an answer. */
  dropAfterCommit = 0;
  /** So many appends are not stored, and the connection is dropped. */
  dropBeforeCommit = 0;
  /** So many appends make the server end its side of the append call: not stored, no answer, no error. */
  endCleanly = 0;
  /** So many appends make the server end its side after it has stored them. */
  endAfterCommit = 0;
  /** So many appends are taken and never answered; the connection stays. */
  ignoreAppends = 0;
  /** `{code, message}`: the status that ends the next `appendErrors` append calls. */
  appendError = null;
  appendErrors = 0;
  /** The same for reads. */
  readError = null;
  readErrors = 0;
  /** The next so many appends are refused to these credentials. */
  accessDenied = 0;
  /** A live subscription is dropped as too slow after so many live events; 0 never. */
  dropLiveEvery = 0;
  /** The next so many subscriptions end without an error as soon as they are live. */
  endSubscriptions = 0;

  set(given) {
    for (const [name, value] of Object.entries(given)) {
      if (!(name in this)) throw new Error(`no fault is called ${name}`);
      this[name] = value;
    }
  }

  /** Whether the fault of that name strikes now. */
  strikes(name) {
    if (this[name] <= 0) return false;
    this[name] -= 1;
    return true;
  }
}
