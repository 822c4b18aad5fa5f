import type { ReadFrames, TopicReader } from '../topics/topicStorage.ts';
import { TopicDamaged } from '../topics.ts';
import { close } from './files.ts';
import { SegmentReader } from './segment.ts';
import type { TopicFile } from './topicFile.ts';

export interface FileReading {
  readonly topic: string;
  readonly fd: number;
  /** The file as its writer has it open, if there is one. */
  readonly file: TopicFile | undefined;
  /** Without a writer: whether a missing manifest means damage. */
  readonly mustBeSealed: () => Promise<boolean>;
  readonly signal: AbortSignal | undefined;
}

/** Reads a topic's file while its writer may still append. */
export class TopicFileReader implements TopicReader {
  readonly #reading: FileReading;
  readonly #reader: SegmentReader;
  #sequence = 0;
  /** Where the readable records ended at the last look. */
  #end: number | undefined;

  constructor(reading: FileReading) {
    this.#reading = reading;
    this.#reader = new SegmentReader(reading.fd);
  }

  async next(): Promise<ReadFrames> {
    const { topic, file, mustBeSealed } = this.#reading;
    const end = file?.end;
    this.#end = end;
    const records = await this.#reader.next(end);
    const frames = records
      .filter(({ kind }) => kind === 'frame')
      .map(({ at, data }) => {
        const sequence = this.#sequence++;
        return { sequence, at, data };
      });
    if (frames.length < records.length) return { frames, state: 'end' };
    if (records.length > 0 || file?.end !== end) return { frames, state: 'more' };
    if (end === undefined ? await mustBeSealed() : this.#reader.offset < end) throw new TopicDamaged(topic, this.#sequence - 1);
    return { frames, state: file ? 'wait' : 'end' };
  }

  async wait(): Promise<void> {
    const { file, signal } = this.#reading;
    if (file?.writer.ended) throw file.writer.ended;
    if (file?.end === this.#end) await file?.writer.changes.wait({ signal });
  }

  async close(): Promise<void> {
    await close(this.#reading.fd);
  }
}
