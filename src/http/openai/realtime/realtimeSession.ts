import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { WebSocket } from 'ws';
import type { Caller } from '../../../domain/credentials/caller.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { StreamConfigurationTemplate } from '../../../domain/templates/template.ts';
import { isFailure, problemOf, unforeseen } from '../../errors/errors.ts';
import { invalidField, openAiError } from '../../errors/openAiErrors.ts';
import { ClientSocket, type SocketDeps, type SocketUser } from '../../gateway/webSocket/clientSocket.ts';
import { openDataSource, writeWhenRoom } from '../../gateway/webSocket/dataSource.ts';
import type { SpeechModels } from '../models/speechModels.ts';
import { lastSound, millisecondsOf, samplesOf, silence } from './audioFormat.ts';
import { HeldAudio } from './heldAudio.ts';
import { type LiveSpeechDeps, runLiveSpeech } from './liveSpeech.ts';
import { type HeardMessage, heardMessage, type RealtimeMessage } from './realtimeMessages.ts';
import { longestPause, olderSessionShown, type SessionSettings, sessionShown, updatedSettings } from './sessionSettings.ts';
import { type ItemEvent, SpeechItems } from './speechItems.ts';

export interface RealtimeDeps extends LiveSpeechDeps {
  readonly models: SpeechModels;
}

export interface RealtimeHandshake {
  readonly caller: Caller;
  readonly template: StreamConfigurationTemplate;
  readonly settings: SessionSettings;
  readonly correlationId: string;
  /** Context of the stream that the session creates at its first audio. */
  readonly streamId: string;
}

/** After a minute without a message or a pong, the client counts as gone. */
const RULES = { silentMilliseconds: 60_000, lookMilliseconds: 20_000, pings: true, noRoomCode: 1013 };
/** Silence added after a commit, beyond the silence that ends an utterance. */
const PAUSE_MARGIN_MILLISECONDS = 500;
/** Most bytes that a client has not taken. */
const UNTAKEN_BYTES = 1_048_576;

/**
 * One realtime transcription session. Open (settings may change, nothing exists) -> speaking (the first audio has created the stream; its format,
 * language and model are fixed) -> over: the client leaves and the stream completes, or the stream fails and the client gets an error. A mistake of
 * the client is an `error` event and ends nothing.
 */
export class RealtimeSession implements SocketUser {
  readonly #client: ClientSocket;
  readonly #deps: RealtimeDeps & SocketDeps;
  readonly #handshake: RealtimeHandshake;
  readonly #source = openDataSource();
  readonly #items: SpeechItems;
  readonly #id: string;
  #settings: SessionSettings;
  #template: StreamConfigurationTemplate;
  /** Audio that waits for its commit, in the client's format. */
  readonly #held: HeldAudio;
  /** With turn detection: audio arrived since the last commit. */
  #isUncommitted = false;
  /** Samples written to the stream. */
  #samples = 0;
  #speaking: Promise<void> | null = null;
  /** The client has taken the last event. */
  #taken: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, connection: Duplex, deps: RealtimeDeps & SocketDeps, handshake: RealtimeHandshake) {
    this.#deps = deps;
    this.#handshake = handshake;
    this.#template = handshake.template;
    this.#settings = handshake.settings;
    this.#id = `sess_${handshake.streamId}`;
    this.#items = new SpeechItems(
      deps.clock,
      (event) => this.#send(event),
      () => this.#settings.turnDetection?.paddingMilliseconds ?? 0,
    );
    this.#client = new ClientSocket(socket, connection, deps, RULES, handshake.caller.subject, this);
    this.#held = new HeldAudio(this.#client);
  }

  /** Resolves when everything that the session started has ended. Never rejects. */
  async run(): Promise<void> {
    this.#send({ type: 'session.created', session: sessionShown(this.#id, this.#settings) });
    await this.#client.closed;
    await this.#speaking;
  }

  /** Ends it from outside: the server stops. */
  fail(problem: Problem): void {
    this.#sendError(problem, null);
    this.#client.end();
  }

  async hear(data: Uint8Array, isBinary: boolean): Promise<void> {
    this.#client.worked();
    let heard: HeardMessage | null = null;
    try {
      await this.#takenEnough();
      if (isBinary) throw invalidField('type', 'Send audio as base64 in input_audio_buffer.append, not as binary messages.');
      heard = heardMessage(data, this.#deps.limits.jsonMaxValues);
      await this.#take(heard.read());
    } catch (error) {
      this.#sendError(this.#problemOf(error), heard?.eventId ?? null);
    }
  }

  refuse(problem: Problem): void {
    this.#sendError(problem, null);
  }

  left(): void {
    this.#held.clear();
    this.#source.end();
  }

  /** Waits for the client to read: until then it is not read either, and gets no further text. */
  async #takenEnough(): Promise<void> {
    if (this.#client.untaken > UNTAKEN_BYTES) await this.#taken;
  }

  async #take(message: RealtimeMessage): Promise<void> {
    switch (message.type) {
      case 'session.update':
      case 'transcription_session.update':
        this.#client.control();
        await this.#update(updatedSettings(this.#settings, message.session));
        return message.type === 'session.update'
          ? this.#send({ type: 'session.updated', session: sessionShown(this.#id, this.#settings) })
          : this.#send({ type: 'transcription_session.updated', session: olderSessionShown(this.#id, this.#settings) });
      case 'input_audio_buffer.append':
        return this.#append(message.audio);
      case 'input_audio_buffer.commit':
        return this.#commit();
      case 'input_audio_buffer.clear':
        this.#held.clear();
        return this.#send({ type: 'input_audio_buffer.cleared' });
      default: {
        const never: never = message;
        return never;
      }
    }
  }

  async #update(next: SessionSettings): Promise<void> {
    const { model, format, turnDetection } = this.#settings;
    const sameAudio = isDeepStrictEqual({ ...next, turnDetection }, this.#settings);
    const sameTurns = (next.turnDetection === null) === (turnDetection === null);
    if (this.#speaking && !(sameAudio && sameTurns))
      throw invalidField('session', 'The settings of the audio are fixed once audio was sent. Open another session for others.');
    if (this.#held.length > 0 && !(next.format === format && sameTurns))
      throw invalidField('session', 'Commit or clear the audio before you change its format or the turn detection.');
    if (next.model !== null && next.model !== model)
      this.#template = await this.#deps.models.template(this.#handshake.caller, next.model, 'live');
    this.#settings = next;
  }

  async #append(audio: Buffer): Promise<void> {
    if (this.#settings.turnDetection === null) return this.#held.add(audio);
    this.#isUncommitted ||= audio.length > 0;
    await this.#write(samplesOf(audio, this.#settings.format));
  }

  /** With turn detection a commit ends the utterance; without, it creates an item from the held audio. Both add a pause after the audio. */
  async #commit(): Promise<void> {
    const { format, turnDetection } = this.#settings;
    const isEmpty = turnDetection === null ? this.#held.length === 0 : !this.#isUncommitted;
    if (isEmpty) throw emptyCommit();
    this.#isUncommitted = false;
    if (turnDetection === null) await this.#commitHeld();
    const pause = turnDetection?.silenceMilliseconds ?? longestPause(this.#template);
    await this.#write(silence(pause + PAUSE_MARGIN_MILLISECONDS, format));
  }

  /** Creates an item from the held audio. */
  async #commitHeld(): Promise<void> {
    const { format } = this.#settings;
    const audio = samplesOf(this.#held.take(), format);
    const samples = audio.subarray(0, audio.length - (audio.length % 2));
    const start = millisecondsOf(this.#samples, format);
    const end = start + millisecondsOf(samples.length / 2, format);
    const last = lastSound(samples);
    this.#items.commit(start, end, last === null ? null : start + millisecondsOf(last, format));
    await this.#write(samples);
  }

  /** Resolves when the stream has room for more. */
  async #write(samples: Buffer): Promise<void> {
    if (samples.length === 0) return;
    this.#samples += samples.length / 2;
    this.#speaking ??= this.#speak();
    await writeWhenRoom(this.#source, samples);
  }

  /** The session's stream, from its first audio on. Never rejects. */
  async #speak(): Promise<void> {
    const { caller, correlationId, streamId } = this.#handshake;
    try {
      await runLiveSpeech(this.#deps, {
        streamId,
        caller,
        correlationId,
        template: this.#template,
        settings: this.#settings,
        source: this.#source,
        onMessage: (message, isFinal) => {
          this.#items.take(message, isFinal);
          return this.#takenEnough();
        },
        signal: this.#client.over,
      });
      this.#items.end();
    } catch (error) {
      const problem = this.#problemOf(error);
      this.#items.fail(openAiError(problem));
      this.#sendError(problem, null);
    }
    // Later audio has no reader.
    this.#source.destroy();
    this.#client.close();
  }

  #problemOf(error: unknown): Problem {
    if (isFailure(error))
      this.#deps.logger.error({ err: error, correlationId: this.#handshake.correlationId }, 'a realtime session failed');
    return problemOf(error) ?? unforeseen();
  }

  #sendError(problem: Problem, eventId: string | null): void {
    this.#send({ type: 'error', error: { ...openAiError(problem).error, event_id: eventId } });
  }

  #send(event: ItemEvent): void {
    const text = JSON.stringify({ event_id: `event_${randomUUID().replaceAll('-', '').slice(0, 21)}`, ...event });
    // Without room, the session has been refused.
    this.#taken = this.#client.send(text).catch(() => {});
  }
}

const emptyCommit = () => invalidField('type', 'The buffer is empty. Append audio before you commit.', 'input_audio_buffer_commit_empty');
