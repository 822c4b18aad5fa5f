import { randomUUID } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { UploadRecorded } from '../../../commands/upload.ts';
import type { Caller } from '../../../domain/credentials/caller.ts';
import type { Problem } from '../../../domain/problem.ts';
import { forEachItem } from '../../../supervision/items.ts';
import { givingWay, ownTurn, SMALL_STEP_BYTES } from '../../../supervision/ownTurn.ts';
import { Turns } from '../../../supervision/turns.ts';
import { isRaw, sinkMessage } from '../../export/sinkMessages.ts';
import { readAtPaceOf } from '../../heldFrames.ts';
import type { SinkFrame } from '../../live/follow.ts';
import { commandContext } from '../../server/commandContext.ts';
import { badRequest, isFailure, problemOf, unforeseen } from '../../server/errors.ts';
import { orderedStream } from '../../streams/shownStreams.ts';
import { type IngestDeps, ingest } from '../ingest.ts';
import type { PreparedUpload, UploadPlanner } from '../planner.ts';
import { ControlPace } from './controlPace.ts';
import { bytesOf, SocketDataSource } from './dataSource.ts';
import { IdleLimit } from './idleLimit.ts';
import { type MessageGuard, UNGUARDED } from './largeMessages.ts';
import { type ClientMessage, clientMessage, configurationIn, MAX_CONTROL_BYTES, type ServerMessage } from './messages.ts';
import { type SocketParameters, socketParameters } from './parameters.ts';
import { failureAtEnd, type ResponseDeps, responsesOf } from './responses.ts';
import { SocketSender } from './socketSender.ts';

export interface SessionDeps extends IngestDeps, Omit<ResponseDeps, 'topics'> {
  readonly planner: UploadPlanner;
}

/** The content of the handshake. */
export interface Handshake {
  readonly caller: Caller;
  readonly rawQuery: string;
  readonly header: (name: string) => string | undefined;
  readonly correlationId: string;
}

const NORMAL = 1000;
const LEFT = new Error('the client has left');

/** Sessions that end at the same moment, because of their client. */
const endings = new Turns();

const inTurn = (end: () => void): void => {
  const turn = endings.next();
  if (turn) void turn.then(end);
  else end();
};

/**
 * One client of the gateway. Opening (the handshake is checked; with `configurationMessage` the first message is awaited) -> created
 * (STREAM_METADATA; bytes arrive while responses are sent) -> ended: by END_OF_STREAM or by leaving, which both complete the upload, or by an error
 * of the client or the platform, which fails it. The close code is 1000.
 */
export class SocketSession {
  readonly #socket: WebSocket;
  readonly #deps: SessionDeps;
  readonly #handshake: Handshake;
  readonly #source: SocketDataSource;
  readonly #guard: MessageGuard;
  readonly #idle: IdleLimit;
  readonly #pace: ControlPace;
  readonly #sender: SocketSender;
  readonly #over = new AbortController();
  /** Messages received while an earlier one is handled. */
  readonly #inbox: ClientMessage[] = [];
  #busy = true;
  #endOfStream = false;
  /** END_OF_STREAM has been received: later messages change nothing. */
  #saidAll = false;
  /** Too many pings and KEEP_ALIVE messages: the socket is not read. */
  #held = false;
  /** Why the session fails; nothing that comes later is handled. */
  #refusal: Problem | null = null;
  #heardAt: number;
  #configure: ((text: Uint8Array) => void) | null = null;

  constructor(socket: WebSocket, deps: SessionDeps, handshake: Handshake, guard = UNGUARDED) {
    this.#socket = socket;
    this.#deps = deps;
    this.#handshake = handshake;
    this.#guard = guard;
    this.#source = new SocketDataSource(socket, () => {
      this.#tellHandled();
      socket.resume();
    });
    this.#idle = new IdleLimit(deps.clock);
    this.#pace = new ControlPace(deps.clock);
    this.#heardAt = deps.clock.monotonic();
    const cutOff = () => this.#cutOff();
    this.#sender = new SocketSender(socket, { clock: deps.clock, over: this.#over.signal, heardAt: () => this.#heardAt, cutOff });
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary));
    socket.on('ping', (data) => this.#answerPing(data));
    // For a violation of the protocol, or a message that is too large, `ws` closes with its own code.
    socket.on('error', (error) => this.#misheard(badRequest(`The WebSocket protocol was violated: ${error.message}.`)));
    socket.on('close', () => inTurn(() => this.#left()));
  }

  /** Resolves when everything that the session started has ended. Never rejects. */
  async run(): Promise<void> {
    try {
      await this.#serve();
    } catch (error) {
      const problem = problemOf(error) ?? unforeseen();
      if (error !== LEFT && isFailure(error))
        this.#deps.logger.error({ err: error, correlationId: this.#handshake.correlationId }, 'WebSocket session failed');
      this.#source.fail(problem);
      await this.#sender.sendError(problem);
    } finally {
      this.#over.abort(LEFT);
      this.#close();
    }
  }

  /** Ends it from outside in any state: the server stops. */
  fail(problem: Problem): void {
    this.#source.fail(problem);
    void this.#sender.sendError(problem);
    this.#over.abort(LEFT);
  }

  async #serve(): Promise<void> {
    const parameters = socketParameters(this.#handshake.rawQuery, this.#handshake.header);
    void this.#watchIdle();
    const { responses } = await this.#upload(parameters);
    await responses;
    if (responses && !this.#sender.errorSent) await this.#sender.send({ type: 'END_OF_STREAM' });
  }

  /** Resolves when the upload has ended; the responses may take longer. A function of its own: its plan may be large, and is let go with the upload. */
  async #upload(parameters: SocketParameters): Promise<{ readonly responses: Promise<void> | null }> {
    const prepared = await this.#prepare(parameters);
    const { planner } = this.#deps;
    await planner.checkEngines(prepared);
    const { id } = parameters.upload;
    const identity = { streamId: id ?? randomUUID(), idGenerated: id === null, idempotency: null };
    const plan = planner.plan(prepared, identity, this.#handshake.caller);
    const refused = this.#refusal ?? this.#source.readable.errored;
    if (refused) throw refused;
    let responses: Promise<void> | null = null;
    const onBegun = async ({ stream }: UploadRecorded): Promise<void> => {
      const shown = await orderedStream(stream);
      // The session may have failed meanwhile, and ERROR is its last message.
      if (this.#sender.errorSent) return;
      void this.#sender.send({ type: 'STREAM_METADATA', stream: shown });
      if (parameters.egress) {
        responses = this.#respond(stream.streamId, parameters);
        // Awaited below, when the upload has ended; the client gets the error at once.
        responses.catch((error: unknown) => this.#sender.sendError(problemOf(error) ?? unforeseen()));
      }
      this.#workOff();
    };
    const context = commandContext(this.#handshake);
    await ingest(this.#deps, { plan, context, source: this.#source.readable, onBegun });
    return { responses };
  }

  async #prepare({ upload, configurationMessage }: SocketParameters): Promise<PreparedUpload> {
    const { planner } = this.#deps;
    const prepared = await planner.prepare(upload, this.#handshake.caller);
    if (!configurationMessage) return prepared;
    const text = await new Promise<Uint8Array>((resolve, reject) => {
      this.#configure = resolve;
      this.#source.readable.once('error', reject);
      // A client that leaves before the configuration has created nothing.
      this.#over.signal.addEventListener('abort', () => reject(LEFT), { once: true });
      // Both may have happened already.
      if (this.#source.readable.errored) reject(this.#source.readable.errored);
      this.#workOff();
      if (this.#over.signal.aborted) reject(LEFT);
    });
    return planner.configure(prepared, await configurationIn(text));
  }

  /** Handles messages one after another; meanwhile, the socket is not read. */
  #hear(data: RawData, isBinary: boolean): void {
    if (this.#over.signal.aborted) return;
    if (this.#refusal) return void this.#guard.handled();
    this.#heardAt = this.#deps.clock.monotonic();
    try {
      const message = clientMessage(bytesOf(data), isBinary);
      if (message.type === 'KEEP_ALIVE') this.#hearControl();
      else this.#idle.work();
      if (this.#saidAll && message.type !== 'KEEP_ALIVE') return;
      this.#saidAll ||= message.type === 'END_OF_STREAM';
      this.#inbox.push(message);
      if (this.#busy) this.#socket.pause();
      else this.#workOff();
    } catch (error) {
      this.#misheard(error);
    } finally {
      this.#tellHandled();
    }
  }

  #tellHandled(): void {
    if (this.#inbox.length === 0 && !this.#source.isFull) this.#guard.handled();
  }

  /** An invalid message fails the upload, unless END_OF_STREAM has been received. */
  #misheard(error: unknown): void {
    if (!this.#saidAll) this.#refuse(error);
  }

  #workOff(): void {
    this.#busy = false;
    try {
      for (let message = this.#inbox.shift(); message; message = this.#inbox.shift()) {
        this.#take(message);
        if (this.#busy) return;
      }
      this.#tellHandled();
      if (!this.#held && (!this.#source.isPaused || this.#source.readable.readableLength === 0)) this.#socket.resume();
    } catch (error) {
      this.#refuse(error);
    }
  }

  #take(message: ClientMessage): void {
    const configure = this.#configure;
    if (configure) {
      if (message.type !== 'CONFIGURATION')
        throw badRequest('The first message must be CONFIGURATION, because of configurationMessage=true.');
      this.#configure = null;
      this.#busy = true;
      configure(message.text);
      return;
    }
    if (message.type === 'CONFIGURATION')
      throw badRequest(
        `CONFIGURATION, or any text of more than ${MAX_CONTROL_BYTES} bytes, is only accepted as the first message, with configurationMessage=true.`,
      );
    if (message.type === 'KEEP_ALIVE') this.#sender.keepAlive();
    else if (message.type === 'DATA') {
      this.#source.write(message.data);
      this.#guard.passedOn(message.data.byteLength, () => this.#source.stored());
    } else {
      this.#endOfStream = true;
      this.#source.end();
    }
  }

  #refuse(error: unknown): void {
    if (this.#refusal) return;
    const problem = problemOf(error) ?? unforeseen();
    this.#refusal = problem;
    this.#inbox.length = 0;
    inTurn(() => this.#source.fail(problem));
  }

  /** Pauses reading from a client that floods the socket with pings and KEEP_ALIVE messages. */
  #hearControl(): void {
    this.#idle.signOfLife();
    this.#heardAt = this.#deps.clock.monotonic();
    const milliseconds = this.#pace.take();
    if (milliseconds === 0 || this.#held) return;
    this.#held = true;
    this.#socket.pause();
    void this.#deps.clock.pause(milliseconds, this.#over.signal).then(() => {
      this.#held = false;
      // Waiting messages, and a source with data, resume the socket when they have been taken.
      const waits = this.#busy && this.#inbox.length > 0;
      if (!waits && this.#source.readable.readableLength === 0) this.#socket.resume();
    });
  }

  #answerPing(data: Uint8Array): void {
    this.#hearControl();
    this.#sender.pong(data);
  }

  /** Sends one response after another, each when the connection has taken the previous one. */
  async #respond(streamId: string, { raw, finalOnly }: SocketParameters): Promise<void> {
    let failure: Problem | null;
    const { subject } = this.#handshake.caller;
    const deps = { ...this.#deps, topics: readAtPaceOf(subject, this.#deps.topics) };
    const giveWay = givingWay();
    try {
      await forEachItem(responsesOf(deps, streamId, this.#over.signal), async (sinkFrame) => {
        const { sink, frame } = sinkFrame;
        await this.#deps.traffic.wait(subject, frame.data.byteLength);
        await (frame.data.byteLength > SMALL_STEP_BYTES ? ownTurn() : giveWay());
        const isSentAsBytes = raw && isRaw(sink.processor.destination.messageSchema);
        const message = isSentAsBytes ? frame.data : responseText(sinkFrame, finalOnly);
        if (message !== null) await this.#sender.sendAtPace(message);
      });
      failure = await failureAtEnd(this.#deps, streamId, this.#over.signal);
    } catch (error) {
      if (!this.#over.signal.aborted) throw error;
      return;
    }
    if (failure === null) return;
    await this.#sender.sendError(failure);
    // The data still being sent can no longer have an effect.
    this.#source.end();
  }

  #cutOff(): void {
    this.#left();
    this.#socket.terminate();
  }

  async #watchIdle(): Promise<void> {
    const excused = () => this.#endOfStream || this.#busy || this.#socket.isPaused;
    try {
      await this.#idle.passed(excused, this.#over.signal);
    } catch {
      return;
    }
    this.#left();
    this.#close();
  }

  /** A socket that is not read would not receive the other side's close. */
  #close(): void {
    this.#socket.close(NORMAL);
    this.#socket.resume();
  }

  /** A client that leaves has sent everything; waiting messages are handled before the end. */
  #left(): void {
    if (this.#busy && this.#inbox.length > 0) this.#inbox.push({ type: 'END_OF_STREAM' });
    else if (!this.#refusal) this.#source.end();
    this.#over.abort(LEFT);
  }
}

/** `null` for a message that was not asked for. A function of its own: its parts are let go before a slow client is waited for. */
const responseText = ({ sink, frame }: SinkFrame, finalOnly: boolean): string | null => {
  const response = sinkMessage(sink.stream, sink.processor, frame);
  if (finalOnly && response.frameType !== 'final') return null;
  const message: ServerMessage = { type: 'RESPONSE', response };
  return JSON.stringify(message);
};
