import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf } from '../../api/address.ts';
import { ApiError, errorOfBody } from '../../api/errors.ts';
import { configurationOf } from '../../api/uploadSettings.ts';
import { apiErrorOf } from '../../api/useResource.ts';
import type { SinkMessage } from '../../results/results.ts';
import { socketProtocols } from '../../shell/session.ts';
import { type Job, queryOf } from './job.ts';
import { microphoneProblem } from './Recorder.tsx';

/** `began`: when the first sound was sent, milliseconds since the epoch. */
export interface Captions {
  readonly state: 'connecting' | 'listening' | 'finishing' | 'ended' | 'failed';
  readonly began: number | null;
  readonly messages: readonly SinkMessage[];
  /** Message of the server or the connection. */
  readonly error: ApiError | null;
  /** A problem in the browser, and what to do. */
  readonly problem: string | null;
}

// Short pieces, so that speech is sent at most a quarter of a second later.
const PIECE_MILLISECONDS = 250;
const FIRST: Captions = { state: 'connecting', began: null, messages: [], error: null, problem: null };

/** Sends the microphone to the WebSocket gateway, from the first rendering to `stop`, and collects the results as they come. */
export const useCaptions = (job: Job): { readonly captions: Captions; readonly stop: () => void } => {
  const [captions, setCaptions] = useState<Captions>(FIRST);
  const session = useRef<CaptionSession | null>(null);
  useEffect(() => {
    const started = new CaptionSession(job, (change) => setCaptions((before) => change(before)));
    session.current = started;
    void started.run();
    return () => started.stop();
  }, []);
  return { captions, stop: () => session.current?.stop() };
};

type Change = (before: Captions) => Captions;

/** The server's messages, as far as captions need them. */
type ServerMessage =
  | { readonly type: 'RESPONSE'; readonly response: SinkMessage }
  | { readonly type: 'ERROR'; readonly error: { readonly statusCode: number } }
  | { readonly type: 'END_OF_STREAM' | 'STREAM_METADATA' | 'KEEP_ALIVE' };

class CaptionSession {
  readonly #job: Job;
  readonly #show: (change: Change) => void;
  #microphone: MediaStream | null = null;
  #recorder: MediaRecorder | null = null;
  #socket: WebSocket | null = null;
  #isStopped = false;

  constructor(job: Job, show: (change: Change) => void) {
    this.#job = job;
    this.#show = show;
  }

  async run(): Promise<void> {
    try {
      this.#microphone = await microphone();
      this.#socket = await openSocket(this.#job);
    } catch (error) {
      if (error instanceof OwnProblem) this.#give(error.message);
      else this.#fail(apiErrorOf(error));
      return;
    }
    if (this.#isStopped) {
      // Nothing was sent, so the server has not created a stream.
      this.#socket.close();
      return this.#closeMicrophone();
    }
    this.#listen(this.#socket);
    this.#record(this.#socket, this.#microphone);
  }

  /** Ends the audio. Results of the speech so far still arrive. */
  stop(): void {
    this.#isStopped = true;
    if (this.#recorder && this.#recorder.state !== 'inactive') this.#recorder.stop();
    this.#closeMicrophone();
    this.#show((before) => (before.state === 'connecting' ? { ...before, state: 'failed', problem: TOO_EARLY } : before));
  }

  #listen(socket: WebSocket): void {
    socket.onmessage = ({ data }) => {
      // The gateway's own messages; it sends no binary ones, since the template's results are messages.
      const message = JSON.parse(String(data)) as ServerMessage;
      if (message.type === 'RESPONSE') this.#show((before) => ({ ...before, messages: withNewest(before.messages, message.response) }));
      else if (message.type === 'ERROR') this.#fail(errorOfBody(message.error.statusCode, message.error, null));
      else if (message.type === 'END_OF_STREAM')
        this.#show((before) => (before.state === 'failed' ? before : { ...before, state: 'ended' }));
    };
    socket.onclose = () => {
      this.stop();
      this.#show((before) => (isOver(before) ? before : { ...before, state: 'failed', error: LOST }));
    };
  }

  #record(socket: WebSocket, stream: MediaStream): void {
    socket.send(JSON.stringify({ type: 'CONFIGURATION', ...configurationOf(this.#job) }));
    const recorder = new MediaRecorder(stream);
    this.#recorder = recorder;
    recorder.ondataavailable = ({ data }) => {
      if (data.size > 0 && socket.readyState === WebSocket.OPEN) socket.send(data);
    };
    recorder.onstop = () => {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(JSON.stringify({ type: 'END_OF_STREAM' }));
      this.#show((before) => (isOver(before) ? before : { ...before, state: 'finishing' }));
    };
    recorder.start(PIECE_MILLISECONDS);
    this.#show((before) => ({ ...before, state: 'listening', began: Date.now() }));
  }

  #fail(error: ApiError): void {
    this.#show((before) => ({ ...before, state: 'failed', error }));
    this.stop();
  }

  #give(problem: string): void {
    this.#show((before) => ({ ...before, state: 'failed', problem }));
    this.stop();
  }

  #closeMicrophone(): void {
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
  }
}

/** A partial result is replaced by whatever follows it. */
const withNewest = (messages: readonly SinkMessage[], newest: SinkMessage): readonly SinkMessage[] => [
  ...(messages.at(-1)?.frameType === 'partial' ? messages.slice(0, -1) : messages),
  newest,
];

const isOver = ({ state }: Captions): boolean => state === 'ended' || state === 'failed';

const TOO_EARLY = 'Stopped before anything was recorded.';
const LOST = new ApiError(0, 'The connection was lost. Everything said so far is being processed.');
const REFUSED = new ApiError(0, 'The server did not open the connection.');

/** Nothing that the server did. */
class OwnProblem extends Error {}

const microphone = async (): Promise<MediaStream> => {
  if (!navigator.mediaDevices) throw new OwnProblem("The microphone needs https, or a browser on the server's own machine.");
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    throw new OwnProblem(microphoneProblem(error));
  }
};

/** An open socket. A key is sent as its subprotocol, so that it is not in the address. */
const openSocket = async (job: Job): Promise<WebSocket> => {
  const url = new URL(addressOf('/ws-gateway/api/v1', { ...queryOf(job), configurationMessage: true }), location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = connect(url, await socketProtocols());
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(REFUSED);
  });
  return socket;
};

const connect = (url: URL, protocols: string[]): WebSocket => {
  try {
    return new WebSocket(url, protocols);
  } catch {
    throw new OwnProblem('Your API key has characters that a browser cannot send over a WebSocket. Sign in with another credential.');
  }
};
