import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { UploadRecorded } from '../../../commands/upload.ts';
import type { Caller } from '../../../domain/credentials/caller.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { JsonObject } from '../../../json.ts';
import { isRaw } from '../../../results/sinks.ts';
import { badRequest, isFailure, problemOf, unforeseen } from '../../errors/errors.ts';
import { sinkMessage } from '../../export/sinkMessages.ts';
import type { SinkFrame } from '../../live/follow.ts';
import type { RawQuery } from '../../query/rawQuery.ts';
import { commandContext } from '../../route/commandContext.ts';
import { orderedStream } from '../../streams/shownStreams.ts';
import { configurationIn } from '../configurationPart.ts';
import { type IngestDeps, ingest } from '../ingest.ts';
import type { PreparedUpload, UploadPlanner } from '../planner.ts';
import { ClientSocket, type SocketDeps, type SocketUser } from './clientSocket.ts';
import { openDataSource, writeWhenRoom } from './dataSource.ts';
import { type ClientMessage, clientMessage, type ServerMessage } from './messages.ts';
import { type SocketParameters, socketParameters } from './parameters.ts';
import { failureAtEnd, type ResponseDeps, responsesOf } from './responses.ts';

export interface SessionDeps extends IngestDeps, Omit<ResponseDeps, 'topics'> {
  readonly planner: UploadPlanner;
}

/** The content of the handshake. */
export interface Handshake {
  readonly caller: Caller;
  readonly rawQuery: RawQuery;
  readonly header: (name: string) => string | undefined;
  readonly correlationId: string;
}

const RULES = { silentMilliseconds: 10_000, lookMilliseconds: 500, pings: false, noRoomCode: 1000 };
const LEFT = new Error('the client has left');

/**
 * One client of the gateway. Opening (the handshake is checked; with `configurationMessage` the first message is awaited) -> created
 * (STREAM_METADATA; bytes arrive while responses are sent) -> ended: by END_OF_STREAM or by leaving, which both complete the upload, or by an error
 * of the client or the platform, which fails it. The close code is 1000.
 */
export class SocketSession implements SocketUser {
  readonly #client: ClientSocket;
  readonly #deps: SessionDeps & SocketDeps;
  readonly #handshake: Handshake;
  readonly #source = openDataSource();
  readonly #configuration = new Awaited<JsonObject>();
  /** The stream exists: messages after the configuration are handled from now on. */
  readonly #created = new Awaited<void>();
  #awaitsConfiguration = false;
  /** END_OF_STREAM has been handled: later messages change nothing. */
  #saidAll = false;
  #errorSent = false;

  constructor(socket: WebSocket, connection: Duplex, deps: SessionDeps & SocketDeps, handshake: Handshake) {
    this.#deps = deps;
    this.#handshake = handshake;
    this.#client = new ClientSocket(socket, connection, deps, RULES, handshake.caller.subject, this);
  }

  /** Resolves when everything that the session started has ended. Never rejects. */
  async run(): Promise<void> {
    try {
      await this.#serve();
    } catch (error) {
      const problem = problemOf(error) ?? unforeseen();
      if (error !== LEFT && isFailure(error))
        this.#deps.logger.error({ err: error, correlationId: this.#handshake.correlationId }, 'WebSocket session failed');
      this.#source.destroy(problem);
      await this.#sendError(problem);
    } finally {
      this.#created.resolve();
      this.#client.end();
    }
  }

  /** Ends it from outside in any state: the server stops. */
  fail(problem: Problem): void {
    this.#giveUp(problem);
    void this.#sendError(problem);
    this.#client.end();
  }

  async hear(data: Uint8Array, isBinary: boolean): Promise<void> {
    if (this.#source.errored) return;
    try {
      await this.#take(clientMessage(data, isBinary, this.#deps.limits));
    } catch (error) {
      if (!this.#saidAll) this.#giveUp(problemOf(error) ?? unforeseen());
    }
  }

  refuse(problem: Problem): void {
    if (!this.#saidAll) this.#giveUp(problem);
    void this.#sendError(problem);
  }

  /** A client that leaves has sent everything; before its configuration, it has created nothing. */
  left(): void {
    this.#configuration.reject(LEFT);
    this.#source.end();
  }

  async #serve(): Promise<void> {
    const parameters = socketParameters(this.#handshake.rawQuery, this.#handshake.header);
    this.#awaitsConfiguration = parameters.configurationMessage;
    const { responses } = await this.#upload(parameters);
    await responses;
    if (responses && !this.#errorSent) await this.#send({ type: 'END_OF_STREAM' });
  }

  /** Resolves when the upload has ended; the responses may take longer. */
  async #upload(parameters: SocketParameters): Promise<{ readonly responses: Promise<void> | null }> {
    const { planner } = this.#deps;
    const prepared = await this.#prepare(parameters);
    await planner.checkEngines(prepared);
    const { id } = parameters.upload;
    const identity = { streamId: id ?? randomUUID(), idGenerated: id === null, idempotency: null };
    const plan = planner.plan(prepared, identity, this.#handshake.caller);
    if (this.#source.errored) throw this.#source.errored;
    let responses: Promise<void> | null = null;
    const onBegun = async ({ stream }: UploadRecorded): Promise<void> => {
      const shown = await orderedStream(stream);
      // The session may have failed meanwhile, and ERROR is its last message.
      if (this.#errorSent) return;
      void this.#send({ type: 'STREAM_METADATA', stream: shown });
      if (parameters.egress) {
        responses = this.#respond(stream.streamId, parameters);
        // Awaited below, when the upload has ended; the client gets the error at once.
        responses.catch((error: unknown) => this.#sendError(problemOf(error) ?? unforeseen()));
      }
      this.#created.resolve();
    };
    await ingest(this.#deps, { plan, context: commandContext(this.#handshake), source: this.#source, onBegun });
    return { responses };
  }

  async #prepare({ upload, configurationMessage }: SocketParameters): Promise<PreparedUpload> {
    const { planner } = this.#deps;
    const prepared = await planner.prepare(upload, this.#handshake.caller);
    return configurationMessage ? planner.configure(prepared, configurationIn(await this.#configuration.value)) : prepared;
  }

  async #take(message: ClientMessage): Promise<void> {
    const { type } = message;
    if (type === 'KEEP_ALIVE' || type === 'CONFIGURATION') this.#client.control();
    if (type !== 'KEEP_ALIVE') this.#client.worked();
    if (this.#saidAll && type !== 'KEEP_ALIVE') return;
    if (this.#awaitsConfiguration) {
      if (type !== 'CONFIGURATION') throw badRequest('The first message must be CONFIGURATION, because of configurationMessage=true.');
      this.#awaitsConfiguration = false;
      this.#configuration.resolve(message.message);
      return;
    }
    // A misplaced CONFIGURATION fails the stream, so that must exist.
    await this.#created.value;
    if (type === 'CONFIGURATION') throw badRequest('CONFIGURATION is only accepted as the first message, with configurationMessage=true.');
    if (type === 'KEEP_ALIVE') this.#keepAlive();
    else if (type === 'DATA') await writeWhenRoom(this.#source, message.data);
    else {
      this.#saidAll = true;
      this.#client.mayBeSilent = true;
      this.#source.end();
    }
  }

  /** Sends one response after another, each when the connection has taken the previous one. Unread frames wait in their topics. */
  async #respond(streamId: string, { raw, finalOnly }: SocketParameters): Promise<void> {
    const { over } = this.#client;
    let failure: Problem | null;
    try {
      for await (const sinkFrame of responsesOf(this.#deps, streamId, { partials: !raw && !finalOnly, signal: over })) {
        const isSentAsBytes = raw && isRaw(sinkFrame.sink.processor.destination.messageSchema);
        const message = isSentAsBytes ? sinkFrame.frame.data : responseText(sinkFrame, finalOnly);
        if (message !== null) await this.#client.send(message);
      }
      failure = await failureAtEnd(this.#deps, streamId, over);
    } catch (error) {
      if (!over.aborted) throw error;
      return;
    }
    if (failure === null) return;
    await this.#sendError(failure);
    // The data still being sent can no longer have an effect.
    this.#source.end();
  }

  /** ERROR is the last message. */
  #keepAlive(): void {
    if (!this.#errorSent) void this.#send({ type: 'KEEP_ALIVE' });
  }

  #giveUp(problem: Problem): void {
    this.#configuration.reject(problem);
    this.#source.destroy(problem);
  }

  async #send(message: ServerMessage): Promise<void> {
    // Without room, the session has been refused.
    await this.#client.send(JSON.stringify(message)).catch(() => {});
  }

  /** The first error is the cause; later ones follow from it. */
  async #sendError(problem: Problem): Promise<void> {
    if (this.#errorSent) return;
    this.#errorSent = true;
    await this.#send({ type: 'ERROR', error: problem.toResponse() });
  }
}

/** A value that comes later. */
class Awaited<Value> {
  readonly value: Promise<Value>;
  resolve: (value: Value) => void = () => {};
  reject: (error: Error) => void = () => {};

  constructor() {
    this.value = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // It may fail before anything awaits it.
    this.value.catch(() => {});
  }
}

/** `null` for a message that was not asked for. */
const responseText = ({ sink, frame }: SinkFrame, finalOnly: boolean): string | null => {
  const response = sinkMessage(sink, frame);
  if (finalOnly && response.frameType !== 'final') return null;
  const message: ServerMessage = { type: 'RESPONSE', response };
  return JSON.stringify(message);
};
