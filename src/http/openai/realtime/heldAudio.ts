import { BytesOfUsers } from '../../bytesOfUsers.ts';
import { noRoomText } from '../../noRoom.ts';
import { invalidField } from '../openAiErrors.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_HELD_BYTES = 15 * MEBIBYTE;
const FIRST_BYTES = 65_536;
const MAX_BYTES_OF_USER = 32 * MEBIBYTE;
const MAX_BYTES_IN_ALL = 96 * MEBIBYTE;

/** The memory of the audio that all sessions hold: 32 MiB of each user, 96 MiB in all. */
export class HeldAudioRoom {
  readonly #bytes: BytesOfUsers;

  constructor(bytes = new BytesOfUsers()) {
    this.#bytes = bytes;
  }

  /** Counts more bytes of a user and returns `null`. Without room, counts nothing and returns the reason. */
  take(subject: string, bytes: number): string | null {
    const full = this.#bytes.of(subject) + bytes > MAX_BYTES_OF_USER || this.#bytes.total + bytes > MAX_BYTES_IN_ALL;
    if (full) return 'The open sessions hold as much audio as they may: 32 MiB of a user, 96 MiB in all. Commit or clear some first.';
    const heldBy = this.#bytes.filledBy(subject, bytes);
    if (heldBy) return noRoomText(heldBy);
    this.#bytes.add(subject, bytes);
    return null;
  }

  free(subject: string, bytes: number): void {
    this.#bytes.add(subject, -bytes);
  }
}

/** Audio that waits for its commit, in one block, so that many small pieces take no more memory than a large one. */
export class HeldAudio {
  readonly #room: HeldAudioRoom;
  readonly #subject: string;
  #block = Buffer.alloc(0);
  #length = 0;

  constructor(room: HeldAudioRoom, subject: string) {
    this.#room = room;
    this.#subject = subject;
  }

  /** Bytes held. */
  get length(): number {
    return this.#length;
  }

  /** Throws 400 if the buffer would hold more than 15 MiB, or the user's or all sessions more than their limit. */
  add(audio: Buffer): void {
    const length = this.#length + audio.length;
    if (length > MAX_HELD_BYTES) throw full(`The buffer holds at most ${MAX_HELD_BYTES} bytes. Commit or clear it first.`);
    if (length > this.#block.length) this.#grow(length);
    audio.copy(this.#block, this.#length);
    this.#length = length;
  }

  /** Returns everything and empties the buffer. */
  take(): Buffer {
    const held = this.#block.subarray(0, this.#length);
    this.clear();
    return held;
  }

  clear(): void {
    this.#room.free(this.#subject, this.#block.length);
    this.#block = Buffer.alloc(0);
    this.#length = 0;
  }

  #grow(length: number): void {
    const size = Math.min(MAX_HELD_BYTES, Math.max(FIRST_BYTES, length, this.#block.length * 2));
    const refused = this.#room.take(this.#subject, size - this.#block.length);
    if (refused !== null) throw full(refused);
    const block = Buffer.alloc(size);
    this.#block.copy(block, 0, 0, this.#length);
    this.#block = block;
  }
}

const full = (detail: string) => invalidField('audio', detail, 'input_audio_buffer_full');
