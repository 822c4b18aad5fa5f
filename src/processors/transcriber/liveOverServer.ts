import type { WorkerProgress, WorkerRun } from '../../speech/workers/messages.ts';
import type { SpeechWorkers } from '../../speech/workers/workers.ts';
import type { RunContext } from '../processor.ts';
import type { DecodedAudio } from './decodedAudio.ts';
import type { ChosenEngine } from './engineChoice.ts';
import { ANY_LANGUAGE, askServer, modelOf } from './httpTranscriber.ts';
import { RecentAudio } from './recentAudio.ts';
import type { SpeechServer } from './speechServer.ts';
import type { TranscriptionWriter } from './transcriptionWriter.ts';
import type { SpokenUtterance, SpokenWord } from './utterances.ts';
import { serverWarnings, spokenOf, transcribing } from './workerTranscription.ts';

export interface LiveOverServer {
  readonly server: SpeechServer;
  readonly workers: SpeechWorkers;
  readonly chosen: ChosenEngine;
  readonly run: WorkerRun;
  readonly audio: DecodedAudio;
  /** Whether the next bytes have yet to arrive. */
  readonly waiting: () => boolean;
  /** Whether each channel is transcribed by itself. */
  readonly split: boolean;
  readonly writer: TranscriptionWriter;
  readonly context: RunContext;
}

/** Live audio on a speech server: the voice detector cuts utterances out, each is one request and one final message. */
export const liveOverServer = async (live: LiveOverServer): Promise<void> => {
  const { server, audio, split, writer, context } = live;
  const { workers, chosen, run } = live;
  const recent = new RecentAudio(run.channels);
  let asking = false;
  const task = {
    workers,
    chosen,
    run,
    signal: context.signal,
    audio: { samples: () => recent.through(audio.samples()) },
    // While the server is asked, no message of the worker is read.
    waiting: () => asking || live.waiting(),
    onProgress: ({ milliseconds }: WorkerProgress) => recent.handled(milliseconds),
  };
  try {
    for await (const { heard } of transcribing(task)) {
      const { start, end } = spokenOf(heard);
      if (heard.type === 'partial' || start === null || end === null) continue;
      const wav = recent.wav(heard.channel, start, end);
      asking = true;
      // The same name in every attempt, so that an answered request is not repeated.
      const name = `channel ${heard.channel} at ${start}`;
      const answer = await askServer(server, ANY_LANGUAGE, context, { name, recording: once(wav), size: wav.byteLength });
      asking = false;
      const spoken = answer && shifted(answer.utterances, start, end);
      if (!answer || !spoken) continue;
      const about = { language: answer.language, channel: split ? heard.channel : null };
      await writer.write(
        { ...spoken, ...about, audioEnd: audio.length, warnings: [...audio.warnings, ...serverWarnings(context.properties)] },
        server.madeBy(modelOf(context.properties)),
      );
    }
  } finally {
    recent.release();
  }
};

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** An utterance of the live audio, however many the server made of it. `null` if it has no words. */
const shifted = (utterances: readonly SpokenUtterance[], start: number, end: number): SpokenUtterance | null => {
  const words = utterances.flatMap((utterance) => utterance.words);
  if (words.length === 0) return null;
  const moved = (time: number | null): number | null => (time === null ? null : Math.min(end, start + time));
  return { words: words.map((word): SpokenWord => ({ ...word, start: moved(word.start), end: moved(word.end) })), start, end };
};
