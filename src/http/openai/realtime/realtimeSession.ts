import { randomUUID } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { Caller } from '../../../domain/credentials/caller.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { StreamConfigurationTemplate } from '../../../domain/templates/template.ts';
import { ownTurn, SMALL_STEP_BYTES } from '../../../supervision/ownTurn.ts';
import { ControlPace } from '../../gateway/webSocket/controlPace.ts';
import { bytesOf, SocketDataSource } from '../../gateway/webSocket/dataSource.ts';
import { type MessageGuard, UNGUARDED } from '../../gateway/webSocket/largeMessages.ts';
import { ReceivedMessage } from '../../input/body.ts';
import { isFailure, problemOf, unforeseen } from '../../server/errors.ts';
import type { SpeechModels } from '../models/speechModels.ts';
import { invalidField, openAiError } from '../openAiErrors.ts';
import { lastSound, millisecondsOf, samplesOf, silence } from './audioFormat.ts';
import { HeldAudio, type HeldAudioRoom } from './heldAudio.ts';
import { type LiveSpeechDeps, runLiveSpeech } from './liveSpeech.ts';
import { type HeardMessage, heardMessage, type RealtimeMessage } from './realtimeMessages.ts';
import {
  DEFAULT_SETTINGS,
  longestPause,
  olderSessionShown,
  type SessionSettings,
  sessionShown,
  updatedSettings,
} from './sessionSettings.ts';
import { type ItemEvent, SpeechItems } from './speechItems.ts';

export interface RealtimeDeps extends LiveSpeechDeps {
  readonly models: SpeechModels;
  /** Shared by all sessions. */
  readonly heldAudioRoom: HeldAudioRoom;
}

export interface RealtimeHandshake {
  readonly caller: Caller;
  readonly template: StreamConfigurationTemplate;
  readonly model: string | null;
  readonly correlationId: string;
  /** Context of the stream that the session creates at its first audio. */
  readonly streamId: string;
}

const LOOK_MILLISECONDS = 20_000;
/** After this long without a message or a pong, the client counts as gone. */
const SILENT_MILLISECONDS = 60_000;
const WORKLESS_MILLISECONDS = 30 * 60_000;
/** Silence added after a commit, beyond the silence that ends an utterance. */
const PAUSE_MARGIN_MILLISECONDS = 500;
/** Most unread bytes of a client. */
const UNREAD_BYTES = 1_048_576;
const LOOK_UNREAD_MILLISECONDS = 50;
const NORMAL = 1000;
const LEFT = new Error('the client has left');

/**
 * One realtime transcription session. Open (settings may change, nothing exists) -> speaking (the first audio has created the stream; its format,
 * language and model are fixed) -> over: the client leaves and the stream completes, or the stream fails and the client gets an error. A mistake of
 * the client is an `error` event and ends nothing.
 */
export class RealtimeSession {
  readonly #socket: WebSocket;
  readonly #deps: RealtimeDeps;
  readonly #handshake: RealtimeHandshake;
  readonly #source: SocketDataSource;
  readonly #guard: MessageGuard;
  readonly #items: SpeechItems;
  readonly #over = new AbortController();
  readonly #closed: Promise<void>;
  readonly #id: string;
  #settings: SessionSettings;
  #template: StreamConfigurationTemplate;
  /** Messages are handled one after another. */
  #taking: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Too many pings: the socket is not read. */
  #slowed = false;
  readonly #pace: ControlPace;
  /** Audio that waits for its commit, in the client's format. */
  readonly #held: HeldAudio;
  /** With turn detection: audio arrived since the last commit. */
  #isUncommitted = false;
  /** Samples written to the stream. */
  #samples = 0;
  #speaking: Promise<void> | null = null;
  #heard: number;
  #worked: number;

  constructor(socket: WebSocket, deps: RealtimeDeps, handshake: RealtimeHandshake, guard = UNGUARDED) {
    this.#socket = socket;
    this.#deps = deps;
    this.#handshake = handshake;
    this.#template = handshake.template;
    this.#held = new HeldAudio(deps.heldAudioRoom, handshake.caller.subject);
    this.#settings = { ...DEFAULT_SETTINGS, model: handshake.model };
    this.#id = `sess_${handshake.streamId}`;
    this.#source = new SocketDataSource(socket, () => this.#resume());
    this.#guard = guard;
    this.#pace = new ControlPace(deps.clock);
    this.#items = new SpeechItems(deps.clock, (event) => this.#send(event));
    this.#heard = this.#worked = deps.clock.monotonic();
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary));
    socket.on('pong', () => this.#hearControl());
    socket.on('ping', (data) => this.#answerPing(data));
    // For a violation of the protocol, or a message that is too large, `ws` closes with its own code.
    socket.on('error', () => {});
  }

  /** Resolves when everything that the session started has ended. Never rejects. */
  async run(): Promise<void> {
    this.#send({ type: 'session.created', session: sessionShown(this.#id, this.#settings) });
    void this.#watch();
    await this.#closed;
    this.#over.abort(LEFT);
    await this.#taking;
    void this.#clear();
    this.#source.end();
    await this.#speaking;
  }

  /** Ends it from outside: the server stops. */
  fail(problem: Problem): void {
    this.#sendError(problem, null);
    this.#close();
  }

  #hear(data: RawData, isBinary: boolean): void {
    this.#signOfLife();
    this.#worked = this.#heard;
    // Slows down a client that sends faster than its messages are handled.
    this.#waiting += 1;
    this.#socket.pause();
    const received = new ReceivedMessage(bytesOf(data));
    this.#taking = this.#taking.then(() => this.#takeOne(received, isBinary)).finally(() => this.#taken());
  }

  #taken(): void {
    this.#waiting -= 1;
    this.#resume();
  }

  /** Resumes the socket, unless something else pauses it. */
  #resume(): void {
    if (this.#waiting > 0 || this.#source.isFull) return;
    this.#guard.handled();
    if (!this.#slowed) this.#socket.resume();
  }

  /** Pauses reading from a client that floods the socket with pings. */
  #hearControl(): void {
    this.#signOfLife();
    const milliseconds = this.#pace.take();
    if (milliseconds === 0 || this.#slowed) return;
    this.#slowed = true;
    this.#socket.pause();
    void this.#deps.clock.pause(milliseconds, this.#over.signal).then(() => {
      this.#slowed = false;
      this.#resume();
    });
  }

  #answerPing(data: Buffer): void {
    this.#hearControl();
    if (this.#socket.readyState === this.#socket.OPEN && this.#socket.bufferedAmount < UNREAD_BYTES) this.#socket.pong(data);
  }

  /** Waits for the client to read: until then it is not read either, and gets no further text. */
  async #read(): Promise<void> {
    if (this.#socket.bufferedAmount <= UNREAD_BYTES) return;
    const read = this.#readEnough();
    this.#guard.waitsForReader(read);
    await read;
  }

  async #readEnough(): Promise<void> {
    const { clock } = this.#deps;
    while (this.#socket.bufferedAmount > UNREAD_BYTES && (await clock.pause(LOOK_UNREAD_MILLISECONDS, this.#over.signal)) === 'elapsed');
  }

  async #takeOne(received: ReceivedMessage, isBinary: boolean): Promise<void> {
    let heard: HeardMessage | null = null;
    await this.#read();
    // Short messages can make much audio, because a commit adds a pause. One read of the socket may contain a thousand of them.
    await this.#source.room();
    try {
      if (isBinary) throw invalidField('type', 'Send audio as base64 in input_audio_buffer.append, not as binary messages.');
      heard = await heardMessage(received);
      const isLarge = received.length > SMALL_STEP_BYTES;
      if (isLarge) await ownTurn();
      const message = await heard.read();
      if (isLarge) await ownTurn();
      await this.#take(message);
    } catch (error) {
      this.#sendError(this.#problemOf(error), heard?.eventId ?? null);
    }
  }

  async #take(message: RealtimeMessage): Promise<void> {
    switch (message.type) {
      case 'session.update':
      case 'transcription_session.update':
        await this.#update(updatedSettings(this.#settings, message.session));
        return message.type === 'session.update'
          ? this.#send({ type: 'session.updated', session: sessionShown(this.#id, this.#settings) })
          : this.#send({ type: 'transcription_session.updated', session: olderSessionShown(this.#id, this.#settings) });
      case 'input_audio_buffer.append':
        return this.#append(message.audio);
      case 'input_audio_buffer.commit':
        return this.#commit();
      case 'input_audio_buffer.clear':
        await this.#clear();
        return this.#send({ type: 'input_audio_buffer.cleared' });
      default: {
        const never: never = message;
        return never;
      }
    }
  }

  async #update(next: SessionSettings): Promise<void> {
    const { model, language, prompt, format, turnDetection } = this.#settings;
    const sameAudio = next.format === format && next.model === model && next.language === language && next.prompt === prompt;
    const sameTurns = (next.turnDetection === null) === (turnDetection === null);
    if (this.#speaking && !(sameAudio && sameTurns))
      throw invalidField('session', 'The settings of the audio are fixed once audio was sent. Open another session for others.');
    if (this.#held.length > 0 && !(next.format === format && sameTurns))
      throw invalidField('session', 'Commit or clear the audio before you change its format or the turn detection.');
    if (next.model !== null && next.model !== model)
      this.#template = await this.#deps.models.template(this.#handshake.caller, next.model, 'live');
    this.#settings = next;
  }

  #append(audio: Buffer): void {
    if (this.#settings.turnDetection === null) {
      this.#held.add(audio);
      this.#guard.passedOn(audio.length);
      return;
    }
    this.#guard.passedOn(audio.length);
    this.#isUncommitted ||= audio.length > 0;
    this.#write(samplesOf(audio, this.#settings.format));
  }

  /** Audio counts as traffic when it is stored, or here. */
  async #clear(): Promise<void> {
    const { length } = this.#held;
    this.#held.clear();
    if (length > 0) await this.#count(length);
  }

  #count(bytes: number): Promise<unknown> | undefined {
    return this.#deps.traffic.wait(this.#handshake.caller.subject, bytes);
  }

  /** With turn detection a commit ends the utterance; without, it creates an item from the held audio. Both add a pause after the audio. */
  async #commit(): Promise<void> {
    const { format, turnDetection } = this.#settings;
    const isEmpty = turnDetection === null ? this.#held.length === 0 : !this.#isUncommitted;
    if (isEmpty) throw emptyCommit();
    this.#isUncommitted = false;
    if (turnDetection === null) await this.#commitHeld();
    const pause = turnDetection?.silenceMilliseconds ?? longestPause(this.#template);
    this.#write(silence(pause + PAUSE_MARGIN_MILLISECONDS, format));
  }

  /** Creates an item from the held audio. It may be large, so each step over all of it has its own turn. */
  async #commitHeld(): Promise<void> {
    const { format } = this.#settings;
    const held = this.#held.take();
    await ownTurn();
    const audio = samplesOf(held, format);
    const samples = audio.subarray(0, audio.length - (audio.length % 2));
    await ownTurn();
    const start = millisecondsOf(this.#samples, format);
    const end = start + millisecondsOf(samples.length / 2, format);
    const last = lastSound(samples);
    this.#items.commit(start, end, last === null ? null : start + millisecondsOf(last, format));
    this.#write(samples);
  }

  #write(samples: Buffer): void {
    if (samples.length === 0) return;
    this.#samples += samples.length / 2;
    if (this.#source.readable.destroyed) void this.#count(samples.length);
    this.#source.write(samples);
    this.#speaking ??= this.#speak();
  }

  /** The session's stream, from its first audio on. Never rejects. */
  async #speak(): Promise<void> {
    const { caller, correlationId, streamId } = this.#handshake;
    // The first audio may have taken its turn already.
    await ownTurn();
    try {
      await runLiveSpeech(this.#deps, {
        streamId,
        caller,
        correlationId,
        template: this.#template,
        settings: this.#settings,
        source: this.#source.readable,
        onMessage: (message, isFinal) => {
          this.#items.take(message, isFinal);
          return this.#read();
        },
        signal: this.#over.signal,
      });
      this.#items.end();
    } catch (error) {
      const problem = this.#problemOf(error);
      this.#items.fail(openAiError(problem));
      this.#sendError(problem, null);
    }
    // Later audio has no reader, and nothing waits for it. What is left will not be stored.
    const left = this.#source.readable.readableLength;
    if (left > 0) void this.#count(left);
    this.#source.fail(LEFT);
    this.#close();
  }

  #problemOf(error: unknown): Problem {
    if (isFailure(error))
      this.#deps.logger.error({ err: error, correlationId: this.#handshake.correlationId }, 'a realtime session failed');
    return problemOf(error) ?? unforeseen();
  }

  #signOfLife(): void {
    this.#heard = this.#deps.clock.monotonic();
  }

  /** Pings the client from time to time, and closes if it is gone or has sent nothing for half an hour. */
  async #watch(): Promise<void> {
    const { clock } = this.#deps;
    while ((await clock.pause(LOOK_MILLISECONDS, this.#over.signal)) === 'elapsed') {
      const now = clock.monotonic();
      // A paused socket cannot receive.
      if (this.#source.isPaused) this.#heard = now;
      if (now - this.#heard >= SILENT_MILLISECONDS) return this.#socket.terminate();
      if (now - this.#worked >= WORKLESS_MILLISECONDS) return this.#close();
      this.#socket.ping();
    }
  }

  #sendError(problem: Problem, eventId: string | null): void {
    this.#send({ type: 'error', error: { ...openAiError(problem).error, event_id: eventId } });
  }

  #send(event: ItemEvent): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify({ event_id: `event_${randomUUID().replaceAll('-', '').slice(0, 21)}`, ...event }));
  }

  /** A paused socket would not receive the other side's close. */
  #close(): void {
    this.#socket.close(NORMAL);
    this.#socket.resume();
  }
}

const emptyCommit = () => invalidField('type', 'The buffer is empty. Append audio before you commit.', 'input_audio_buffer_commit_empty');
