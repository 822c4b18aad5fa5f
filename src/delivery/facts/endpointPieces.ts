import { type Columns, type DeliveryCheckpoint, type ManyEndpoints, manyEndpoints } from '../../domain/delivery/state.ts';
import type { Checkpoint, Documents } from '../../stores/documents.ts';
import type { Position } from '../../stores/eventStore.ts';
import { hashOf } from '../partition.ts';

const COLLECTION = 'deliveryEndpoints';
/** Endpoints of a piece, about. */
const PIECE = 1_000;
const READ_TOGETHER = 4;

/** Pieces of a user's endpoints, by their number. A piece keeps its endpoints as long as the count of pieces is the same. */
const idsOf = (subject: string, pieces: number): string[] => Array.from({ length: pieces }, (_, n) => `${pieces}/${n}/${subject}`);

interface Piece {
  readonly sequences: { readonly ids: string[]; readonly values: number[] };
  readonly failing: { readonly ids: string[]; readonly values: string[] };
}

const newPiece = (): Piece => ({ sequences: { ids: [], values: [] }, failing: { ids: [], values: [] } });

const divided = (many: readonly ManyEndpoints[], pieces: number): Piece[] => {
  const all = Array.from({ length: pieces }, newPiece);
  const divide = <T>({ ids, values }: Columns<T>, columnsOf: (piece: Piece) => { ids: string[]; values: T[] }): void => {
    for (const [n, id] of ids.entries()) {
      const [piece, value] = [all[hashOf(id) % pieces], values[n]];
      if (!piece || value === undefined) continue;
      const columns = columnsOf(piece);
      columns.ids.push(id);
      columns.values.push(value);
    }
  };
  for (const { sequences, failing } of many) {
    divide(sequences, (piece) => piece.sequences);
    divide(failing, (piece) => piece.failing);
  }
  return all;
};

/** A power of two, so that the count seldom changes. */
const piecesFor = (checkpoint: DeliveryCheckpoint): number => 2 ** Math.ceil(Math.log2(Math.max(1, manyEndpoints(checkpoint) / PIECE)));

/**
 * The endpoints in checkpoints of users with very many, in pieces: 300,000 of them do not fit into one document of MongoDB (16 MiB).
 *
 * The pieces are written first, then the checkpoint that names their count. If the node dies in between, the older checkpoint is read with some newer
 * pieces. The facts after it are folded onto them again, with the same result: a sequence only grows, and `failing` follows from the last success.
 */
export class EndpointPieces {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async ensure(): Promise<void> {
    await this.#documents.ensureCollection({ name: COLLECTION, indexes: [] });
  }

  /** Returns the count of pieces. `position`: of the user's last fact. Rejects with `StaleEpoch` if another node now holds the partition of `checkpoint`. */
  async save(subject: string, state: DeliveryCheckpoint, position: Position, checkpoint: Checkpoint): Promise<number> {
    const pieces = piecesFor(state);
    const ids = idsOf(subject, pieces);
    for (const [n, piece] of divided(state.many ?? [], pieces).entries())
      await this.#documents.writeBatch(COLLECTION, [{ id: ids[n] ?? '', position, body: { ...piece } }], checkpoint);
    return pieces;
  }

  /** `null` if one is missing: then the checkpoint cannot be used. */
  async read(subject: string, pieces: number): Promise<ManyEndpoints[] | null> {
    const ids = idsOf(subject, pieces);
    const found: ManyEndpoints[] = [];
    for (let n = 0; n < ids.length; n += READ_TOGETHER) {
      const stored = await this.#documents.getMany(COLLECTION, ids.slice(n, n + READ_TOGETHER));
      // Only `save` writes them.
      found.push(...stored.map(({ body }) => body as unknown as ManyEndpoints));
    }
    return found.length === pieces ? found : null;
  }

  /** Removes pieces that no checkpoint names any more. */
  async remove(subject: string, pieces: number, position: Position, checkpoint: Checkpoint): Promise<void> {
    const writes = idsOf(subject, pieces).map((id) => ({ id, position, body: null }));
    await this.#documents.writeBatch(COLLECTION, writes, checkpoint);
  }
}
