import { randomUUID } from 'node:crypto';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { Away, failureOf } from './away.ts';
import type { Deadlines } from './deadlines.ts';
import type { Driver } from './driver.ts';
import type { Session } from './session.ts';

interface Waiting {
  readonly resolve: (answer: BatchAppendResp) => void;
  readonly reject: (failure: Error) => void;
}

/**
 * The batch-append call of each session, which carries all its appends, and the waiting callers. The client's own `appendToStream` ties all callers
 * of a process together: one failed call rejects them all, and a late answer throws where no caller can catch it.
 */
export class Appends {
  readonly #driver: Driver;
  readonly #deadlines: Deadlines;
  readonly #calls = new WeakMap<Session, AppendCall>();

  constructor(driver: Driver, deadlines: Deadlines) {
    this.#driver = driver;
    this.#deadlines = deadlines;
  }

  /** The server's answer; rejects with `Away` if there is none in time. `request` has no correlation id yet. */
  send(session: Session, request: BatchAppendReq): Promise<BatchAppendResp> {
    let call = this.#calls.get(session);
    if (!call || call.over) {
      call = new AppendCall(session, this.#deadlines);
      this.#calls.set(session, call);
    }
    const correlation = randomUUID();
    const id = new this.#driver.shared.UUID();
    id.setString(correlation);
    request.setCorrelationId(id);
    return call.send(request, correlation);
  }
}

class AppendCall {
  /** No more appends can be sent. */
  over = false;
  readonly #call: ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
  readonly #deadlines: Deadlines;
  readonly #waiting = new Map<string, Waiting>();

  constructor(session: Session, deadlines: Deadlines) {
    this.#deadlines = deadlines;
    this.#call = session.streams.batchAppend(...session.callArguments());
    this.#call.on('data', (answer: BatchAppendResp) => {
      const waiting = this.#waiting.get(uuidText(answer.getCorrelationId()));
      // Undefined for an append that timed out.
      waiting?.resolve(answer);
    });
    this.#call.on('error', (error) => this.#end(failureOf(error)));
    // If the server ends a call without an error, its appends get no answer.
    this.#call.on('end', () => this.#end(new Away('the server ended the call')));
    session.retired.addEventListener('abort', () => this.#close(), { once: true });
  }

  send(request: BatchAppendReq, correlation: string): Promise<BatchAppendResp> {
    return new Promise<BatchAppendResp>((resolve, reject) => {
      const deadline = this.#deadlines.set((why) => settle(() => reject(why)));
      const settle = (how: () => void) => {
        this.#deadlines.clear(deadline);
        this.#waiting.delete(correlation);
        how();
        if (this.over && this.#waiting.size === 0) this.#call.cancel();
      };
      this.#waiting.set(correlation, {
        resolve: (answer) => settle(() => resolve(answer)),
        reject: (failure) => settle(() => reject(failure)),
      });
      this.#call.write(request);
    });
  }

  /** Accepts no new appends; waiting ones may still be answered. */
  #close(): void {
    this.over = true;
    if (this.#waiting.size === 0) this.#call.cancel();
  }

  #end(failure: Error): void {
    this.over = true;
    for (const { reject } of [...this.#waiting.values()]) reject(failure);
  }
}

/** Text of an id in both forms of server answers. */
const uuidText = (uuid: UUID | undefined): string => {
  const structured = uuid?.getStructured();
  if (!structured) return uuid?.getString() ?? '';
  const hex = (bits: string) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const text = hex(structured.getMostSignificantBits()) + hex(structured.getLeastSignificantBits());
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
};
