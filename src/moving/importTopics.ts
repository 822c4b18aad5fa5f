import type { Manifest, Topics } from '../stores/topics.ts';
import type { ImportClock } from './importLog.ts';

/** Imports the lines of topics in the order of the file. */
interface TopicLines {
  begin(topic: { readonly topic: string; readonly manifest: Manifest }): Promise<void>;
  frame(frame: { readonly at: number; readonly data: string }): Promise<void>;
  /** Call after the last line. Rejects if a topic does not match its manifest. */
  end(): Promise<void>;
}

export interface TopicImportDeps {
  readonly stores: { readonly topics: Topics };
  readonly clock: ImportClock;
}

interface Writing {
  readonly topic: string;
  readonly manifest: Manifest;
  frames: number;
  /** The topic is already in this store. */
  readonly isThere: boolean;
}

/** Imports one topic at a time. Skips a topic that is already here with the same bytes. */
export const importTopics = ({ stores: { topics }, clock }: TopicImportDeps, onProgress: (line: string) => void): TopicLines => {
  let writing: Writing | null = null;
  let count = 0;
  const finish = async (): Promise<void> => {
    if (!writing || writing.isThere) return;
    const { topic, manifest, frames } = writing;
    // It expired during the export.
    if (frames < manifest.frames) return topics.delete(topic);
    const { sha256 } = await topics.seal(topic, manifest.attributes);
    clock.frameTime = null;
    if (sha256 !== manifest.sha256) throw new Error(`The topic ${topic} is not what its manifest says: make the export again.`);
  };
  return {
    begin: async ({ topic, manifest }) => {
      await finish();
      const isThere = (await topics.manifest(topic))?.sha256 === manifest.sha256;
      if (!isThere) await topics.create(topic);
      writing = { topic, manifest, frames: 0, isThere };
      count += 1;
      onProgress(`${count.toLocaleString('en')} topics`);
    },
    frame: async ({ at, data }) => {
      if (!writing) throw new Error('a frame without its topic');
      writing.frames += 1;
      if (writing.isThere) return;
      clock.frameTime = at;
      await topics.append(writing.topic, [Buffer.from(data, 'base64')]);
      clock.frameTime = null;
    },
    end: finish,
  };
};
