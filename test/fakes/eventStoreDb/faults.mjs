// Faults for tests, set over the control port. Every count is decremented each time its fault occurs.

export class Faults {
  /** Connections are refused. */
  refuse = false;
  /** Connections are accepted and requests are read, but nothing is answered. */
  hang = false;
  /** The HTTP side answers nothing; gRPC does. */
  silentHttp = false;
  /** Milliseconds before each answer to an append, a page or a probe. */
  slow = 0;
  /** As during the start of a server. */
  notReady = false;
  /** `{host, port}` of the leader, for the next `notLeaderTimes` appends and reads. */
  notLeader = null;
  notLeaderTimes = 0;
  /** This many appends are stored, and then the connection is dropped without an answer. */
  dropAfterCommit = 0;
  /** This many appends are not stored, and the connection is dropped. */
  dropBeforeCommit = 0;
  /** At this many appends the server ends its side of the append call: not stored, no answer, no error. */
  endCleanly = 0;
  /** At this many appends the server ends its side after it has stored them. */
  endAfterCommit = 0;
  /** This many appends are received and never answered; the connection stays. */
  ignoreAppends = 0;
  /** `{code, message}`: the status that ends the next `appendErrors` append calls. */
  appendError = null;
  appendErrors = 0;
  /** The same for reads. */
  readError = null;
  readErrors = 0;
  /** This many appends are refused to these credentials. */
  accessDenied = 0;
  /** A live subscription is dropped as too slow after this many live events; 0 never. */
  dropLiveEvery = 0;
  /** This many subscriptions end without an error as soon as they are live. */
  endSubscriptions = 0;

  set(given) {
    for (const [name, value] of Object.entries(given)) {
      if (!(name in this)) throw new Error(`no fault is called ${name}`);
      this[name] = value;
    }
  }

  /** Whether the fault of that name occurs now. */
  strikes(name) {
    if (this[name] <= 0) return false;
    this[name] -= 1;
    return true;
  }
}
